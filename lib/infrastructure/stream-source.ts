/** How a function reads the table's stream: none of its records is lost without a trace. */
import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Stage } from './context.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

/** A queue for what was given up: two weeks to look at it. */
export function deadLetterQueue(scope: Construct, id: string, { removalPolicy }: Stage): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    removalPolicy,
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason: 'It is itself a dead-letter queue.',
  });
  return queue;
}

export interface StreamSourceProps {
  /** Patterns of Lambda's event filtering: a record that any of them matches is read. */
  filters: readonly Parameters<typeof FilterCriteria.filter>[0][];
  /** Records that an invocation gets, at most. */
  batchSize: number;
  /** How long a record waits for others, at most. */
  windowMs: number;
  /** Gets records that are given up. */
  deadLetters: Queue;
}

/** What a function adds as the source of its events. */
export function streamSource(
  { table }: TestimonialsTable,
  { filters, batchSize, windowMs, deadLetters }: StreamSourceProps,
): DynamoEventSource {
  // The CDK's own types differ only in how they write an absent property.
  return new DynamoEventSource(table as unknown as ITable, {
    // What happened while the mapping was made is read, and what the day before.
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize,
    maxBatchingWindow: Duration.millis(windowMs),
    // One lane a shard: with more, Lambda keeps the order of each item only, and invocations beside each other work on one
    // organization (https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html).
    parallelizationFactor: 1,
    filters: filters.map((filter) => FilterCriteria.filter(filter)),
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    // As often as it takes, for nearly as long as the stream keeps a record: erasures and events come nowhere else, and a
    // function that cannot start may be mended within hours. Then to the queue, before it is lost without a trace.
    maxRecordAge: Duration.hours(23),
    onFailure: new SqsDlq(deadLetters),
  });
}
