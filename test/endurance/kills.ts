/**
 * Kills the local service fifty times while it creates, moderates and erases, and while people send forms
 * with a photo and a recording: nothing acknowledged is lost, nothing erased comes back, no list is wrong,
 * and in the end every testimonial has its bytes and every object its testimonial.
 */
import { randomInt } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeRandomId } from '../../functions/domain/page.ts';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { type Status, statuses, type Testimonial } from '../../functions/domain/testimonial.ts';
import { comparison, sortNames } from '../../functions/domain/testimonial-order.ts';
import { without } from '../../functions/domain/without.ts';
import { openTable } from '../../functions/dynamodb/table.ts';
import { changeTestimonial } from '../../functions/testimonials/operations/change-testimonial.ts';
import { eraseTestimonial } from '../../functions/testimonials/operations/erase-testimonial.ts';
import { formFields } from '../../lib/check/contract/requests.ts';
import { localBucket } from '../../lib/local-runner/bucket.ts';
import { folderObjects } from '../../lib/local-runner/object-store.ts';
import { localClientConfig, localTableName } from '../../lib/local-runner/settings.ts';
import { storesOf, testimonialBody } from '../api-client.ts';
import { keysNamed } from '../faults/bucket-state.ts';
import { bucketDefinition, mediaFile } from '../media-bucket.ts';
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

/** The texts of acknowledged forms since the last check, each with a photo and a recording. */
const sent = new Set<string>();
/** The statuses of forms that were not acknowledged although the service ran. */
const refused: number[] = [];

const files = [
  ['photo', 'image/jpeg', mediaFile('photo.jpg')],
  ['recording', 'audio/mpeg', mediaFile('tone.mp3')],
] as const;

/** Sends forms with a photo and a recording until the service is gone. */
async function send({ url, stdout }: ServiceProcess): Promise<void> {
  const { pathname } = new URL(/http:\/\/\S+\/f\/\w+/.exec(stdout)?.[0] ?? '');
  for (;;) {
    const key = makeRandomId(randomInt);
    const content = `They answered within the hour, and sent me ${key}.`;
    for (const [kind, type, file] of files) {
      const body = JSON.stringify({ key, kind, type, bytes: file.length });
      const signed = await fetch(`${url}${pathname}/uploads`, { method: 'POST', body });
      const { url: bucket, fields } = await jsonOf<{ url: string; fields: Record<string, string> }>(signed);
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob([Uint8Array.from(file)]));
      await fetch(bucket, { method: 'POST', body: form });
    }
    const typed = { ...formFields(), content, key, shownAt: String(Date.now() - 5000) };
    const body = new URLSearchParams(typed);
    for (const [kind] of files) body.append('media', kind);
    const response = await fetch(url + pathname, { method: 'POST', body, redirect: 'manual' });
    if (response.status === 303) sent.add(content);
    else refused.push(response.status);
  }
}

/** Creates, sends forms, moderates and erases until the service is gone. */
async function work(service: ServiceProcess, seed: number): Promise<void> {
  const { url, token, endpoint, process } = service;
  const table = openTable(localTableName, { config: localClientConfig(endpoint) });
  const { testimonials } = storesOf(table);
  const create = async () => {
    for (;;) {
      const response = await fetch(`${url}/v1/testimonials`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(testimonialBody()),
      });
      if (response.status !== 201) return;
      acknowledged.set((await jsonOf<Testimonial>(response)).id, ['pending']);
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
  await Promise.allSettled([create(), create(), send(service), moderate(seed)]);
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
  for (const content of sent) {
    const rows = stored.filter(({ testimonial }) => testimonial.content === content);
    expect(rows.map(({ testimonial: { media } }) => Object.keys(media ?? {}).sort())).toEqual([
      ['photo', 'recording'],
    ]);
    // From now on it is moderated and erased like others.
    for (const { testimonial } of rows) acknowledged.set(testimonial.id, [testimonial.status]);
  }
  sent.clear();
  expect(refused).toEqual([]);
  for (const sort of sortNames) {
    for (const status of [undefined, ...statuses]) {
      const options = { ...(status && { status }), sort, order: 'asc', limit: 1000 } as const;
      const rows = (await Array.fromAsync(world.backend.testimonials.walk(organization, options))).flat();
      const walked = rows.map((row) => row.stored);
      // Only the table has the decision and the consent.
      const inTable = stored.map((row) => without(row, 'decision', 'consent'));
      const has = ({ testimonial }: StoredTestimonial) =>
        status === undefined || testimonial.status === status;
      expect(walked).toEqual(inTable.filter(has).sort(comparison(sort, 'asc')));
      const query = { filter: status ? { status } : {}, sort, order: 'desc', page: 1, limit: 100 } as const;
      expect(await world.list(query)).toEqual(await world.expected(query));
    }
  }
  table.client.destroy();
}

/** Expects the bucket to have, after two days, exactly the objects that testimonials name. */
async function checkBucket(stored: readonly StoredTestimonial[]): Promise<void> {
  const folder = join(dataDir, 'bucket');
  const store = await folderObjects(folder);
  const { region, credentials } = localClientConfig('');
  const now = () => Date.now() + 2 * 24 * 60 * 60 * 1000;
  await localBucket({ definition: bucketDefinition, store, region, credentials, now }).expire();
  const keys = (await store.list()).map(({ key }) => key);
  expect(keys.sort()).toEqual(keysNamed(stored, organization));
  // The facts and the bytes of each.
  expect(await readdir(folder)).toHaveLength(2 * keys.length);
}

test(`${kills} kills`, async () => {
  for (let kill = 0; kill < kills; kill += 1) {
    service = await startService(isolated(dataDir));
    await check(service);
    const before = acknowledged.size;
    const working = work(service, kill);
    // Waits for the first responses, then kills at another moment each time.
    while (acknowledged.size === before || sent.size === 0) await wait(10);
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
  const stored = await world.stored();
  table.client.destroy();
  await service.end();
  await checkBucket(stored);
});
