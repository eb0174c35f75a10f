/** The metrics of the service, each with its graph and its alarm. */
import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Operation } from 'aws-cdk-lib/aws-dynamodb';
import { FilterPattern, type IFilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { positionTakenMessage } from '../../functions/domain/outcomes.ts';
import { unreadableMessage } from '../../functions/domain/unreadable.ts';
import { dayUsedUpMessage } from '../../functions/http/fair-use.ts';
import type { IndexUpdateLine } from '../../functions/index-testimonials/handler.ts';
import { mediaFailedMessage } from '../../functions/index-testimonials/keep-media.ts';
import type { ListLine } from '../../functions/list-testimonials/handler.ts';
import type { EventsLine } from '../../functions/publish-events/handler.ts';
import { requestTimeoutMs } from '../../functions/timing.ts';
import type { Events } from './events.ts';
import type { IndexFunction } from './index-function.ts';
import type { AlarmSection, Measure } from './measure.ts';
import { outsideMeasures, type WatchedOutside } from './outside-measures.ts';
import type { ServiceFunction } from './service-function.ts';
import type { ApiFunctions } from './testimonials-api.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

/** The parts of a deployment that have metrics. */
export interface Watched extends ApiFunctions, WatchedOutside {
  listIndex: IndexFunction;
  events: Events | undefined;
  hasMedia: boolean;
  table: TestimonialsTable['table'];
  /** The minimum number of requests in usual traffic. */
  leastRequestsAnHour: number | undefined;
}

const fiveMinutes = Duration.minutes(5);
const quarterOfAnHour = Duration.minutes(15);
const threeHours = Duration.hours(3);
const sum = { period: fiveMinutes, statistic: Stats.SUM };
const maximum = { period: fiveMinutes, statistic: Stats.MAXIMUM };

function functionsOf({ create, list, moderate, desk, pages, listIndex, events }: Watched) {
  const others = [list, listIndex.function, moderate, desk, pages, events?.function];
  return [create, ...others.filter((fn) => fn !== undefined)] as const;
}

/** Returns the metrics of a deployment, in the order of the dashboard's graphs. */
export function measuresOf(watched: Watched): Measure[] {
  return [
    ...apiMeasures(watched),
    ...trafficMeasures(watched),
    ...functionsOf(watched).flatMap(functionMeasures),
    ...lineMeasures(watched),
    ...tableMeasures(watched),
    ...listMeasures(watched),
    ...indexMeasures(watched),
    ...(watched.events ? eventMeasures(watched.events, watched.listIndex) : []),
    ...outsideMeasures(watched),
  ];
}

/**
 * Makes one metric from the log lines of these functions that match a pattern: their number, or the value of
 * one of their fields (https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/MonitoringLogData.html).
 */
function logMetric(
  functions: readonly (ServiceFunction | undefined)[],
  metricName: string,
  filterPattern: IFilterPattern,
  metricValue = '1',
): Metric {
  const metrics = functions.flatMap((fn) => {
    if (!fn) return [];
    const { logGroup, metricNamespace } = fn;
    const filter = { logGroup, filterPattern, metricNamespace, metricName, metricValue };
    return new MetricFilter(fn, metricName, filter).metric(sum);
  });
  // All filters have the same metric, and there is at least one function.
  return metrics[0] as Metric;
}

/** Makes a metric from the number of log lines in which a field has this text. */
function lineMetric(
  functions: readonly (ServiceFunction | undefined)[],
  name: string,
  field: string,
  text: string,
) {
  return logMetric(functions, name, FilterPattern.stringValue(`$.${field}`, '=', text));
}

/** Makes a metric from a numeric field of a function's log lines. */
function fieldMetric<Line>(fn: ServiceFunction, metricName: string, field: keyof Line & string): Metric {
  const value = `$.${field}`;
  return logMetric([fn], metricName, FilterPattern.numberValue(value, '>=', 0), value);
}

function apiMeasures({ api: { httpApi }, list, moderate, desk, pages }: Watched): Measure[] {
  const at = (percentile: number) => ({ period: fiveMinutes, statistic: Stats.p(percentile) });
  const requests = httpApi.metricCount(sum);
  const failed = httpApi.metricServerError(sum);
  // Lists, including those of the desk and of walls, fail with 503 `not_ready` during a rebuild, which must
  // not roll a new version back.
  const notReady = lineMetric([list, moderate, desk, pages], 'ListNotReady', 'code', 'not_ready');
  const failures = '(FILL(failed, 0) - FILL(notReady, 0))';
  const usingMetrics = { failed, notReady, requests };
  const failureMetric = (expression: string, label: string, period: Duration) =>
    new MathExpression({ expression, label, usingMetrics, period });
  const errors = 'Errors in five minutes';
  const latency = 'Latency, milliseconds';
  return [
    { metric: requests, graph: ['Requests and invocations in five minutes', 'Requests'] },
    { metric: httpApi.metricClientError(sum), graph: [errors, '4xx'] },
    { metric: failed, graph: [errors, '5xx'] },
    { metric: notReady, graph: [errors, 'Lists not ready'] },
    {
      metric: failureMetric(
        `IF(${failures} >= 5, 100 * ${failures} / requests, 0)`,
        '5xx, per cent',
        fiveMinutes,
      ),
      alarm: { section: 'ApiErrors', threshold: 1, periods: 3, raisedIn: 2, isUrgent: true },
    },
    {
      // With little traffic a percentage misleads, so this counts windows in which most requests fail. Lambda
      // counts no errors then, because the middleware turns them into responses.
      metric: failureMetric(
        `IF(2 * ${failures} > requests, failed, 0)`,
        '5xx, if most requests fail',
        quarterOfAnHour,
      ),
      alarm: { section: 'ApiOutage', threshold: 5, isUrgent: true, isEverywhere: true },
    },
    {
      // Catches failures that the alarms above miss: an outage with two requests an hour, or failing creates
      // among many lists. Six failures in three hours are no coincidence: with a thousand requests an hour,
      // isolated failures add up to six once in decades.
      metric: failureMetric(
        `IF(${failures} >= 6 || (${failures} >= 3 && 2 * ${failures} > requests), 1, 0)`,
        '5xx, if they repeat',
        threeHours,
      ),
      alarm: { section: 'RepeatedFailures', threshold: 1, isUrgent: true },
    },
    { metric: httpApi.metricLatency(at(50)), graph: [latency, 'p50'] },
    {
      metric: httpApi.metricLatency(at(99)),
      graph: [latency, 'p99'],
      // Lists take 10 to 100 ms, a cold function below a second.
      alarm: { section: 'ApiLatency', threshold: 2000, periods: 3, isUrgent: true },
    },
    { metric: httpApi.metricIntegrationLatency(at(99)), graph: [latency, 'p99 of the functions'] },
  ];
}

function trafficMeasures(watched: Watched): Measure[] {
  const { api, list, create, moderate, desk, pages, leastRequestsAnHour } = watched;
  const tooMany = FilterPattern.numberValue('$.status', '=', 429);
  const refused: Measure = {
    metric: logMetric([list, create, moderate, desk, pages], 'RequestsRefused', tooMany),
    graph: ['Errors in five minutes', 'Requests over a limit'],
    // A flood that ends within a quarter of an hour needs no reaction.
    alarm: { section: 'OrganizationRefused', threshold: 1, periods: 3 },
  };
  if (leastRequestsAnHour === undefined) return [refused];
  // Without requests the metric has no data.
  const tooFew = new MathExpression({
    expression: `IF(FILL(requests, 0) < ${leastRequestsAnHour}, 1, 0)`,
    usingMetrics: { requests: api.httpApi.metricCount(sum) },
    period: Duration.hours(1),
  });
  return [refused, { metric: tooFew, alarm: { section: 'NoTraffic', threshold: 1, isUrgent: true } }];
}

// An alarm is raised when an invocation uses this share of the time limit.
const nearTimeout = 0.8;

function functionMeasures(fn: ServiceFunction): Measure[] {
  const functionName = fn.node.id;
  const timeoutMs = fn.timeout?.toMilliseconds() ?? requestTimeoutMs;
  return [
    { metric: fn.metricInvocations(sum), graph: ['Requests and invocations in five minutes', functionName] },
    {
      metric: fn.metricErrors(sum),
      graph: ['Errors in five minutes', `${functionName}: errors`],
      alarm: { section: 'FunctionErrors', functionName, threshold: 3, isUrgent: true, isEverywhere: true },
    },
    {
      metric: fn.metricThrottles(sum),
      graph: ['Errors in five minutes', `${functionName}: throttled`],
      alarm: { section: 'FunctionThrottles', functionName, threshold: 1, periods: 2, isUrgent: true },
    },
    {
      metric: fn.metricDuration({ period: fiveMinutes, statistic: Stats.p(99) }),
      graph: ['Duration of functions, p99, milliseconds', functionName],
      alarm: { section: 'FunctionDuration', functionName, threshold: nearTimeout * timeoutMs, periods: 3 },
    },
  ];
}

/**
 * Lines that several functions log: unreadable items, and requests beyond the daily budget of their
 * organization.
 */
function lineMeasures(watched: Watched): Measure[] {
  const { create, list, moderate, desk, pages } = watched;
  const api = [create, list, moderate, desk, pages];
  return [
    {
      metric: lineMetric(functionsOf(watched), 'UnreadableItems', 'message', unreadableMessage),
      alarm: { section: 'UnreadableItem', threshold: 1 },
    },
    {
      metric: lineMetric(api, 'BeyondDailyBudget', 'reason', dayUsedUpMessage),
      graph: ['Errors in five minutes', 'Refused by the budget of a day'],
      alarm: { section: 'DailyBudget', threshold: 1 },
    },
  ];
}

// All operations that functions call.
const tableOperations = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
  Operation.BATCH_WRITE_ITEM,
];

/**
 * Sums a metric of the table over all operations. An operation has data only while it is throttled or fails.
 * Without FILL, the sum would then have no data either
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html).
 */
function sumOfOperations({ tableName }: Watched['table'], metricName: 'ThrottledRequests' | 'SystemErrors') {
  const metrics = tableOperations.map((Operation) => {
    const dimensionsMap = { TableName: tableName, Operation };
    const metric = new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap, ...sum });
    // Names in metric math begin with a lower-case letter.
    return [`${metricName.charAt(0).toLowerCase()}${metricName.slice(1)}${Operation}`, metric];
  });
  const expression = `SUM([${metrics.map(([name]) => `FILL(${name}, 0)`).join(', ')}])`;
  return new MathExpression({ expression, usingMetrics: Object.fromEntries(metrics), period: fiveMinutes });
}

function tableMeasures({ table }: Watched): Measure[] {
  return [
    {
      metric: sumOfOperations(table, 'ThrottledRequests'),
      graph: ['Errors in five minutes', 'DynamoDB: throttled'],
      // Retries absorb bursts. The threshold is one request in three seconds for a quarter of an hour.
      alarm: { section: 'TableThrottles', threshold: 100, periods: 3, isUrgent: true },
    },
    {
      metric: sumOfOperations(table, 'SystemErrors'),
      graph: ['Errors in five minutes', 'DynamoDB: errors'],
      alarm: { section: 'TableErrors', threshold: 10, isUrgent: true },
    },
  ];
}

function listMeasures({ create, list, desk, pages }: Watched): Measure[] {
  const readUnits = fieldMetric<ListLine>(list, 'ListReadUnits', 'readUnits');
  const unindexed = fieldMetric<ListLine>(list, 'ListUnindexed', 'unindexed');
  const average = { statistic: Stats.AVERAGE };
  return [
    {
      metric: readUnits.with({ statistic: Stats.SAMPLE_COUNT }),
      graph: ['Lists in five minutes', 'Lists'],
    },
    { metric: readUnits.with(average), graph: ['Average of a list', 'Read units'] },
    { metric: unindexed.with(average), graph: ['Average of a list', 'Unindexed testimonials'] },
    {
      // The create, by the API, the desk or a form, used the next free position, but the counter is wrong.
      metric: lineMetric([create, desk, pages], 'PositionTaken', 'message', positionTakenMessage),
      alarm: { section: 'PositionTaken', threshold: 1, isUrgent: true, isEverywhere: true },
    },
  ];
}

function indexMeasures({ list, listIndex: { function: fn, deadLetters }, hasMedia }: Watched): Measure[] {
  const behind = 'Lag of the list index, milliseconds';
  const otherTerms = FilterPattern.booleanValue('$.hasOtherTerms', true);
  return [
    {
      metric: fn.metric('IteratorAge', maximum),
      graph: [behind, 'Stream'],
      // Half a minute is usual: 12 s for the batch, 10 s for the turn, and some seconds for its last step.
      alarm: { section: 'StreamAge', threshold: Duration.minutes(3).toMilliseconds() },
    },
    {
      metric: fieldMetric<IndexUpdateLine>(fn, 'IndexUpdateLag', 'lagMs').with(maximum),
      graph: [behind, 'Index updates'],
      // A backlog of 100,000 short testimonials takes two minutes.
      alarm: { section: 'IndexUpdateLag', threshold: fiveMinutes.toMilliseconds() },
    },
    {
      metric: fieldMetric<ListLine>(list, 'ListIndexLag', 'indexLagMs').with(maximum),
      graph: [behind, 'Overdue, as seen by lists'],
      // A stream mapping that is disabled or lacks a permission invokes no function, so the alarms above have
      // no data and stay silent.
      alarm: { section: 'IndexUpdateOverdue', threshold: fiveMinutes.toMilliseconds(), isEverywhere: true },
    },
    {
      metric: lineMetric([fn], 'IndexUpdateFailures', 'level', 'ERROR'),
      graph: ['Errors in five minutes', 'Index updates: failed'],
      // An organization that cannot be indexed fails every 12 s, 25 times in a period. Single failures are
      // harmless.
      alarm: { section: 'IndexUpdateFailures', threshold: 5, isEverywhere: true },
    },
    {
      metric: logMetric([fn, list], 'OtherTerms', otherTerms),
      // A rebuild after a deployment takes minutes.
      alarm: { section: 'OtherTerms', threshold: 1, periods: 3 },
    },
    queueMeasure(deadLetters, 'DeadLetters'),
    ...(hasMedia ? [mediaMeasure(fn)] : []),
  ];
}

/**
 * The bytes of an erased testimonial must be gone within a minute. A failed deletion is retried for 23 hours.
 */
function mediaMeasure(fn: ServiceFunction): Measure {
  return {
    metric: lineMetric([fn], 'MediaFailures', 'message', mediaFailedMessage),
    graph: ['Errors in five minutes', 'Media: not kept or deleted'],
    alarm: { section: 'MediaFailures', threshold: 3, isUrgent: true },
  };
}

function eventMeasures({ function: fn, deadLetters, undelivered }: Events, index: IndexFunction): Measure[] {
  const events = 'Events in five minutes';
  const hourly = { period: Duration.hours(1), statistic: Stats.SUM };
  const indexed = index.function.live.metricInvocations(hourly);
  const usingMetrics = { indexed, published: fn.metricInvocations(hourly) };
  return [
    {
      // The index function receives no record that this function does not receive.
      metric: new MathExpression({
        expression: 'IF(FILL(published, 0) == 0, indexed, 0)',
        usingMetrics,
        ...hourly,
      }),
      // The metric follows ten seconds later, which may be in the next hour.
      alarm: { section: 'EventsStopped', threshold: 1, periods: 24, raisedIn: 2, isEverywhere: true },
    },
    {
      metric: fn.metric('IteratorAge', maximum),
      graph: ['Lag of events, milliseconds', 'Stream'],
      // Events are usually published within seconds.
      alarm: { section: 'EventsAge', threshold: Duration.minutes(3).toMilliseconds() },
    },
    { metric: fieldMetric<EventsLine>(fn, 'EventsPublished', 'published'), graph: [events, 'Published'] },
    queueMeasure(deadLetters, 'EventsGivenUp', [events, 'Given up']),
    queueMeasure(undelivered, 'EventsUndelivered', [events, 'Undelivered']),
  ];
}

/** Counts the messages in a dead-letter queue. The first one raises the alarm. */
function queueMeasure(queue: Queue, section: AlarmSection, graph?: Measure['graph']): Measure {
  const metric = queue.metricApproximateNumberOfMessagesVisible(maximum);
  return { metric, ...(graph && { graph }), alarm: { section, threshold: 1, isEverywhere: true } };
}
