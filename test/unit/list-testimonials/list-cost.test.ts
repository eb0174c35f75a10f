import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, expect, jest, test } from '@jest/globals';
import { publishIndexFaults, publishListCost } from '../../../functions/list-testimonials/list-cost.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

function printing() {
  // So it prints on the console, which a test can listen to, and not straight on the standard output.
  Object.assign(process.env, { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false' });
  const metrics = new Metrics({ namespace: 'Testimonials', serviceName: 'list' });
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  return { metrics, lines: () => printed.mock.calls.map(([line]) => JSON.parse(String(line))) };
}

test('each list is one line of metrics by the way its rows were found; its organization is none of the dimensions', () => {
  const { metrics, lines: printed } = printing();
  const cost = { units: 5.5, writeUnits: 1, rounds: 2, requests: 3 };
  const of = (requestId: string) => ({ organization: 'acme', requestId });
  publishListCost(metrics, cost, { rows: { by: 'walk' }, unindexed: 7, isWarm: true } as never, of('r-1'));
  publishListCost(
    metrics,
    cost,
    { rows: { by: 'ordinal' }, unindexed: 0, isWarm: false } as never,
    of('r-2'),
  );

  const lines = printed();
  expect(lines).toMatchObject([
    {
      ...{ service: 'list', rows: 'walk', organization: 'acme', requestId: 'r-1', requests: '3' },
      ...{ ListReadUnits: 4.5, ListRounds: 2, ListUnindexed: 7, ListRememberedHead: 1 },
    },
    { rows: 'ordinal', requestId: 'r-2', ListUnindexed: 0, ListRememberedHead: 0 },
  ]);
  for (const { _aws } of lines) {
    expect(_aws.CloudWatchMetrics).toMatchObject([
      { Namespace: 'Testimonials', Dimensions: [['service', 'rows']] },
    ]);
  }
});

test('what is wrong with the index has lines of its own, by the function alone', () => {
  const { metrics, lines } = printing();
  const now = new Date('2026-01-15T10:05:00.000Z');
  const publish = (faults: { dueSince: string | undefined; hasOtherTerms: boolean }) =>
    publishIndexFaults(metrics, faults as never, { organization: 'acme', now });
  publish({ dueSince: undefined, hasOtherTerms: false });
  expect(lines()).toEqual([]);

  publish({ dueSince: '2026-01-15T10:00:00.000Z', hasOtherTerms: true });
  expect(lines()).toMatchObject([
    { service: 'list', organization: 'acme', ListIndexLag: 300_000 },
    { service: 'list', organization: 'acme', ListOtherTerms: 1 },
  ]);
  for (const { _aws } of lines()) {
    expect(_aws.CloudWatchMetrics).toMatchObject([{ Namespace: 'Testimonials', Dimensions: [['service']] }]);
  }
});
