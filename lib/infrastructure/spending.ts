/** What the service costs by the hour, estimated from what AWS measures at the list prices of us-east-1. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { nanodollarsOf, prices } from '../../functions/fair-use/prices.ts';
import { functionsOf, listReadUnits, nameInMath, type Watched } from './measures.ts';
import type { ServiceFunction } from './service-function.ts';

const hour = Duration.hours(1);
const hourly = { period: hour, statistic: Stats.SUM };

/** Dollars an hour of each function, of the table and of requests; without storage, logs and traffic. */
export function spending(watched: Watched): MathExpression[] {
  const { stage, api, table } = watched;
  const listReads = new Metric({
    namespace: stage.metricsNamespace,
    metricName: listReadUnits,
    ...hourly,
  });
  const reads = ofTable(table, 'ConsumedReadCapacityUnits');
  const writes = ofTable(table, 'ConsumedWriteCapacityUnits');
  const requests = api.httpApi.metricCount(hourly);
  return [
    ...functionsOf(watched).map(ofFunction),
    dollars('Reads of lists', `FILL(listReads, 0) * ${prices.readUnit}`, { listReads }),
    dollars('Other reads', `(reads - FILL(listReads, 0)) * ${prices.readUnit}`, { reads, listReads }),
    dollars('Writes', `writes * ${prices.writeUnit}`, { writes }),
    dollars('Requests', `FILL(requests, 0) * ${prices.request}`, { requests }),
  ];
}

/** Its invocations and their time. */
function ofFunction(fn: ServiceFunction): MathExpression {
  const name = nameInMath(fn.node.id);
  const [count, milliseconds] = [`${name}Count`, `${name}Milliseconds`];
  const price = (prices.gigabyteMillisecond * fn.megabytes) / 1024;
  return dollars(
    fn.node.id,
    `FILL(${count}, 0) * ${prices.invocation} + FILL(${milliseconds}, 0) * ${price}`,
    { [count]: fn.metricInvocations(hourly), [milliseconds]: fn.metricDuration(hourly) },
  );
}

/** The units of the table and of its indexes, which DynamoDB counts apart. */
function ofTable(
  { tableName }: Watched['table'],
  metricName: 'ConsumedReadCapacityUnits' | 'ConsumedWriteCapacityUnits',
): MathExpression {
  const name = `MetricName="${metricName}" TableName="${tableName}"`;
  const search = (dimensions: string) =>
    `FILL(SUM(SEARCH('{AWS/DynamoDB,${dimensions}} ${name}', 'Sum', ${hour.toSeconds()})), 0)`;
  const expression = `${search('TableName')} + ${search('TableName,GlobalSecondaryIndexName')}`;
  return new MathExpression({ expression, period: hour });
}

/** An amount of dollars, where the expression gives it in nanodollars. */
function dollars(
  label: string,
  inNanodollars: string,
  usingMetrics: Record<string, IMetric>,
): MathExpression {
  const expression = `(${inNanodollars}) / ${nanodollarsOf(1)}`;
  return new MathExpression({ expression, label, usingMetrics, period: hour });
}
