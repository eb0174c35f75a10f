/** The dashboard: what the service does, how well, how far its index is, and what it costs. */
import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  PeriodOverride,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { foldMetrics } from '../../functions/index-testimonials/fold-metrics.ts';
import { indexFaultMetrics, listMetrics } from '../../functions/list-testimonials/list-cost.ts';
import { eventMetrics } from '../../functions/publish-events/event-metrics.ts';
import type { Alarms } from './alarms.ts';
import type { Events } from './events.ts';
import type { ServiceFunction } from './service-function.ts';
import { fiveMinutes, ownMetric, searchOf, sumOfOperations } from './service-metrics.ts';
import { spending } from './spending.ts';
import type { Stage } from './stage.ts';
import type { TestimonialsApi } from './testimonials-api.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

export interface ServiceDashboardProps {
  stage: Stage;
  api: TestimonialsApi;
  create: ServiceFunction;
  list: ServiceFunction;
  /** The function that keeps the list index. */
  index: ServiceFunction;
  /** Where the deployment has them. */
  events: Events | undefined;
  table: TestimonialsTable['table'];
  alarms: Alarms;
}

export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    new Dashboard(this, 'Dashboard', {
      dashboardName: `testimonials-${props.stage.name}`,
      defaultInterval: Duration.days(1),
      // A graph of dollars an hour stays one, however long the time that it shows.
      periodOverride: PeriodOverride.INHERIT,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: props.alarms.all, width: 24, height: 4 })],
        [traffic(props), errors(props)],
        [latency(props), duration(props)],
        ofLists(props),
        ofFolds(props),
        ...(props.events ? [ofEvents(props.stage, props.events)] : []),
        [graph('Dollars an hour', spending(props), { isStacked: true, width: 24 })],
      ],
    });
  }
}

const width = 12;

function graph(
  title: string,
  left: IMetric[],
  { isStacked = false, ...more }: { isStacked?: boolean; width?: number } = {},
): GraphWidget {
  const leftYAxis = { min: 0, showUnits: false };
  return new GraphWidget({ title, left, stacked: isStacked, leftYAxis, width, ...more });
}

function functionsOf({ create, list, index, events }: ServiceDashboardProps): ServiceFunction[] {
  return [create, list, index, ...(events ? [events.function] : [])];
}

const sum = { period: fiveMinutes, statistic: Stats.SUM };

function traffic(props: ServiceDashboardProps): IWidget {
  const requests = props.api.httpApi.metricCount({ ...sum, label: 'Requests' });
  const invocations = functionsOf(props).map((fn) => fn.metricInvocations({ ...sum, label: fn.node.id }));
  return graph('Requests and invocations in five minutes', [requests, ...invocations]);
}

function errors(props: ServiceDashboardProps): IWidget {
  const { stage, api, list, table } = props;
  return graph('Errors in five minutes', [
    api.httpApi.metricClientError({ ...sum, label: '4xx' }),
    api.httpApi.metricServerError({ ...sum, label: '5xx' }),
    ownMetric(stage, list, listMetrics.notReady, { statistic: Stats.SUM, label: 'Lists that are not ready' }),
    ...functionsOf(props).flatMap((fn) => [
      fn.metricErrors({ ...sum, label: `${fn.node.id}: errors` }),
      fn.metricThrottles({ ...sum, label: `${fn.node.id}: throttled` }),
    ]),
    sumOfOperations(table, 'ThrottledRequests', 'DynamoDB: throttled'),
    sumOfOperations(table, 'SystemErrors', 'DynamoDB: errors'),
  ]);
}

function latency({ api: { httpApi } }: ServiceDashboardProps): IWidget {
  const at = (percentile: number) => ({ period: fiveMinutes, statistic: Stats.p(percentile) });
  return graph('Latency, milliseconds', [
    httpApi.metricLatency({ ...at(50), label: 'p50' }),
    httpApi.metricLatency({ ...at(99), label: 'p99' }),
    httpApi.metricIntegrationLatency({ ...at(99), label: 'p99 of the functions' }),
  ]);
}

function duration(props: ServiceDashboardProps): IWidget {
  const metrics = functionsOf(props).map((fn) =>
    fn.metricDuration({ period: fiveMinutes, statistic: Stats.p(99), label: fn.node.id }),
  );
  return graph('Duration of functions, p99, milliseconds', metrics);
}

function ofLists({ stage, list }: ServiceDashboardProps): IWidget[] {
  const byRows = (metricName: string, statistic: string) =>
    new MathExpression({
      expression: searchOf(stage, list, metricName, statistic),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudWatch fills it in.
      label: "${PROP('Dim.rows')}",
      period: fiveMinutes,
    });
  return [
    graph('Lists in five minutes, by how their rows are found', [
      byRows(listMetrics.readUnits, Stats.SAMPLE_COUNT),
    ]),
    graph('Read units of a list, by how its rows are found', [byRows(listMetrics.readUnits, Stats.AVERAGE)]),
  ];
}

function ofFolds({ stage, list, index }: ServiceDashboardProps): IWidget[] {
  const of = (metricName: string, label: string) =>
    ownMetric(stage, index, metricName, { statistic: Stats.SUM, label });
  return [
    graph('How far the list index is behind, milliseconds', [
      index.metric('IteratorAge', { period: fiveMinutes, statistic: Stats.MAXIMUM, label: 'Stream' }),
      ownMetric(stage, index, foldMetrics.lag, { statistic: Stats.MAXIMUM, label: 'Folds' }),
      ownMetric(stage, list, indexFaultMetrics.lag, { statistic: Stats.MAXIMUM, label: 'As lists see it' }),
    ]),
    graph('Folded in five minutes', [
      of(foldMetrics.testimonials, 'Testimonials'),
      of(foldMetrics.changes, 'Changes'),
      of(foldMetrics.postings, 'Postings written'),
      of(foldMetrics.failures, 'Failures'),
    ]),
  ];
}

function ofEvents(stage: Stage, { function: fn, deadLetters, undelivered }: Events): IWidget[] {
  const given = { period: fiveMinutes, statistic: Stats.MAXIMUM };
  return [
    graph('How far events are behind, milliseconds', [
      fn.metric('IteratorAge', { ...given, label: 'Stream' }),
    ]),
    graph('Events in five minutes', [
      ownMetric(stage, fn, eventMetrics.told, { statistic: Stats.SUM, label: 'Told' }),
      deadLetters.metricApproximateNumberOfMessagesVisible({ ...given, label: 'Given up' }),
      ...(undelivered
        ? [undelivered.metricApproximateNumberOfMessagesVisible({ ...given, label: 'Not delivered' })]
        : []),
    ]),
  ];
}
