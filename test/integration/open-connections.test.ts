import { costMeter } from '../../functions/persistence/cost-meter.ts';
import { openConnections } from '../../functions/persistence/open-connections.ts';
import { openTable } from '../../functions/persistence/table.ts';
import { localClientConfig } from '../../lib/local-runner/connection.ts';
import { createTestTable } from '../test-table.ts';

test('opens as many connections as asked for, by reading nothing, at once', async () => {
  const table = await createTestTable();
  const meter = costMeter(table.client);
  await openConnections(table, 3);
  expect(meter.cost()).toEqual({ rounds: 1, requests: 3, units: 1.5, writeUnits: 0 });
});

test('a database that cannot be reached stops no function from starting', async () => {
  const nowhere = openTable('testimonials', { config: localClientConfig('http://127.0.0.1:1') });
  await expect(openConnections(nowhere, 1)).resolves.toBeUndefined();
});
