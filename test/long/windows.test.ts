import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { openTable, type Table } from '../../functions/dynamodb/table.ts';
import type { ListBody } from '../../functions/list-testimonials/list-body.ts';
import { indexStore } from '../../functions/testimonials/table/index-store.ts';
import { localClientConfig, localTableName } from '../../lib/local-runner/settings.ts';
import { testimonialBody } from '../api-client.ts';
import { isolated, jsonOf, type ServiceProcess, startService } from '../service/service-process.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'testimonials-index-'));
// Without them, its organization is empty.
const alone = ['-c', 'desk=false', '-c', 'pages=false', '-c', 'media=false'];
let service: ServiceProcess;
let table: Table;

afterAll(async () => {
  table?.client.destroy();
  await service?.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

async function start() {
  await service?.end('SIGKILL');
  service = await startService(isolated(dataDir), [], alone);
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
/** Waits for a condition; meanwhile expects right lists, by their queries. */
async function until(condition: () => Promise<boolean>, lists: Record<string, Testimonial[]>) {
  for (let isMet = false; !isMet; await wait(250)) {
    isMet = await condition();
    for (const [query, expected] of Object.entries(lists)) {
      expect([query, await listed(query)]).toEqual([query, expected.map(({ id }) => id)]);
    }
  }
}

test('the service indexes testimonials that a signal or a crash left, and new ones, and lists are right all the time', async () => {
  await start();
  const first = await create('Left by a signal');
  expect(await service.end('SIGTERM')).toBe(0);
  await start();
  const second = await create('Left by a crash');
  expect(await service.end('SIGKILL')).toBeNull();
  await start();
  // Without a new write.
  await until(() => isIndexed(second), { 'search=left': [second, first] });

  const third = await create('Left alone');
  await until(() => isIndexed(third), { 'search=left': [third, second, first], 'search=crash': [second] });
});
