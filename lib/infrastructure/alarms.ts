/** What tells the people who run the service that something is wrong: alarms, each with its reason and what to do. */
import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { placeTakenMessage } from '../../functions/create-testimonial/place-taken.ts';
import { foldMetrics } from '../../functions/index-testimonials/fold-metrics.ts';
import { indexFaultMetrics, listMetrics } from '../../functions/list-testimonials/list-cost.ts';
import { requestTimeoutMs } from '../../functions/timing.ts';
import type { Events } from './events.ts';
import type { ServiceFunction } from './service-function.ts';
import { fiveMinutes, ownMetric, sumOf, sumOfOperations } from './service-metrics.ts';
import type { Stage } from './stage.ts';
import type { TestimonialsApi } from './testimonials-api.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

export interface AlarmsProps {
  stage: Stage;
  api: TestimonialsApi;
  create: ServiceFunction;
  list: ServiceFunction;
  /** The function that keeps the list index. */
  index: ServiceFunction;
  /** Where the deployment has them. */
  events: Events | undefined;
  table: TestimonialsTable['table'];
  deadLetters: Queue;
  /** Who is written to; nobody when absent: the alarms are in CloudWatch then. */
  email: string | undefined;
}

interface AlarmDefinition {
  /** What it means and what to do. */
  description: string;
  /** Of the heading in docs/operations.md that says more. */
  anchor: string;
  metric: IMetric;
  /** The alarm is raised at this value. */
  threshold: number;
  /** Periods of the metric in a row. */
  periods?: number;
}

const minute = Duration.minutes(1);
const quarterOfAnHour = Duration.minutes(15);

export class Alarms extends Construct {
  readonly #byName: ReadonlyMap<string, Alarm>;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const action = new SnsAction(this.#topic(props.email));
    const alarms = Object.entries(definitions(props)).map(([name, definition]): [string, Alarm] => {
      const { description, anchor, metric, threshold, periods = 1 } = definition;
      const alarm = new Alarm(this, name, {
        alarmDescription: `${description} docs/operations.md#${anchor}`,
        metric,
        threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluationPeriods: periods,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(action);
      return [name, alarm];
    });
    this.#byName = new Map(alarms);
  }

  /** All of them. */
  get all(): Alarm[] {
    return [...this.#byName.values()];
  }

  /** Those that say that a function of the API fails its requests. */
  ofRequests(fn: ServiceFunction): Alarm[] {
    return ['ApiErrors', 'ApiOutage', `${fn.node.id}Errors`].flatMap((name) => this.#byName.get(name) ?? []);
  }

  #topic(email: string | undefined): Topic {
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
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
    return topic;
  }
}

function definitions(props: AlarmsProps): Record<string, AlarmDefinition> {
  const { create, list, index, events } = props;
  const functions = [create, list, index, ...(events ? [events.function] : [])];
  return {
    ...ofFolds(props),
    ...ofListIndex(props),
    ...ofApi(props),
    ...ofTable(props),
    ...(events && ofEvents(events)),
    ...Object.fromEntries(functions.flatMap((fn) => Object.entries(ofFunction(fn)))),
  };
}

const readLog = 'read the log of IndexTestimonials; lists stay right, and get slower';

function ofFolds({ stage, index, deadLetters }: AlarmsProps): Record<string, AlarmDefinition> {
  return {
    // A batch waits 12 s, its invocation takes 10 s and a last step at most as long: half a minute when all is well.
    StreamAge: {
      description: `Records of the table's stream are not folded for minutes: ${readLog}.`,
      anchor: 'stream-age',
      metric: index.metric('IteratorAge', { period: minute, statistic: Stats.MAXIMUM }),
      threshold: Duration.minutes(3).toMilliseconds(),
      periods: 3,
    },
    // A backlog of 100,000 short testimonials takes two minutes.
    FoldLag: {
      description: `A testimonial or a change waits for minutes to be folded into the list index: ${readLog}.`,
      anchor: 'fold-lag',
      metric: ownMetric(stage, index, foldMetrics.lag, { statistic: Stats.MAXIMUM }),
      threshold: Duration.minutes(5).toMilliseconds(),
    },
    // An organization that cannot be folded fails every 12 s: 25 times in a period. One failure now and then passes.
    FoldFailures: {
      description: `Folding an organization fails again and again: ${readLog}.`,
      anchor: 'fold-failures',
      metric: ownMetric(stage, index, foldMetrics.failures, { statistic: Stats.SUM }),
      threshold: 5,
    },
    DeadLetters: {
      description:
        `Records of the table's stream were given up: ${readLog}. ` +
        'When it is mended, npm run admin -- index rebuild --all makes up for them.',
      anchor: 'dead-letters',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: minute }),
      threshold: 1,
    },
  };
}

function ofListIndex({ stage, create, list, index }: AlarmsProps): Record<string, AlarmDefinition> {
  return {
    // A stream mapping that is off, or may not read, invokes nothing: the alarms of folds have no data then, and are content.
    IndexLag: {
      description:
        'Lists find that an update of the list index is due for minutes: see whether the stream mapping is enabled. ' +
        'Lists stay right, and get slower.',
      anchor: 'index-lag',
      metric: ownMetric(stage, list, indexFaultMetrics.lag, { statistic: Stats.MAXIMUM }),
      threshold: Duration.minutes(5).toMilliseconds(),
    },
    // Folds see it where something is written, lists where something is read. A rebuild after a deployment takes its time.
    OtherTerms: {
      description:
        'Postings were made by other rules than those of the deployed version, for a quarter of an hour: ' +
        'see npm run admin -- index status, and run npm run admin -- index rebuild --all.',
      anchor: 'other-terms',
      metric: sumOf(
        {
          folds: ownMetric(stage, index, foldMetrics.otherTerms, { statistic: Stats.SUM }),
          lists: ownMetric(stage, list, indexFaultMetrics.otherTerms, { statistic: Stats.SUM }),
        },
        'Folds and lists by other terms',
      ),
      threshold: 1,
      periods: 3,
    },
    // Creates go on, each with a place of its own; but the counter does not say what it should.
    PlaceTaken: {
      description:
        'A create was given the place of another testimonial, and took the next: run npm run admin -- index verify, ' +
        'and see whether something else writes to the table.',
      anchor: 'place-taken',
      metric: new MetricFilter(create, 'PlaceTaken', {
        logGroup: create.logGroup,
        filterPattern: FilterPattern.stringValue('$.message', '=', placeTakenMessage),
        metricNamespace: stage.metricsNamespace,
        metricName: 'PlaceTaken',
      }).metric({ statistic: Stats.SUM, period: fiveMinutes }),
      threshold: 1,
    },
  };
}

function ofEvents({ function: fn, deadLetters, undelivered }: Events): Record<string, AlarmDefinition> {
  const readEventLog = 'read the log of PublishEvents';
  const visible = (queue: Queue) => queue.metricApproximateNumberOfMessagesVisible({ period: minute });
  return {
    // A batch waits a second, and is told within seconds.
    EventsAge: {
      description: `What happened to testimonials is not told for minutes: ${readEventLog}.`,
      anchor: 'events-age',
      metric: fn.metric('IteratorAge', { period: minute, statistic: Stats.MAXIMUM }),
      threshold: Duration.minutes(3).toMilliseconds(),
      periods: 3,
    },
    EventsGivenUp: {
      description: `Records of the table's stream were given up, and their events are not told: ${readEventLog}.`,
      anchor: 'events-given-up',
      metric: visible(deadLetters),
      threshold: 1,
    },
    ...(undelivered && {
      EventsUndelivered: {
        description:
          'The webhook, or the topic of new testimonials, did not take an event for a day: see whether the address answers.',
        anchor: 'events-undelivered',
        metric: visible(undelivered),
        threshold: 1,
      },
    }),
  };
}

function ofApi({ stage, api, list }: AlarmsProps): Record<string, AlarmDefinition> {
  const during = (period: Duration) => ({
    failed: api.httpApi.metricServerError({ period, statistic: Stats.SUM }),
    requests: api.httpApi.metricCount({ period, statistic: Stats.SUM }),
    notReady: ownMetric(stage, list, listMetrics.notReady, { statistic: Stats.SUM }).with({ period }),
  });
  // A list that waits for a rebuild is answered with a 503, as long as that takes: no reason to take a new version back.
  const failures = '(FILL(failed, 0) - FILL(notReady, 0))';
  return {
    // A single 500 among few requests is no trend.
    ApiErrors: {
      description: 'One request in a hundred is answered with a 5xx: read the logs of the functions.',
      anchor: 'api-errors',
      metric: new MathExpression({
        expression: `IF(requests >= 20, 100 * ${failures} / requests, 0)`,
        label: '5xx, per cent',
        usingMetrics: during(fiveMinutes),
        period: fiveMinutes,
      }),
      threshold: 1,
    },
    // Few use it, and nearly none of them is answered: too few requests for a percentage, and none of Lambda's errors, since the
    // middleware answers 500 itself.
    ApiOutage: {
      description: 'Most of few requests are answered with a 5xx: read the logs of the functions.',
      anchor: 'api-outage',
      metric: new MathExpression({
        expression: `IF(2 * ${failures} > requests, failed, 0)`,
        label: '5xx, where most requests are',
        usingMetrics: during(quarterOfAnHour),
        period: quarterOfAnHour,
      }),
      threshold: 5,
    },
    // Lists take 10 to 100 ms, a cold function below a second.
    ApiLatency: {
      description:
        'One request in a hundred takes two seconds: look at the metrics ListReadUnits and ListUnindexed.',
      anchor: 'api-latency',
      metric: api.httpApi.metricLatency({ period: fiveMinutes, statistic: Stats.p(99) }),
      threshold: 2000,
      periods: 3,
    },
  };
}

function ofTable({ table }: AlarmsProps): Record<string, AlarmDefinition> {
  return {
    // Retries overcome the throttling of a burst; this is one request in three seconds for a quarter of an hour.
    TableThrottles: {
      description:
        'DynamoDB throttles the table: look for a hot partition, or raise the quotas of the account.',
      anchor: 'table-throttles',
      metric: sumOfOperations(table, 'ThrottledRequests', 'Throttled requests'),
      threshold: 100,
      periods: 3,
    },
    TableErrors: {
      description: 'DynamoDB fails inside: see the AWS Health Dashboard.',
      anchor: 'table-errors',
      metric: sumOfOperations(table, 'SystemErrors', 'Errors inside DynamoDB'),
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
      anchor: 'function-errors',
      metric: fn.metricErrors({ period: fiveMinutes }),
      threshold: 3,
    },
    [`${name}Throttles`]: {
      description: `Lambda throttles ${name}: raise the concurrency of the account.`,
      anchor: 'function-throttles',
      metric: fn.metricThrottles({ period: fiveMinutes }),
      threshold: 1,
      periods: 2,
    },
    [`${name}Duration`]: {
      description: `${name} nearly runs out of time: read its log, and look at the latency of DynamoDB.`,
      anchor: 'function-duration',
      metric: fn.metricDuration({ period: fiveMinutes, statistic: Stats.p(99) }),
      threshold: nearTimeout * timeoutMs,
      periods: 3,
    },
  };
}
