/** The monthly bill in docs/costs.md, computed from the prices of fair use, the template and CloudWatch's prices. */
import { describe, expect, test } from '@jest/globals';
import { costOf, dollarsOf, prices } from '../../functions/fair-use/prices.ts';
import { tableOf } from '../operations-page.ts';
import { lineBytes, synthesizeWith } from './synthesized.ts';

/** Dollars in us-east-1 (https://aws.amazon.com/cloudwatch/pricing/), without the free tier. */
const cloudWatch = { gigabyteOfLogs: 0.5, metric: 0.3, watchedMetric: 0.1, dashboard: 3 };

/** Added by CloudWatch to each line (https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html). */
const lineOverheadBytes = 26;

const million = 1e6;
const nothing = { bytesIn: 0, readUnits: 0, writeUnits: 0, postings: 0 };

/** First pages of 25, compressed, and creates, with the figures of the benchmark. */
const lists = { ...nothing, count: 10 * million, milliseconds: 10, readUnits: 7, bytesOut: 6033 };
const creates = { ...nothing, count: million, milliseconds: 17, writeUnits: 8, bytesOut: 700 };
const requests = [lists, creates];

/** Postings for a create: a thousand creates together, and one by one. */
const postings = [10, 58] as const;

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** Returns the dollars of all requests, by the nanodollars of each. */
function dollarsOfRequests(nanodollars: (request: (typeof requests)[number]) => number): number {
  return dollarsOf(sum(requests.map((request) => request.count * nanodollars(request))));
}

const charged = {
  'Requests at the gateway': dollarsOfRequests(() => prices.request),
  'Functions of the API': dollarsOfRequests(
    ({ milliseconds }) => prices.invocation + milliseconds * prices.gigabyteMillisecond,
  ),
  'Reads and writes': dollarsOfRequests(
    ({ readUnits, writeUnits }) => readUnits * prices.readUnit + writeUnits * prices.writeUnit,
  ),
};
const indexUpdates = postings.map((each) =>
  dollarsOf(creates.count * each * (prices.readUnit + prices.writeUnit)),
);
const traffic = dollarsOfRequests(({ bytesOut }) => bytesOut * prices.byteOut);

const [prod, dev] = [synthesizeWith({ stage: 'prod' }), synthesizeWith()];

/** Each metric of an alarm is charged, also within an expression. */
function alarmsOf({ all }: typeof prod): number {
  const watched = all('CloudWatch::Alarm').map(
    ({ Properties: { Metrics } }): number =>
      Metrics?.filter((each: { MetricStat?: object }) => each.MetricStat).length ?? 1,
  );
  return sum(watched) * cloudWatch.watchedMetric;
}
const dashboardsOf = ({ all }: typeof prod) => all('CloudWatch::Dashboard').length * cloudWatch.dashboard;

/** Returns a line of the gateway's log with long fields. */
function lineOfGateway(): string {
  const values: Record<string, string> = {
    requestId: 'JKJaXmPLvHcESHA=',
    routeKey: 'POST /v1/testimonials',
    status: '200',
    responseLength: '5045',
    responseLatency: '142',
    integrationLatency: '140',
    integrationErrorMessage: '-',
    'identity.sourceIp': '2001:db8:85a3:8d3:1319:8a2e:370:7348',
    'identity.userAgent': 'a'.repeat(110),
  };
  const { Format }: { Format: string } = prod.one('ApiGatewayV2::Stage').Properties.AccessLogSettings;
  return Format.replaceAll(/\$context\.([\w.]+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The gateway's log has another field: ${name}`);
    return value;
  });
}

const requestsInAll = sum(requests.map(({ count }) => count));
const bytesOfLines = lineBytes + lineOfGateway().length + 2 * lineOverheadBytes;
// Filters that count lines count problems, and make no metric without one.
const numbersInLines = prod
  .all('Logs::MetricFilter')
  .flatMap(({ Properties }) => Properties.MetricTransformations)
  .filter(({ MetricValue }) => MetricValue.startsWith('$.'));
const additional = {
  'Lines of logs': (requestsInAll * bytesOfLines * cloudWatch.gigabyteOfLogs) / 1e9,
  'Metrics of these lines': numbersInLines.length * cloudWatch.metric,
  Alarms: alarmsOf(prod),
  'The dashboard': dashboardsOf(prod),
  'Sums of fair use': dollarsOf(requestsInAll * prices.writeUnit),
  Traffic: traffic,
};

const dollars = (amount: number) => `$${amount.toFixed(2)}`;

describe('the bill of a month', () => {
  test('matches docs/costs.md', () => {
    const chargedInAll = sum(Object.values(charged));
    const range = (base: number) => indexUpdates.map((each) => dollars(base + each)).join(' to ');
    const rows = [
      ...Object.entries(charged).map(([what, amount]) => [what, dollars(amount)]),
      ['Updates of the list index', range(0)],
      ['**Requests, in all**', `**${range(chargedInAll)}**`],
      ...Object.entries(additional).map(([what, amount]) => [what, dollars(amount)]),
      ['**Additional, in all**', `**${dollars(sum(Object.values(additional)))}**`],
      ['**A protected stage without requests**', `**${dollars(alarmsOf(prod) + dashboardsOf(prod))}**`],
      ['**Any other stage without requests**', `**${dollars(alarmsOf(dev) + dashboardsOf(dev))}**`],
    ];
    expect(tableOf('What a month costs').map(([what, amount]) => [what, amount])).toEqual(rows);
  });

  test('equals the charges of fair use for the same requests, and at most $26 more', () => {
    const byFairUse = dollarsOf(sum(requests.map((request) => request.count * costOf(request))));
    expect(Math.abs(sum(Object.values(charged)) + traffic - byFairUse)).toBeLessThan(0.02);
    expect(sum(Object.values(additional))).toBeLessThanOrEqual(26);
  });

  test('is a few dollars for an idle protected stage, and almost nothing for any other', () => {
    expect(alarmsOf(prod) + dashboardsOf(prod)).toBeLessThanOrEqual(7);
    expect(alarmsOf(dev) + dashboardsOf(dev)).toBeLessThanOrEqual(2);
  });
});
