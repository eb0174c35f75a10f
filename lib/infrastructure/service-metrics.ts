/** The metrics of the service, as alarms and the dashboard read them. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Operation } from 'aws-cdk-lib/aws-dynamodb';
import type { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

export const fiveMinutes = Duration.minutes(5);

/** A metric that a function publishes itself, of five minutes. */
export function ownMetric(
  { metricsNamespace }: Stage,
  fn: ServiceFunction,
  metricName: string,
  { statistic, ...more }: { statistic: string; label?: string; dimensions?: Record<string, string> },
): Metric {
  const { dimensions = {}, ...rest } = more;
  return new Metric({
    namespace: metricsNamespace,
    metricName,
    dimensionsMap: { service: fn.node.id, ...dimensions },
    statistic,
    period: fiveMinutes,
    ...rest,
  });
}

/** Searches for a metric of a function by the way the rows of its lists were found: for graphs, alarms cannot search. */
export function searchOf(
  { metricsNamespace }: Stage,
  fn: ServiceFunction,
  metricName: string,
  statistic: string,
  period = fiveMinutes,
): string {
  const what = `{${metricsNamespace},service,rows} MetricName="${metricName}" service="${fn.node.id}"`;
  return `SEARCH('${what}', '${statistic}', ${period.toSeconds()})`;
}

/**
 * The sum of metrics that have data only when something happens: without FILL, one that has none makes the sum have none
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html).
 */
export function sumOf(metrics: Record<string, IMetric>, label: string): MathExpression {
  const filled = Object.keys(metrics).map((name) => `FILL(${name}, 0)`);
  return new MathExpression({
    expression: `SUM([${filled.join(', ')}])`,
    usingMetrics: metrics,
    label,
    period: fiveMinutes,
  });
}

// All that any function calls.
const tableOperations = [
  ...[Operation.GET_ITEM, Operation.BATCH_GET_ITEM, Operation.QUERY],
  ...[Operation.PUT_ITEM, Operation.UPDATE_ITEM, Operation.DELETE_ITEM, Operation.BATCH_WRITE_ITEM],
];

/** The sum of a metric of the table over all operations. */
export function sumOfOperations(
  table: TestimonialsTable['table'],
  metricName: 'ThrottledRequests' | 'SystemErrors',
  label: string,
): MathExpression {
  const ofOperations = tableOperations.map((Operation) => {
    const metric = new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName, Operation },
      statistic: Stats.SUM,
      period: fiveMinutes,
    });
    return [`${nameInMath(metricName)}${Operation}`, metric];
  });
  return sumOf(Object.fromEntries(ofOperations), label);
}

/** A name for metric math, where names begin with a small letter; in a graph no two metrics have the same. */
export function nameInMath(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
