/**
 * Kills the local service fifty times while it creates, moderates and erases: nothing acknowledged is lost,
 * nothing erased comes back, and no list is wrong.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { type Status, statuses, type Testimonial } from '../../functions/domain/testimonial.ts';
import { comparison, sortNames } from '../../functions/domain/testimonial-order.ts';
import { openTable } from '../../functions/dynamodb/table.ts';
import { changeTestimonial } from '../../functions/testimonials/operations/change-testimonial.ts';
import { eraseTestimonial } from '../../functions/testimonials/operations/erase-testimonial.ts';
import { localClientConfig, localTableName } from '../../lib/local-runner/settings.ts';
import { storesOf, testimonialBody } from '../api-client.ts';
import { isolated, jsonOf, type ServiceProcess, startService } from '../service/service-process.ts';
import { createWorld } from '../world/world.ts';

const kills = Number(process.env.KILLS ?? 50);
const organization = 'demo';

let dataDir: string;
let service: ServiceProcess | undefined;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'testimonials-kills-'));
});
afterAll(async () => {
  await service?.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

type State = Status | 'erased';

/** The acknowledged testimonials, each with its possible states. */
const acknowledged = new Map<string, State[]>();

const states: readonly State[] = [...statuses, 'erased'];

/** Creates, moderates and erases until the service is gone. */
async function work({ url, token, endpoint, process }: ServiceProcess, seed: number): Promise<void> {
  const table = openTable(localTableName, { config: localClientConfig(endpoint) });
  const { testimonials } = storesOf(table);
  const create = async () => {
    for (;;) {
      const answer = await fetch(`${url}/v1/testimonials`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(testimonialBody()),
      });
      if (answer.status !== 201) return;
      acknowledged.set((await jsonOf<Testimonial>(answer)).id, ['pending']);
    }
  };
  const moderate = async (nth: number) => {
    for (let i = nth; process.exitCode === null && process.signalCode === null; i += 1) {
      const ids = [...acknowledged.keys()];
      const id = ids[(i * 7919) % Math.max(ids.length, 1)];
      const state = states[i % states.length];
      const before = acknowledged.get(id ?? '') ?? [];
      if (id === undefined || state === undefined || before.every((each) => each === 'erased')) {
        await wait(5);
        continue;
      }
      // Until the response, the change may be made or not.
      acknowledged.set(id, [...before, state]);
      acknowledged.set(id, [await bring(id, state)]);
    }
  };
  const deps = { testimonials, now: table.now };
  const bring = async (id: string, state: State): Promise<State> => {
    if (state === 'erased') {
      await eraseTestimonial(deps, organization, id);
      return state;
    }
    const { kind } = await changeTestimonial(deps, organization, id, { status: state });
    // It was erased when the service was killed before.
    return kind === 'absent' ? 'erased' : state;
  };
  // All of them end with the service. Only one works on each testimonial, so that its order of changes is
  // known.
  await Promise.allSettled([create(), create(), moderate(seed)]);
  table.client.destroy();
}

/** Compares table, secondary indexes and lists with the acknowledged states, and with each other. */
async function check({ endpoint }: ServiceProcess): Promise<void> {
  const table = openTable(localTableName, { config: localClientConfig(endpoint) });
  const world = await createWorld(storesOf(table), { organization });
  const stored = await world.stored();
  const byId = new Map(stored.map((each) => [each.testimonial.id, each]));
  for (const [id, possible] of acknowledged) {
    expect(possible).toContain(byId.get(id)?.testimonial.status ?? 'erased');
  }
  for (const sort of sortNames) {
    for (const status of [undefined, ...statuses]) {
      const options = { ...(status && { status }), sort, order: 'asc', limit: 1000 } as const;
      const rows = (await Array.fromAsync(world.backend.testimonials.walk(organization, options))).flat();
      const walked = rows.map((row) => row.stored);
      // Only the table has the decision.
      const inTable = stored.map(({ decision: _, ...row }) => row);
      const has = ({ testimonial }: StoredTestimonial) =>
        status === undefined || testimonial.status === status;
      expect(walked).toEqual(inTable.filter(has).sort(comparison(sort, 'asc')));
      const query = { filter: status ? { status } : {}, sort, order: 'desc', page: 1, limit: 100 } as const;
      expect(await world.list(query)).toEqual(await world.expected(query));
    }
  }
  table.client.destroy();
}

test(`${kills} kills`, async () => {
  for (let kill = 0; kill < kills; kill += 1) {
    service = await startService(isolated(dataDir));
    await check(service);
    const before = acknowledged.size;
    const working = work(service, kill);
    // Waits for the first response, then kills at another moment each time.
    while (acknowledged.size === before) await wait(10);
    await wait((kill * 37) % 400);
    await service.end('SIGKILL');
    await working;
  }
  service = await startService(isolated(dataDir));
  await check(service);
  expect(acknowledged.size).toBeGreaterThanOrEqual(kills);
  expect([...acknowledged.values()].filter(([state]) => state === 'erased').length).toBeGreaterThan(0);

  // At the end the index equals a new one.
  const table = openTable(localTableName, { config: localClientConfig(service.endpoint) });
  const world = await createWorld(storesOf(table), { organization });
  world.clock.time = Date.now();
  await world.settle();
  expect(await world.differences()).toEqual([]);
  table.client.destroy();
});
