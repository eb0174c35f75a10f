/** What keeps the list index: a function on the table's stream, and an alarm for what it could not fold. */
import { fileURLToPath } from 'node:url';
import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { streamFilter } from '../functions/index-testimonials/stream-records.ts';
import { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

export class ListIndex extends Construct {
  constructor(scope: Construct, id: string, { stage, table }: { stage: Stage; table: TestimonialsTable }) {
    super(scope, id);
    // Waits most of its time, then encodes bitmaps: a whole core (1,769 MB) for the seconds that it works.
    const fn = new ServiceFunction(scope, 'IndexTestimonials', {
      stage,
      description: 'Keep the list index',
      entry: fileURLToPath(new URL('../functions/index-testimonials/lambda.ts', import.meta.url)),
      timeoutMs: Duration.minutes(5).toMilliseconds(),
      memorySize: 1769,
    });
    table.allow(fn, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');

    const deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: stage.removalPolicy,
    });
    Validations.of(deadLetters).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is itself the dead-letter queue of the stream.',
    });
    fn.addEventSource(
      // The CDK's own types differ only in how they write an absent property.
      new DynamoEventSource(table.table as unknown as ITable, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 1000,
        // One fold for what comes within it: a write of a posting is shared by all of them.
        maxBatchingWindow: Duration.seconds(10),
        filters: [FilterCriteria.filter(streamFilter)],
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        retryAttempts: 20,
        onFailure: new SqsDlq(deadLetters),
      }),
    );
    new Alarm(this, 'DeadLettersAlarm', {
      alarmDescription:
        'Testimonials could not be folded into the list index. Lists stay right and get slower: see the log of ' +
        'IndexTestimonials, then run npm run admin -- index rebuild.',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
