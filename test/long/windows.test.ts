import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import type { ListBody } from '../../functions/list-testimonials/contract.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { openTable, type Table } from '../../functions/persistence/table.ts';
import { localClientConfig, localTableName } from '../../lib/local-runner/settings.ts';
import { testimonialBody } from '../api-client.ts';
import { isolated, jsonOf, runEntry, type ServiceProcess, startService } from '../service/service-process.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'testimonials-index-'));
let service: ServiceProcess;
let table: Table;

afterAll(async () => {
  table?.client.destroy();
  await service?.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

async function start() {
  await service?.end('SIGKILL');
  service = await startService(isolated(dataDir));
  table?.client.destroy();
  table = openTable(localTableName, { config: localClientConfig(service.endpoint) });
}

function call(query: string, request: { method?: string; body?: string } = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  return fetch(`${service.url}/v1/testimonials${query}`, { headers, ...request });
}

/** Creates a testimonial that is long enough for an index update of its own. */
async function create(text: string): Promise<Testimonial> {
  const content = `${text} ${'€'.repeat(6000)}`;
  const answer = await call('', { method: 'POST', body: JSON.stringify(testimonialBody({ content })) });
  expect(answer.status).toBe(201);
  return jsonOf<Testimonial>(answer);
}

async function listed(query: string): Promise<string[]> {
  const answer = await call(`?${query}`);
  const { testimonials, pagination } = await jsonOf<ListBody>(answer);
  expect(pagination.total).toBe(testimonials.length);
  return testimonials.map(({ id }) => id);
}

const isIndexed = async (testimonial: Testimonial) =>
  ((await indexStore(table).readHead('demo'))?.indexed ?? 0) > ordinalOf(testimonial.id);
const markers = async () => (await Array.fromAsync(testimonialStore(table).changeMarkers('demo'))).flat();

async function until(condition: () => Promise<boolean>, meanwhile = async () => {}) {
  while (!(await condition())) {
    await meanwhile();
    await wait(250);
  }
  await meanwhile();
}

/** Creates and approves testimonials, and expects right lists all the time. */
async function indexesWhatIsWritten() {
  const others = [await create('The first of these'), await create('The second of these')];
  const last = await create('The last of these');
  const ids = [last, ...others.toReversed()].map(({ id }) => id);
  await until(
    () => isIndexed(last),
    async () => {
      expect(await listed('search=of%20these')).toEqual(ids);
      expect(await listed('search=second')).toEqual([ids[1]]);
    },
  );

  const approved = await runEntry(
    ['bin/admin.ts', 'testimonial', 'approve', last.id, '--organization', 'demo'],
    isolated(dataDir, { DYNAMODB_ENDPOINT: service.endpoint }),
  );
  expect(approved.code).toBe(0);
  expect(await markers()).toHaveLength(1);
  await until(
    async () => (await markers()).length === 0,
    async () => {
      expect(await listed('status=approved&search=of%20these')).toEqual([last.id]);
      expect(await listed('status=pending&search=of%20these')).toEqual(ids.slice(1));
    },
  );
}

const left: Testimonial[] = [];

test('a signal ends the service at once, even while records wait for their batch', async () => {
  await start();
  left.push(await create('Left by a signal'));
  expect(await service.end('SIGTERM')).toBe(0);
});

test('testimonials left by a signal and a crash are indexed like new ones, and lists are right all the time', async () => {
  await start();
  left.push(await create('Left by a crash'));
  expect(await service.end('SIGKILL')).toBeNull();
  await start();
  expect(await listed('search=left')).toHaveLength(2);
  // Without a new write.
  for (const each of left) await until(() => isIndexed(each));
  await indexesWhatIsWritten();
  expect(await listed('search=left')).toHaveLength(2);
});
