/**
 * The function that publishes events, as Lambda runs it, on a local table and bus, with its policy in the
 * template.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { beginningWith, queryPages } from '../../functions/dynamodb/items.ts';
import { importKey, type Key, testimonialKey } from '../../functions/dynamodb/keys.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { eventDetails } from '../../functions/publish-events/event.ts';
import { eraseTestimonial } from '../../functions/testimonials/operations/erase-testimonial.ts';
import { tableRights } from '../../lib/infrastructure/table-rights.ts';
import { type BusEntry, startEventBus } from '../../lib/local-runner/event-bus.ts';
import { hurriedAdminOf } from '../admin.ts';
import { storesOf } from '../api-client.ts';
import { failingDynamoDb } from '../failing-dynamodb.ts';
import { fileOf } from '../file-of.ts';
import { actAs, addPolicy, policyOf, rightOf, usedRights } from '../iam/acting.ts';
import { storedTestimonials } from '../stored-items.ts';
import { recordOf } from '../stream-record.ts';
import { createTestTable } from '../test-table.ts';

const told: BusEntry[] = [];
let table: Table;
let stopBus: () => Promise<void>;
let run: (command: string, ...more: string[]) => Promise<string>;
let tell: (eventName: 'INSERT' | 'MODIFY', ...keys: Key[]) => Promise<unknown>;

beforeAll(async () => {
  addPolicy('PublishEvents', tableRights.events);
  table = await createTestTable();
  const admin = await hurriedAdminOf(table);
  run = async (command, ...more) => {
    const { code, stdout, stderr } = await admin(...command.split(' '), ...more);
    if (code !== 0) throw new Error(`${command}: ${stderr}`);
    return stdout;
  };
  const bus = await startEventBus((entry) => told.push(entry));
  stopBus = bus.stop;
  Object.assign(process.env, {
    TABLE_NAME: table.name,
    EVENT_BUS_NAME: 'testimonials-dev',
    AWS_REGION: 'us-east-1',
    // This endpoint closes its connections at the end of the test.
    AWS_ENDPOINT_URL_DYNAMODB: (await failingDynamoDb()).endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
  });
  const { handler } = await actAs('PublishEvents', () => import('../../functions/publish-events/lambda.ts'));
  tell = (eventName, ...keys) => {
    const Records = keys.map((key, i) => recordOf(key, i + 1, eventName));
    return actAs('PublishEvents', () => handler({ Records }));
  };
});
afterAll(async () => {
  await stopBus();
});

const done = { batchItemFailures: [] };

test('an import publishes one event, its testimonials publish events when they change, and an erasure shows no texts', async () => {
  const line = (n: number) => `"Amazing, we love it ${n}",Jane Secret,jane@example.com,text,5\n`;
  const csv = await fileOf(`content,author.name,author.email,type,rating\n${line(1)}${line(2)}`);
  await run('import --organization acme --yes', csv);
  const { testimonials } = storesOf(table);
  const [first, second] = await storedTestimonials(table);
  if (!first || !second) throw new Error('Nothing was imported');
  const { PK, SK: prefix } = importKey('acme', '');
  const pages = await Array.fromAsync(queryPages(table, beginningWith(PK, prefix)));
  const keys = [first, second].map(({ ordinal }) => testimonialKey('acme', ordinal));
  const imports = pages.flatMap(({ items }) => items.map(({ SK }) => ({ PK, SK })));
  expect(imports).toHaveLength(1);

  expect(await tell('INSERT', ...keys, ...imports)).toEqual(done);
  await run(`testimonial approve --organization acme`, first.testimonial.id);
  await run(`testimonial tag --organization acme --add ux`, second.testimonial.id);
  expect(await tell('MODIFY', ...keys, ...keys, ...imports)).toEqual(done);
  await eraseTestimonial({ testimonials, now: table.now }, 'acme', second.testimonial.id);
  expect(await tell('MODIFY', ...keys.slice(1))).toEqual(done);

  expect(told.map(({ DetailType }) => DetailType)).toEqual([
    'testimonials.imported',
    'testimonial.approved',
    'testimonial.tagged',
    'testimonials.imported',
    'testimonial.erased',
  ]);
  const [imported, approved, , repeated] = told.map(({ Detail }) => JSON.parse(Detail));
  expect(imported).toMatchObject({ organization: 'acme', count: 2 });
  expect(repeated).toEqual(imported);
  expect(approved).toMatchObject({ id: first.testimonial.id, status: 'approved', rating: 5 });
  expect(new Set(told.map(({ EventBusName, Source }) => `${EventBusName} ${Source}`))).toEqual(
    new Set(['testimonials-dev testimonials']),
  );
});

test('every event follows docs/events-schema.json and contains no text of a testimonial', () => {
  expect(told.length).toBeGreaterThan(0);
  for (const { DetailType, Detail } of told) {
    v.parse(eventDetails[DetailType as keyof typeof eventDetails], JSON.parse(Detail)); // checked by the test above
    expect(Detail).not.toMatch(/Amazing|Secret|jane|ux/);
  }
});

test('the function uses every right that its policy grants on the table', () => {
  const rights = policyOf('PublishEvents')
    .filter(({ Effect, Sid }) => Effect === 'Allow' && Sid !== undefined)
    .flatMap((statement) =>
      [statement.Action].flat().map((action) => rightOf('PublishEvents', statement, action)),
    );
  expect(rights).not.toEqual([]);
  expect(rights.filter((right) => !usedRights.has(right))).toEqual([]);
});
