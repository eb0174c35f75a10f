/** What is measured of the service, in one table: its alarms and its graphs are made of it. */
import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Operation } from 'aws-cdk-lib/aws-dynamodb';
import { FilterPattern, type IFilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { placeTakenMessage } from '../../functions/create-testimonial/operation.ts';
import type { IndexUpdateLine } from '../../functions/index-testimonials/handler.ts';
import type { ListLine } from '../../functions/list-testimonials/list-cost.ts';
import { unreadableMessage } from '../../functions/persistence/unreadable-log.ts';
import type { EventsLine } from '../../functions/publish-events/handler.ts';
import { requestTimeoutMs } from '../../functions/timing.ts';
import type { Stage } from './context.ts';
import type { Events } from './events.ts';
import type { IndexFunction } from './index-function.ts';
import type { ServiceFunction } from './service-function.ts';
import type { TestimonialsApi } from './testimonials-api.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

/** What is measured. */
export interface Watched {
  stage: Stage;
  api: TestimonialsApi;
  create: ServiceFunction;
  list: ServiceFunction;
  /** Where the deployment has it. */
  moderate: ServiceFunction | undefined;
  /** Where the deployment has it. */
  desk: ServiceFunction | undefined;
  listIndex: IndexFunction;
  /** Where the deployment has them. */
  events: Events | undefined;
  table: TestimonialsTable['table'];
}

export interface Measure {
  metric: Metric | MathExpression;
  /** The graph of the dashboard that has it, and what it is called there. */
  graph?: readonly [title: string, label: string];
  alarm?: AlarmDefinition;
}

export interface AlarmDefinition {
  name: string;
  /** The heading in docs/operations.md that says more, in the form of a name; by default the name. */
  section?: string;
  /** What it means, a colon, and what to do. */
  says: string;
  /** It is raised at this value. */
  threshold: number;
  /** Periods of the metric; in all of them, or in as many as `raisedIn`, the value is reached. */
  periods?: number;
  raisedIn?: number;
}

const fiveMinutes = Duration.minutes(5);
const quarterOfAnHour = Duration.minutes(15);
const sum = { period: fiveMinutes, statistic: Stats.SUM };
const most = { period: fiveMinutes, statistic: Stats.MAXIMUM };

/** All functions of a deployment. */
export function functionsOf({ create, list, moderate, desk, listIndex, events }: Watched): ServiceFunction[] {
  const all = [create, list, listIndex.function, moderate, desk, events?.function];
  return all.filter((each) => each !== undefined);
}

/** All measures of a deployment. */
export function measuresOf(watched: Watched): Measure[] {
  return [
    ...ofApi(watched),
    ...functionsOf(watched).flatMap(ofFunction),
    ofItems(watched),
    ...ofTable(watched),
    ...ofLists(watched),
    ...ofIndex(watched),
    ...(watched.events ? ofEvents(watched.events) : []),
  ];
}

/**
 * A metric of the lines of a function's log that match a pattern: their number, or a number that they have
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/MonitoringLogData.html).
 */
function ofLog(
  fn: ServiceFunction,
  metricName: string,
  filterPattern: IFilterPattern,
  metricValue = '1',
): Metric {
  const { logGroup, metricNamespace } = fn;
  const filter = { logGroup, filterPattern, metricNamespace, metricName, metricValue };
  return new MetricFilter(fn, metricName, filter).metric(sum);
}

/** A metric of a number in the lines of a function's log. */
function ofField<Line>(fn: ServiceFunction, metricName: string, field: keyof Line & string): Metric {
  const value = `$.${field}`;
  return ofLog(fn, metricName, FilterPattern.numberValue(value, '>=', 0), value);
}

function ofApi({ api: { httpApi }, list }: Watched): Measure[] {
  const at = (percentile: number) => ({ period: fiveMinutes, statistic: Stats.p(percentile) });
  const requests = httpApi.metricCount(sum);
  const failed = httpApi.metricServerError(sum);
  const notReady = ofLog(list, 'ListNotReady', FilterPattern.stringValue('$.code', '=', 'not_ready'));
  // A list that waits for a rebuild is answered with a 503, as long as that takes: no reason to take a new version back.
  const failures = '(FILL(failed, 0) - FILL(notReady, 0))';
  const ofFailures = (expression: string, label: string, period: Duration) => {
    const usingMetrics = Object.fromEntries(
      Object.entries({ failed, notReady, requests }).map(([name, metric]) => [name, metric.with({ period })]),
    );
    return new MathExpression({ expression, label, usingMetrics, period });
  };
  const errors = 'Errors in five minutes';
  const latency = 'Latency, milliseconds';
  return [
    { metric: requests, graph: ['Requests and invocations in five minutes', 'Requests'] },
    { metric: httpApi.metricClientError(sum), graph: [errors, '4xx'] },
    { metric: failed, graph: [errors, '5xx'] },
    { metric: notReady, graph: [errors, 'Lists that are not ready'] },
    {
      metric: ofFailures(
        `IF(${failures} >= 5, 100 * ${failures} / requests, 0)`,
        '5xx, per cent',
        fiveMinutes,
      ),
      alarm: {
        name: 'ApiErrors',
        says: 'One request in a hundred, and five at least, is answered with a 5xx: read the logs of the functions',
        threshold: 1,
        periods: 3,
        raisedIn: 2,
      },
    },
    {
      // Few use it, and nearly none of them is answered: too few requests for a percentage, and none of Lambda's errors, since the
      // middleware answers 500 itself.
      metric: ofFailures(`IF(2 * ${failures} > requests, failed, 0)`, '5xx, where most are', quarterOfAnHour),
      alarm: {
        name: 'ApiOutage',
        says: 'Most of few requests are answered with a 5xx: read the logs of the functions',
        threshold: 5,
      },
    },
    { metric: httpApi.metricLatency(at(50)), graph: [latency, 'p50'] },
    {
      metric: httpApi.metricLatency(at(99)),
      graph: [latency, 'p99'],
      // Lists take 10 to 100 ms, a cold function below a second.
      alarm: {
        name: 'ApiLatency',
        says: 'One request in a hundred takes two seconds: look at the read units of lists, and at what they read beside the index',
        threshold: 2000,
        periods: 3,
      },
    },
    { metric: httpApi.metricIntegrationLatency(at(99)), graph: [latency, 'p99 of the functions'] },
  ];
}

// The share of a function's time that an alarm allows: the rest is what a slow day takes.
const nearTimeout = 0.8;

function ofFunction(fn: ServiceFunction): Measure[] {
  const name = fn.node.id;
  const timeoutMs = fn.timeout?.toMilliseconds() ?? requestTimeoutMs;
  return [
    { metric: fn.metricInvocations(sum), graph: ['Requests and invocations in five minutes', name] },
    {
      metric: fn.metricErrors(sum),
      graph: ['Errors in five minutes', `${name}: errors`],
      alarm: {
        name: `${name}Errors`,
        section: 'FunctionErrors',
        says: `${name} crashes, runs out of time or cannot start: read its log`,
        threshold: 3,
      },
    },
    {
      metric: fn.metricThrottles(sum),
      graph: ['Errors in five minutes', `${name}: throttled`],
      alarm: {
        name: `${name}Throttles`,
        section: 'FunctionThrottles',
        says: `Lambda throttles ${name}: raise the concurrency of the account`,
        threshold: 1,
        periods: 2,
      },
    },
    {
      metric: fn.metricDuration({ period: fiveMinutes, statistic: Stats.p(99) }),
      graph: ['Duration of functions, p99, milliseconds', name],
      alarm: {
        name: `${name}Duration`,
        section: 'FunctionDuration',
        says: `${name} nearly runs out of time: read its log, and look at the latency of DynamoDB`,
        threshold: nearTimeout * timeoutMs,
        periods: 3,
      },
    },
  ];
}

/** One metric of all functions: each meets the items that it reads. */
function ofItems(watched: Watched): Measure {
  const pattern = FilterPattern.stringValue('$.message', '=', unreadableMessage);
  const metricOf = (fn: ServiceFunction) => ofLog(fn, 'UnreadableItems', pattern);
  for (const fn of functionsOf(watched)) if (fn !== watched.list) metricOf(fn);
  return {
    metric: metricOf(watched.list),
    alarm: {
      name: 'UnreadableItem',
      says: 'An item of the table cannot be read, and is left out: the logs name its keys and the attribute; mend or erase it, and run npm run admin -- index verify --repair',
      threshold: 1,
    },
  };
}

// All that any function calls.
const tableOperations = [
  ...[Operation.GET_ITEM, Operation.BATCH_GET_ITEM, Operation.QUERY],
  ...[Operation.PUT_ITEM, Operation.UPDATE_ITEM, Operation.DELETE_ITEM, Operation.BATCH_WRITE_ITEM],
];

/**
 * The sum of a metric of the table over all operations. Each has data only when something happens: without FILL, one that has none
 * makes the sum have none (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html).
 */
function sumOfOperations({ tableName }: Watched['table'], metricName: 'ThrottledRequests' | 'SystemErrors') {
  const ofOperations = tableOperations.map((Operation) => {
    const dimensionsMap = { TableName: tableName, Operation };
    const metric = new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap, ...sum });
    return [nameInMath(`${metricName}${Operation}`), metric];
  });
  const filled = ofOperations.map(([name]) => `FILL(${name}, 0)`);
  return new MathExpression({
    expression: `SUM([${filled.join(', ')}])`,
    usingMetrics: Object.fromEntries(ofOperations),
    period: fiveMinutes,
  });
}

/** A name for metric math, where names begin with a small letter; in a graph no two metrics have the same. */
export function nameInMath(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function ofTable({ table }: Watched): Measure[] {
  return [
    {
      metric: sumOfOperations(table, 'ThrottledRequests'),
      graph: ['Errors in five minutes', 'DynamoDB: throttled'],
      // Retries overcome the throttling of a burst; this is one request in three seconds for a quarter of an hour.
      alarm: {
        name: 'TableThrottles',
        says: 'DynamoDB throttles the table: look for a hot partition, or raise the quotas of the account',
        threshold: 100,
        periods: 3,
      },
    },
    {
      metric: sumOfOperations(table, 'SystemErrors'),
      graph: ['Errors in five minutes', 'DynamoDB: errors'],
      alarm: {
        name: 'TableErrors',
        says: 'DynamoDB fails inside: see the AWS Health Dashboard',
        threshold: 10,
      },
    },
  ];
}

/** The metric of the read units of lists. */
export const listReadUnits = 'ListReadUnits';

function ofLists({ create, list }: Watched): Measure[] {
  const readUnits = ofField<ListLine>(list, listReadUnits, 'readUnits');
  const unindexed = ofField<ListLine>(list, 'ListUnindexed', 'unindexed');
  const average = { statistic: Stats.AVERAGE };
  return [
    {
      metric: readUnits.with({ statistic: Stats.SAMPLE_COUNT }),
      graph: ['Lists in five minutes', 'Answered'],
    },
    { metric: readUnits.with(average), graph: ['What a list reads', 'Read units'] },
    { metric: unindexed.with(average), graph: ['What a list reads', 'Testimonials beside the index'] },
    {
      // Creates go on, each with a place of its own; but the counter does not say what it should.
      metric: ofLog(create, 'PlaceTaken', FilterPattern.stringValue('$.message', '=', placeTakenMessage)),
      alarm: {
        name: 'PlaceTaken',
        says: 'A create was given the place of another testimonial, and took the next: run npm run admin -- index verify, and see whether something else writes to the table',
        threshold: 1,
      },
    },
  ];
}

const readLog = 'read the log of IndexTestimonials; lists stay right, and get slower';

function ofIndex({ list, listIndex: { function: fn, deadLetters } }: Watched): Measure[] {
  const behind = 'How far the list index is behind, milliseconds';
  const otherTerms = FilterPattern.booleanValue('$.hasOtherTerms', true);
  // One metric: index updates see it where something is written, lists where something is read.
  ofLog(list, 'OtherTerms', otherTerms);
  return [
    {
      metric: fn.metric('IteratorAge', most),
      graph: [behind, 'Stream'],
      // A batch waits 12 s, its invocation takes 10 s and a last step at most as long: half a minute when all is well.
      alarm: {
        name: 'StreamAge',
        says: `Records of the table's stream are not indexed for minutes: ${readLog}`,
        threshold: Duration.minutes(3).toMilliseconds(),
      },
    },
    {
      metric: ofField<IndexUpdateLine>(fn, 'FoldLag', 'lagMs').with(most),
      graph: [behind, 'Index updates'],
      // A backlog of 100,000 short testimonials takes two minutes.
      alarm: {
        name: 'FoldLag',
        says: `A testimonial or a change waits for minutes to be indexed into the list index: ${readLog}`,
        threshold: Duration.minutes(5).toMilliseconds(),
      },
    },
    {
      metric: ofField<ListLine>(list, 'ListIndexLag', 'indexLagMs').with(most),
      graph: [behind, 'As lists see it'],
      // A stream mapping that is off, or may not read, invokes nothing: the alarms of index updates have no data then, and are content.
      alarm: {
        name: 'IndexLag',
        says: 'Lists find that an update of the list index is due for minutes: see whether the stream mapping is enabled; lists stay right, and get slower',
        threshold: Duration.minutes(5).toMilliseconds(),
      },
    },
    {
      metric: ofLog(fn, 'FoldFailures', FilterPattern.stringValue('$.level', '=', 'ERROR')),
      graph: ['Errors in five minutes', 'Index updates that failed'],
      // An organization that cannot be indexed fails every 12 s: 25 times in a period. One failure now and then passes.
      alarm: {
        name: 'FoldFailures',
        says: `Indexing an organization fails again and again: ${readLog}`,
        threshold: 5,
      },
    },
    {
      metric: ofLog(fn, 'OtherTerms', otherTerms),
      // A rebuild after a deployment takes its time.
      alarm: {
        name: 'OtherTerms',
        says: 'Postings were made by other rules than those of the deployed version, for a quarter of an hour: see npm run admin -- index status, and run npm run admin -- index rebuild --all',
        threshold: 1,
        periods: 3,
      },
    },
    {
      metric: inQueue(deadLetters),
      alarm: {
        name: 'DeadLetters',
        says: `Records of the table's stream, or the request for a renewal, were given up: ${readLog}. When it is mended, npm run admin -- index rebuild --all makes up for them`,
        threshold: 1,
      },
    },
  ];
}

function ofEvents({ function: fn, deadLetters, undelivered }: Events): Measure[] {
  const events = 'Events in five minutes';
  return [
    {
      metric: fn.metric('IteratorAge', most),
      graph: ['How far events are behind, milliseconds', 'Stream'],
      // A batch waits a second, and is told within seconds.
      alarm: {
        name: 'EventsAge',
        says: 'What happened to testimonials is not told for minutes: read the log of PublishEvents',
        threshold: Duration.minutes(3).toMilliseconds(),
      },
    },
    { metric: ofField<EventsLine>(fn, 'EventsTold', 'told'), graph: [events, 'Told'] },
    {
      metric: inQueue(deadLetters),
      graph: [events, 'Given up'],
      alarm: {
        name: 'EventsGivenUp',
        says: "Records of the table's stream were given up, and their events are not told: read the log of PublishEvents",
        threshold: 1,
      },
    },
    ...(undelivered
      ? [
          {
            metric: inQueue(undelivered),
            graph: [events, 'Not delivered'] as const,
            alarm: {
              name: 'EventsUndelivered',
              says: 'The webhook, or the topic of new testimonials, did not take an event for a day: see whether the address answers',
              threshold: 1,
            },
          },
        ]
      : []),
  ];
}

function inQueue(queue: Queue): Metric {
  return queue.metricApproximateNumberOfMessagesVisible(most);
}
