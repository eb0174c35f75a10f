/** What tells the people who run the service that something is wrong: alarms, each with its reason and what to do. */
import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Operation } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { placeTakenMessage } from '../../functions/create-testimonial/place-taken.ts';
import { metricsNamespace } from '../../functions/environment.ts';
import { foldMetrics } from '../../functions/index-testimonials/fold-metrics.ts';
import { requestTimeoutMs } from '../../functions/timing.ts';
import type { ServiceFunction } from './service-function.ts';
import type { TestimonialsApi } from './testimonials-api.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

export interface AlarmsProps {
  api: TestimonialsApi;
  create: ServiceFunction;
  list: ServiceFunction;
  /** The function that keeps the list index. */
  index: ServiceFunction;
  table: TestimonialsTable['table'];
  deadLetters: Queue;
  /** Who is written to; nobody when absent: the alarms are in CloudWatch then. */
  email: string | undefined;
}

interface AlarmDefinition {
  /** What it means and what to do. */
  description: string;
  metric: IMetric;
  /** The alarm is raised at this value. */
  threshold: number;
  /** Periods of the metric in a row. */
  periods?: number;
}

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
const tableOperations = [
  ...[Operation.GET_ITEM, Operation.BATCH_GET_ITEM, Operation.QUERY],
  ...[Operation.PUT_ITEM, Operation.UPDATE_ITEM, Operation.BATCH_WRITE_ITEM],
];

export class Alarms extends Construct {
  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    Validations.of(topic).acknowledge({
      id: 'AwsSolutions-SNS2',
      reason:
        'It has names of alarms and figures, nothing of a customer, and alarms cannot use the AWS managed key.',
    });
    // A policy of its own replaces that of SNS, and enforceSSL makes one which only denies: without this, no alarm arrives
    // (https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html).
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (props.email !== undefined) topic.addSubscription(new EmailSubscription(props.email));
    const action = new SnsAction(topic);
    for (const [name, alarm] of Object.entries(definitions(props))) {
      const { description, metric, threshold, periods = 1 } = alarm;
      new Alarm(this, name, {
        alarmDescription: description,
        metric,
        threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluationPeriods: periods,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }).addAlarmAction(action);
    }
  }
}

function definitions(props: AlarmsProps): Record<string, AlarmDefinition> {
  const { create, list, index } = props;
  return {
    ...ofListIndex(props),
    ...ofApiAndTable(props),
    ...Object.fromEntries([create, list, index].flatMap((fn) => Object.entries(ofFunction(fn)))),
  };
}

function ofListIndex({ index, deadLetters }: AlarmsProps): Record<string, AlarmDefinition> {
  const ofFolds = (metricName: string, statistic: string) =>
    new Metric({
      namespace: metricsNamespace,
      metricName,
      dimensionsMap: { service: index.node.id },
      statistic,
      period: fiveMinutes,
    });
  const readLog = 'read the log of IndexTestimonials; lists stay right, and get slower';
  return {
    // A batch waits 12 s, its invocation takes 10 s and a last step at most as long: half a minute when all is well.
    StreamAge: {
      description: `Records of the table's stream are not folded for minutes: ${readLog}.`,
      metric: index.metric('IteratorAge', { period: minute, statistic: Stats.MAXIMUM }),
      threshold: Duration.minutes(3).toMilliseconds(),
      periods: 3,
    },
    // A backlog of 100,000 short testimonials takes two minutes.
    FoldLag: {
      description: `A testimonial or a change waits for minutes to be folded into the list index: ${readLog}.`,
      metric: ofFolds(foldMetrics.lag, Stats.MAXIMUM),
      threshold: Duration.minutes(5).toMilliseconds(),
    },
    // An organization that cannot be folded fails every 12 s: 25 times in a period. One failure now and then passes.
    FoldFailures: {
      description: `Folding an organization fails again and again: ${readLog}.`,
      metric: ofFolds(foldMetrics.failures, Stats.SUM),
      threshold: 5,
    },
    DeadLetters: {
      description:
        `Records of the table's stream were given up: ${readLog}. ` +
        'When it is mended, npm run admin -- index rebuild --all makes up for them.',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: minute }),
      threshold: 1,
    },
    OtherTerms: {
      description:
        'Postings were made by other rules than those of the deployed version, so that totals can be wrong: ' +
        'run npm run admin -- index rebuild --all.',
      metric: ofFolds(foldMetrics.otherTerms, Stats.SUM),
      threshold: 1,
    },
  };
}

function ofApiAndTable({ api, create, table }: AlarmsProps): Record<string, AlarmDefinition> {
  return {
    // Creates go on, each with a place of its own; but the counter does not say what it should.
    PlaceTaken: {
      description:
        'A create was given the place of another testimonial, and took the next: run npm run admin -- index verify, ' +
        'and see whether something else writes to the table.',
      metric: new MetricFilter(create, 'PlaceTaken', {
        logGroup: create.logGroup,
        filterPattern: FilterPattern.stringValue('$.message', '=', placeTakenMessage),
        metricNamespace: metricsNamespace,
        metricName: 'PlaceTaken',
      }).metric({ statistic: Stats.SUM, period: fiveMinutes }),
      threshold: 1,
    },
    // A single 500 among few requests is no trend.
    ApiErrors: {
      description: 'One request in a hundred is answered with a 5xx: read the logs of the functions.',
      metric: new MathExpression({
        expression: 'IF(requests >= 20, 100 * failed / requests, 0)',
        label: '5xx, per cent',
        usingMetrics: {
          failed: api.httpApi.metricServerError({ period: fiveMinutes, statistic: Stats.SUM }),
          requests: api.httpApi.metricCount({ period: fiveMinutes, statistic: Stats.SUM }),
        },
        period: fiveMinutes,
      }),
      threshold: 1,
    },
    // Lists take 10 to 100 ms, a cold function below a second.
    ApiLatency: {
      description:
        'One request in a hundred takes two seconds: look at the metrics ListReadUnits and ListUnindexed.',
      metric: api.httpApi.metricLatency({ period: fiveMinutes, statistic: Stats.p(99) }),
      threshold: 2000,
      periods: 3,
    },
    // Retries overcome the throttling of a burst; this is one request in three seconds for a quarter of an hour.
    TableThrottles: {
      description:
        'DynamoDB throttles the table: look for a hot partition, or raise the quotas of the account.',
      metric: table.metricThrottledRequestsForOperations({
        operations: tableOperations,
        period: fiveMinutes,
      }),
      threshold: 100,
      periods: 3,
    },
    TableErrors: {
      description: 'DynamoDB fails inside: see the AWS Health Dashboard.',
      metric: table.metricSystemErrorsForOperations({ operations: tableOperations, period: fiveMinutes }),
      threshold: 10,
    },
  };
}

// Of a function's time: the rest is what a slow day takes.
const nearTimeout = 0.8;

function ofFunction(fn: ServiceFunction): Record<string, AlarmDefinition> {
  const name = fn.node.id;
  const timeoutMs = fn.timeout?.toMilliseconds() ?? requestTimeoutMs;
  return {
    [`${name}Errors`]: {
      description: `${name} crashes, runs out of time or cannot start: read its log.`,
      metric: fn.metricErrors({ period: fiveMinutes }),
      threshold: 3,
    },
    [`${name}Throttles`]: {
      description: `Lambda throttles ${name}: raise the concurrency of the account.`,
      metric: fn.metricThrottles({ period: fiveMinutes }),
      threshold: 1,
      periods: 2,
    },
    [`${name}Duration`]: {
      description: `${name} nearly runs out of time: read its log, and look at the latency of DynamoDB.`,
      metric: fn.metricDuration({ period: fiveMinutes, statistic: Stats.p(99) }),
      threshold: nearTimeout * timeoutMs,
      periods: 3,
    },
  };
}
