/** What the service costs by the hour, estimated from what AWS measures at the list prices of us-east-1. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { nanodollarsOf, prices } from '../../functions/fair-use/prices.ts';
import { listMetrics } from '../../functions/list-testimonials/list-cost.ts';
import type { Events } from './events.ts';
import type { ServiceFunction } from './service-function.ts';
import { nameInMath, searchOf } from './service-metrics.ts';
import type { Stage } from './stage.ts';
import type { TestimonialsApi } from './testimonials-api.ts';
import type { TestimonialsTable } from './testimonials-table.ts';

export interface SpendingProps {
  stage: Stage;
  api: TestimonialsApi;
  create: ServiceFunction;
  list: ServiceFunction;
  index: ServiceFunction;
  events: Events | undefined;
  table: TestimonialsTable['table'];
}

const hour = Duration.hours(1);
const hourly = { period: hour, statistic: Stats.SUM };

/** Dollars an hour of each function, of the table and of requests; without storage, logs and traffic. */
export function spending({
  stage,
  api,
  create,
  list,
  index,
  events,
  table,
}: SpendingProps): MathExpression[] {
  const requests = api.httpApi.metricCount(hourly);
  const listReads = total(`SUM(${searchOf(stage, list, listMetrics.readUnits, Stats.SUM, hour)})`);
  const reads = ofTable(table, 'ConsumedReadCapacityUnits');
  const writes = ofTable(table, 'ConsumedWriteCapacityUnits');
  return [
    ...[create, list, index, ...(events ? [events.function] : [])].map(ofFunction),
    dollars('Reads of lists', `FILL(listReads, 0) * ${prices.readUnit}`, { listReads }),
    dollars('Other reads', `(reads - FILL(listReads, 0)) * ${prices.readUnit}`, {
      reads,
      listReads,
    }),
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

/** Of the table and of its indexes, which DynamoDB counts apart. */
function ofTable(
  table: TestimonialsTable['table'],
  metricName: 'ConsumedReadCapacityUnits' | 'ConsumedWriteCapacityUnits',
): MathExpression {
  const name = `MetricName="${metricName}" TableName="${table.tableName}"`;
  const search = (dimensions: string) =>
    `FILL(SUM(SEARCH('{AWS/DynamoDB,${dimensions}} ${name}', 'Sum', ${hour.toSeconds()})), 0)`;
  return total(`${search('TableName')} + ${search('TableName,GlobalSecondaryIndexName')}`);
}

function total(expression: string): MathExpression {
  return new MathExpression({ expression, period: hour });
}

/** An amount of dollars, where the expression gives it in nanodollars. */
function dollars(label: string, expression: string, usingMetrics: Record<string, IMetric>): MathExpression {
  return new MathExpression({
    expression: `(${expression}) / ${nanodollarsOf(1)}`,
    label,
    usingMetrics,
    period: hour,
  });
}
