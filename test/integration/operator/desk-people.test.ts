/** The operator's commands on people who moderate at the desk of the deployment. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Table } from '../../../functions/persistence/table.ts';
import { tableRights } from '../../../lib/infrastructure/table-rights.ts';
import { adminOf } from '../../admin.ts';
import { deskOf } from '../../desk-client.ts';
import { addPolicy } from '../../iam/acting.ts';
import { createTestTable } from '../../test-table.ts';

// With `desk=true`.
addPolicy('Operator/Write', { ...tableRights.operatorWrite, ...tableRights.invite });

let table: Table;
beforeAll(async () => {
  table = await createTestTable();
});
const run = (...args: string[]) => adminOf(table)('desk', ...args, '--organization', 'acme');
const secretIn = (text: string) => /#(tsi_\w+)/.exec(text)?.[1] ?? '';

test('a person is invited, listed, invited again and removed', async () => {
  const desk = await deskOf(table);
  const invited = await run('invite', '--name', 'Ann', '--url', 'https://api.example.com/');
  expect(invited.stdout).toContain('https://api.example.com/desk/open#tsi_');
  const [, id = ''] = /\((\w{10})\)/.exec(invited.stdout) ?? [];
  const ann = desk.browser();
  expect((await ann.post('/desk/open', { invitation: secretIn(invited.stdout) })).status).toBe(303);
  expect((await run('people')).stdout).toMatch(new RegExp(`${id} +Ann +moderate +20.* +20`));

  const again = await run('invite', '--person', id);
  expect(again.stdout).toContain('Put the address of your deployment in it');
  const open = desk.browser();
  expect((await run('remove', id)).stdout).toBe(`${id} removed\n`);
  expect((await ann.get('/desk/queue')).status).toBe(401);
  expect((await open.post('/desk/open', { invitation: secretIn(again.stdout) })).status).toBe(403);
  expect(await run('remove', id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`has the id ${id}`),
  });
  expect((await run('people')).stdout).toBe('Nobody is invited.\n');
});

test.each([
  ['neither a name nor a person', ['invite'], 'Give either --name or --person.'],
  ['both', ['invite', '--name', 'Ann', '--person', 'x'], 'Give either --name or --person.'],
  ['an unknown person', ['invite', '--person', 'x'], 'has the id x'],
  [
    'a right for a person who is there',
    ['invite', '--person', 'x', '--may-erase'],
    'give --may-erase with --name',
  ],
  ['a name of nothing', ['invite', '--name', ' '], 'must not be empty'],
  [
    'an address that is none',
    ['invite', '--name', 'Ann', '--url', 'javascript:alert(1)'],
    'must be an address',
  ],
])('%s is refused, and nobody is invited', async (_, args, says) => {
  const { code, stderr } = await run(...args);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
  expect((await run('people')).stdout).toBe('Nobody is invited.\n');
});
