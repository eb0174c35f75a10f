/** The stores in DynamoDB keep their rules, and each condition of a write is needed for one of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { budgetStore } from '../../functions/persistence/dynamodb-budget-store.ts';
import { deskStore } from '../../functions/persistence/dynamodb-desk-store.ts';
import { renewalStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { storesOf } from '../api-client.ts';
import { type Condition, ConditionEditor } from '../condition-editor.ts';
import { budgetStoreCases } from '../conformance/budget-store.ts';
import { deskStoreCases } from '../conformance/desk-store.ts';
import { idempotencyKeyCases } from '../conformance/idempotency-key-store.ts';
import { indexStoreCases } from '../conformance/index-store.ts';
import { renewalCases } from '../conformance/renewal-store.ts';
import { testimonialStoreCases } from '../conformance/testimonial-store.ts';
import { tokenStoreCases } from '../conformance/token-store.ts';
import { createTestTable } from '../test-table.ts';

const cases = [
  ...testimonialStoreCases,
  ...indexStoreCases,
  ...idempotencyKeyCases,
  ...renewalCases,
  ...tokenStoreCases,
  ...deskStoreCases,
  ...budgetStoreCases,
];

let table: Table;
let editor: ConditionEditor;
/** What the case sent, by its name. */
const sent = new Map<string, Set<Condition>>();
let organizations = 0;

beforeAll(async () => {
  table = await createTestTable();
  editor = new ConditionEditor(table.client);
});

function play({ holds }: (typeof cases)[number]): Promise<void> {
  organizations += 1;
  const [renewals, tokens, desks] = [renewalStore(table), tokenStore(table), deskStore(table)];
  const stores = { ...storesOf(table), renewals, tokens, desks, budgets: budgetStore(table) };
  return holds(stores, `org-${organizations}`);
}

describe('in DynamoDB', () => {
  test.each(cases)('$name', async (each) => {
    sent.set(each.name, await editor.conditionsOf(() => play(each)));
  });
});

/** The conditions in the files of the stores, as they are sent. */
const conditions: Record<string, Condition[]> = {
  'dynamodb-budget-store.ts': ['Update MINUTE: attribute_not_exists(spent) OR spent < :budget'],
  'dynamodb-counter.ts': [
    'Put COUNTER: attribute_not_exists(PK)',
    'Update COUNTER: attribute_not_exists(lastTime) OR lastTime <= :time',
  ],
  'dynamodb-desk-store.ts': [
    'Update PERSON: attribute_exists(PK)',
    'Delete PERSON: attribute_exists(PK)',
    'Put PASS: attribute_exists(PK) AND (attribute_not_exists(openedAs) OR openedAs = :openedAs)',
  ],
  'dynamodb-idempotency-key-store.ts': [
    'Put KEY: attribute_not_exists(PK) OR #ttl <= :now',
    'Put KEY: attribute_not_exists(PK) OR #ttl <= :now OR testimonialId = :replacing',
  ],
  'dynamodb-index-store.ts': [
    'Put posting: attribute_not_exists(#epoch) OR #epoch <= :epoch',
    'Put posting: #epoch <= :epoch',
    'Delete posting: attribute_not_exists(#epoch) OR #epoch <= :epoch',
    'Put posting: attribute_not_exists(PK)',
    'Put posting: #epoch = :before',
  ],
  'items.ts': [
    'Put TESTIMONIAL_INDEX: attribute_not_exists(PK)',
    'Put TESTIMONIAL_INDEX: revision = :revision',
  ],
  'dynamodb-organization-store.ts': ['Update INDEX_REQUEST: id = :id', 'Delete INDEX_REQUEST: id = :id'],
  'dynamodb-testimonial-store.ts': [
    'Put TESTIMONIAL: attribute_not_exists(PK)',
    'Put TESTIMONIAL: #version = :previous',
    'Update TESTIMONIAL: #version = :previous',
  ],
  'dynamodb-token-store.ts': ['Put TOKEN: attribute_not_exists(PK) OR #hash = :hash'],
};

describe('a condition of a write', () => {
  test('is met by a case, each of them, and no other is sent', () => {
    const met = new Set([...sent.values()].flatMap((each) => [...each]));
    expect([...met].sort()).toEqual(Object.values(conditions).flat().sort());
  });

  test('stands in no other file', () => {
    const folder = new URL('../../functions/persistence/', import.meta.url);
    const files = readdirSync(folder).filter((file) =>
      /(?<!Key)ConditionExpression|ifAbsent/.test(readFileSync(new URL(file, folder), 'utf8')),
    );
    expect(files.sort()).toEqual(Object.keys(conditions).sort());
  });

  // The whole of it, and each of its parts: without it, a case does not hold.
  test.each(Object.values(conditions).flat())('%s', async (condition) => {
    for (const without of editor.partsOf(condition)) {
      const concerned = cases.filter(({ name }) => sent.get(name)?.has(condition));
      const broken: string[] = [];
      for (const each of concerned) {
        await editor.taking(without, () => play(each)).catch(() => broken.push(each.name));
      }
      expect({ without, isNoticed: broken.length > 0 }).toEqual({ without, isNoticed: true });
    }
  });
});
