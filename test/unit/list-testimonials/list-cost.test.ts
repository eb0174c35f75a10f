import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, expect, jest, test } from '@jest/globals';
import { publishListCost } from '../../../functions/list-testimonials/list-cost.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('each list is one line of metrics by the way its rows were found; its organization is none of the dimensions', () => {
  // So it prints on the console, which a test can listen to, and not straight on the standard output.
  Object.assign(process.env, { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false' });
  const metrics = new Metrics({ namespace: 'Testimonials', serviceName: 'list' });
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  const cost = { units: 4.5, rounds: 2, requests: 3 };
  const of = (requestId: string) => ({ organization: 'acme', requestId });
  publishListCost(metrics, cost, { rows: { by: 'walk' }, unindexed: 7, isWarm: true } as never, of('r-1'));
  publishListCost(
    metrics,
    cost,
    { rows: { by: 'ordinal' }, unindexed: 0, isWarm: false } as never,
    of('r-2'),
  );

  const lines = printed.mock.calls.map(([line]) => JSON.parse(String(line)));
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
