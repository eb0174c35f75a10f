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
    const dimensionsMap = { TableName: table.tableName, Operation };
    const metric = table.metric(metricName, { dimensionsMap, statistic: Stats.SUM, period: fiveMinutes });
    // Names in an expression begin with a small letter.
    return [Operation.charAt(0).toLowerCase() + Operation.slice(1), metric];
  });
  return sumOf(Object.fromEntries(ofOperations), label);
}
