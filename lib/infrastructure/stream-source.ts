/**
 * The source of a function that reads the table's stream, and the queue for records that Lambda gives up on.
 */
import { Duration, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Stage } from './context.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

/** Creates a dead-letter queue that keeps messages for two weeks. */
export function deadLetterQueue(scope: Construct, id: string, { removalPolicy }: Stage): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    removalPolicy,
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason: 'This is a dead-letter queue.',
  });
  return queue;
}

export interface StreamSourceProps {
  /** Patterns of Lambda's event filtering. A record must match one of them. */
  filters: readonly Parameters<typeof FilterCriteria.filter>[0][];
  /** Maximum number of records per invocation. */
  batchSize: number;
  /** Maximum time that a record waits for others, in milliseconds. */
  windowMs: number;
  /** Receives a message about records that Lambda gives up on. */
  deadLetters: Queue;
}

/** Creates the event source of a function that reads the table's stream. */
export function streamSource(
  { table }: TestimonialsTable,
  { filters, batchSize, windowMs, deadLetters }: StreamSourceProps,
): DynamoEventSource {
  // The CDK's types differ only in how they declare optional properties.
  return new DynamoEventSource(table as unknown as ITable, {
    // Includes the records of the last day, even those written before the mapping was ready.
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize,
    maxBatchingWindow: Duration.millis(windowMs),
    // With a higher factor, Lambda orders only the records of each item, and concurrent invocations work on
    // one organization
    // (https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html).
    parallelizationFactor: 1,
    filters: filters.map((filter) => FilterCriteria.filter(filter)),
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    // Retries for nearly as long as the stream keeps a record, because erasures and events have no other
    // source, and repairing a function can take hours. Then the record goes to the queue, so that every loss
    // is noticed.
    maxRecordAge: Duration.hours(23),
    onFailure: new SqsDlq(deadLetters),
  });
}
