import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { statuses } from '../../functions/domain/testimonial.ts';
import { axes } from '../../functions/domain/testimonial-order.ts';
import { emptyChunk, setBit } from '../../functions/list-index/bitmap.ts';
import { noIndex } from '../../functions/list-index/index-store.ts';
import { summaryTerm, termsVersion } from '../../functions/list-index/index-terms.ts';
import { decodePosting, encodePosting } from '../../functions/list-index/posting-codec.ts';
import { cells, encodeSummary } from '../../functions/list-index/summary.ts';
import type { ListBody } from '../../functions/list-testimonials/contract.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { openTable, type Table } from '../../functions/persistence/table.ts';
import { localClientConfig, localTableName } from '../../lib/local-runner/connection.ts';
import { generateTestimonials } from '../../lib/sample-data/generate-testimonials.ts';
import { runAdmin } from '../admin.ts';
import { isolated, jsonOf, runEntry, type ServiceProcess, startService } from './service-process.ts';

let service: ServiceProcess;

beforeAll(async () => {
  service = await startService(isolated(':memory:'));
});
afterAll(() => service.end());

const environment = () => isolated(':memory:', { DYNAMODB_ENDPOINT: service.endpoint });

const admin = (...args: string[]) => runAdmin(args, environment());

async function list(query: string, token: string) {
  const answer = await fetch(`${service.url}/v1/testimonials?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, ...(await jsonOf<ListBody>(answer)) };
}

describe('seed', () => {
  test('fills an organization that lists then show', async () => {
    const issued = await admin(
      ...['token', 'issue', '--organization', 'shop', '--permission', 'testimonials:read'],
    );
    const { code, stdout } = await admin('seed', '--organization', 'shop', '--count', '120');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '120 testimonials added to shop\n' });
    expect(await list('tags=case-study', issued.stdout.trim())).toMatchObject({ pagination: { total: 3 } });
  });

  test('names a count that is none', async () => {
    const { code, stderr } = await admin('seed', '--organization', 'shop', '--count', '1e3');
    expect(code).toBe(1);
    expect(stderr).toContain('It must be a whole number from 1 to 9999999.');
  });
});

describe('the program', () => {
  test('prints its version', async () => {
    expect(await admin('--version')).toMatchObject({ code: 0, stdout: '1.0.0\n' });
  });

  test('says what was meant by a misspelt command', async () => {
    const { code, stderr } = await admin('tokn', 'list');
    expect(code).toBe(1);
    expect(stderr).toBe("error: unknown command 'tokn' (Did you mean token?)\n");
  });
});

describe('index', () => {
  const organization = 'indexed';
  const count = 30;
  let table: Table;
  beforeAll(async () => {
    table = openTable(localTableName, { config: localClientConfig(service.endpoint) });
    const store = testimonialStore(table);
    for (const stored of generateTestimonials(count)) await store.insert(organization, stored);
  });
  afterAll(() => table.client.destroy());

  test('status says how far the index is', async () => {
    const { code, stdout } = await admin('index', 'status', '--organization', organization);
    expect(code).toBe(0);
    expect(stdout).toBe(
      `${organization}: indexed up to ordinal 0; ${count} testimonials and 0 changes not yet\n`,
    );
  });

  test('rebuild folds what was never indexed, and verify finds no difference', async () => {
    const rebuilt = await admin('index', 'rebuild', '--organization', organization);
    expect(rebuilt).toMatchObject({
      code: 0,
      stdout: `${organization}: indexed up to ordinal ${count}; 0 testimonials and 0 changes not yet\n`,
    });
    const verified = await admin('index', 'verify', '--organization', organization);
    expect(verified.code).toBe(0);
    expect(verified.stdout).toMatch(/^30 testimonials and [\d,]+ postings compared: 0 differences$/m);
  });

  test('postings made by other rules are told by status, and made anew by rebuild --all', async () => {
    await organizationStore(table).add(organization);
    const index = indexStore(table);
    const head = await index.readHead(organization);
    await index.replaceHead(organization, { ...(head ?? noIndex), terms: '0/1.0' });
    const status = await admin('index', 'status', '--all');
    expect(status.stdout).toMatch(
      /^indexed: .*; made by older rules: run index rebuild --organization indexed/m,
    );
    const rebuilt = await admin('index', 'rebuild', '--all');
    expect(rebuilt.code).toBe(0);
    expect(rebuilt.stderr).toContain(`${count} testimonials indexed`);
    expect(rebuilt.stdout).not.toContain('older rules');
    expect(await index.readHead(organization)).toMatchObject({ generation: 2, terms: termsVersion });
    const generations = (await index.partitions(organization)).map(({ generation }) => generation);
    expect(new Set(generations)).toEqual(new Set([2]));
  });

  test('explain shows terms, rows, rounds and units of a list', async () => {
    const { code, stdout } = await admin(
      ...['explain', '--organization', organization, 'status=approved&search=a con&page=2&limit=5'],
    );
    expect(code).toBe(0);
    expect(stdout).toContain('all of   status=approved\n         prefix=a\n         words from con\n');
    expect(stdout).toMatch(/^rows {5}by ordinal$/m);
    expect(stdout).toMatch(/^cost {5}\d+(\.5)? read units, \d+ requests in 2 rounds$/m);
  });

  test('stats counts by status, type and rating what lists count', async () => {
    const { code, stdout } = await admin('stats', '--organization', organization);
    expect(code).toBe(0);
    const all = (await Array.fromAsync(testimonialStore(table).from(organization, 0))).flat();
    const count = (matches: (testimonial: Testimonial) => boolean) =>
      String(all.filter(({ testimonial }) => matches(testimonial)).length);
    const cellsOf = (name: string) =>
      stdout
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.trim()
        .split(/ {2,}/);
    expect(cellsOf(organization)).toEqual([organization, 'pending', 'approved', 'rejected', 'all']);
    const row = (name: string, matches: (testimonial: Testimonial) => boolean) => [
      name,
      ...statuses.map((status) => count((each) => each.status === status && matches(each))),
      count(matches),
    ];
    expect(cellsOf('video')).toEqual(row('video', ({ type }) => type === 'video'));
    expect(cellsOf('5 stars')).toEqual(row('5 stars', ({ rating }) => rating === 5));
    expect(cellsOf('unrated')).toEqual(row('unrated', ({ rating }) => rating === undefined));
    expect(cellsOf('all')).toEqual(row('all', () => true));
    const json = await admin('stats', '--organization', organization, '--json');
    const parsed = JSON.parse(json.stdout);
    expect(parsed).toMatchObject({ organization, total: all.length });
    expect(parsed.counts).toContainEqual({
      ...{ status: 'approved', type: 'text', rating: null },
      count: all.filter(
        ({ testimonial: { status, type, rating } }) =>
          status === 'approved' && type === 'text' && rating === undefined,
      ).length,
    });
  });

  test('verify names each bit and each summary that differs, on both axes, and fails', async () => {
    const index = indexStore(table);
    const all = (await Array.fromAsync(testimonialStore(table).from(organization, 0))).flat();
    const wrong = all.find(({ testimonial }) => testimonial.status !== 'rejected');
    const places = { createdAt: wrong?.ordinal ?? 0, updatedAt: wrong?.updateOrdinal ?? 0 };
    for (const axis of axes) {
      const ref = { posting: { axis, term: 'status=rejected' }, chunk: 0 };
      const [before] = await index.readPostings(organization, 2, [ref]);
      const bits = before ? decodePosting(before.bytes) : emptyChunk();
      setBit(bits, places[axis]);
      await index.writePosting(organization, 2, ref, { bytes: encodePosting(bits), epoch: 9 });
    }
    const ref = { posting: summaryTerm('updatedAt', 'chunks'), chunk: 0 };
    const bytes = encodeSummary(cells.map(() => 1));
    await index.writePosting(organization, 2, ref, { bytes, epoch: 9 });
    const { code, stdout } = await admin('index', 'verify', '--organization', organization);
    expect(code).toBe(1);
    const lines = stdout.split('\n').map((line) => line.trim());
    expect(lines).toContain(`surplus: {"axis":"createdAt","term":"status=rejected"} at ${places.createdAt}`);
    expect(lines).toContain(`surplus: {"axis":"updatedAt","term":"status=rejected"} at ${places.updatedAt}`);
    // What the bits of one chunk do not give any more, and what is not the sum of its chunks.
    expect(lines).toContain('wrong: {"axis":"createdAt","term":"summary of chunk"} at 0');
    expect(lines).toContain('wrong: {"axis":"updatedAt","term":"summary of chunks"} at 0');
  });

  test('status wants one organization or all', async () => {
    expect(await admin('index', 'status')).toMatchObject({
      code: 1,
      stderr: 'Name an organization with --organization, or take --all.\n',
    });
  });

  test('explain warns of a parameter that lists ignore, and of an organization without a token', async () => {
    const { code, stderr } = await admin('explain', '--organization', 'nobody', 'statuss=approved');
    expect(code).toBe(0);
    expect(stderr).toBe(
      'A list has no parameter statuss: it is ignored.\n' +
        'No token was ever issued for nobody: is that its name?\n',
    );
  });

  test('explain refuses what a list would refuse', async () => {
    const finished = await admin('explain', '--organization', organization, 'limit=0&sort=name');
    expect(finished).toMatchObject({
      code: 1,
      stderr:
        'limit must be a whole number from 1 to 100; sort must be one of createdAt, updatedAt, rating\n',
    });
  });
});

describe('every failure is one line and exit code 1', () => {
  test.each([
    [['token', 'issue', '--organization', 'acme'], "required option '--permission"],
    [['token', 'issue', '--organization', 'Acme', '--permission', 'testimonials:read'], 'must be 1 to 63 of'],
    [['token', 'issue', '--organization', 'acme', '--permission', 'all'], 'Allowed choices are'],
    [['testimonial', 'show', '--organization', 'acme'], "missing required argument 'id'"],
    [['token', 'nonsense'], "unknown command 'nonsense'"],
    [['token', 'list', '--endpoint', '{}', '--table', 'absent'], 'There is no table absent'],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await admin(
      ...args.map((arg) => (arg === '{}' ? service.endpoint : arg)),
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

test('npm run admin prints what a command prints, and ends with its exit code', async () => {
  const listed = await runEntry(['bin/admin.ts', 'token', 'list', '--organization', 'demo'], environment());
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(/^demo\.\w{12} /m);
  const refused = await runEntry(
    ['bin/admin.ts', 'token', 'list', '--endpoint', 'http://127.0.0.1:9'],
    environment(),
  );
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^No DynamoDB answers at http:\/\/127\.0\.0\.1:9: .*\n$/);
});

test.each([
  [['--help']],
  [['token', '--help']],
  [['token', 'issue', '--help']],
  [['testimonial', 'approve', '--help']],
])('%j explains itself', async (args) => {
  const { code, stdout } = await admin(...args);
  expect(code).toBe(0);
  expect(stdout).toContain('Usage: admin');
});

describe('invoke', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'testimonials-data-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test('runs one function on the running service', async () => {
    const { code, stdout } = await runEntry(
      ['bin/invoke.ts', 'list', 'test/events/list.json'],
      isolated(':memory:', { DYNAMODB_ENDPOINT: service.endpoint, TESTIMONIALS_TOKEN: service.token }),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ statusCode: 200 });
  });

  test('runs on the stored data when no service runs', async () => {
    const env = isolated(dataDir, { DYNAMODB_PORT: '9' });
    const created = await runEntry(['bin/invoke.ts', 'create', 'test/events/create.json'], env);
    expect(JSON.parse(created.stdout)).toMatchObject({ statusCode: 201 });
    const listed = await runEntry(['bin/invoke.ts', 'list', 'test/events/list.json'], env);
    expect(JSON.parse(JSON.parse(listed.stdout).body).pagination.total).toBe(1);
  });

  test.each([
    [['list'], 'Usage: npm run invoke'],
    [['list', 'test/events/absent.json'], 'There is no file test/events/absent.json'],
    [['list', 'tsconfig.json'], 'tsconfig.json is no event: one of API Gateway has a routeKey'],
    [['nonsense', 'test/events/list.json'], 'There is no function nonsense'],
  ])('%j fails with one clear line', async (args, message) => {
    const { code, stderr } = await runEntry(['bin/invoke.ts', ...args], isolated(':memory:'));
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toContain(message);
  });
});
