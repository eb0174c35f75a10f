/** What a list cost, and what it met: log lines that CloudWatch also reads as metrics (Embedded Metric Format). */
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { ListExplanation } from '../operations/list-testimonials.ts';
import type { Cost } from '../persistence/cost-meter.ts';

/** The metrics of a list, by the way its rows were found. Alarms name them. */
export const listMetrics = {
  readUnits: 'ListReadUnits',
  rounds: 'ListRounds',
  /** Testimonials read because the index did not have them yet. */
  unindexed: 'ListUnindexed',
  /** 1 when the function remembered the index head, otherwise 0. */
  rememberedHead: 'ListRememberedHead',
  /** Lists that were refused until the index has what they ask for. */
  notReady: 'ListNotReady',
} as const;

/** What is wrong with the list index as lists meet it, and no list that meets nothing wrong says. Alarms name them. */
export const indexFaultMetrics = {
  /** How long an update of the index is due, in milliseconds. */
  lag: 'ListIndexLag',
  /** Lists by postings that were made by other rules than those of this version. */
  otherTerms: 'ListOtherTerms',
} as const;

/** Counts a list that was refused, apart from what fails. */
export function publishNotReady(metrics: Metrics): void {
  metrics.addMetric(listMetrics.notReady, MetricUnit.Count, 1);
  metrics.publishStoredMetrics();
}

export function publishListCost(
  metrics: Metrics,
  { units, writeUnits, rounds, requests }: Cost,
  { rows, unindexed, isWarm }: ListExplanation,
  request: { organization: string; requestId: string },
): void {
  metrics.addDimension('rows', rows.by);
  metrics.addMetric(listMetrics.readUnits, MetricUnit.Count, units - writeUnits);
  metrics.addMetric(listMetrics.rounds, MetricUnit.Count, rounds);
  metrics.addMetric(listMetrics.unindexed, MetricUnit.Count, unindexed);
  metrics.addMetric(listMetrics.rememberedHead, MetricUnit.Count, isWarm ? 1 : 0);
  // Not dimensions: there are more organizations than CloudWatch should count apart.
  metrics.addMetadata('requests', String(requests));
  metrics.addMetadata('organization', request.organization);
  metrics.addMetadata('requestId', request.requestId);
  metrics.publishStoredMetrics();
}

/**
 * Says what is wrong with the index of an organization: by the function alone, since an alarm cannot look for dimensions, and
 * in lines of their own, so that what is usual costs nothing.
 */
export function publishIndexFaults(
  metrics: Metrics,
  { dueSince, hasOtherTerms }: ListExplanation,
  { organization, now }: { organization: string; now: Date },
): void {
  const publish = (name: string, unit: (typeof MetricUnit)[keyof typeof MetricUnit], value: number) => {
    const metric = metrics.singleMetric();
    metric.addMetadata('organization', organization);
    metric.addMetric(name, unit, value);
  };
  if (dueSince !== undefined) {
    const lagMs = Math.max(0, now.getTime() - Date.parse(dueSince));
    publish(indexFaultMetrics.lag, MetricUnit.Milliseconds, lagMs);
  }
  if (hasOtherTerms) publish(indexFaultMetrics.otherTerms, MetricUnit.Count, 1);
}
