/** The commands for the people at the deployment's desk. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { organizationStore } from '../../../functions/accounts/dynamodb-organization-store.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { inviteAgain } from '../../../functions/serve-desk/people.ts';
import { tableRights } from '../../../lib/infrastructure/table-rights.ts';
import { adminOf, commandOn } from '../../admin.ts';
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
  expect(again.stdout).toContain('Replace https://YOUR-API with the URL of your deployment');
  const open = desk.browser();
  expect((await run('remove', id)).stdout).toBe(`${id} removed\n`);
  expect((await ann.get('/desk/queue')).status).toBe(401);
  expect((await open.post('/desk/open', { invitation: secretIn(again.stdout) })).status).toBe(403);
  expect(await run('remove', id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`has the id ${id}`),
  });
  expect((await run('people')).stdout).toBe('Nobody is invited yet.\n');
});

test('a removal names the sessions and links of others that end with it', async () => {
  const desk = await deskOf(table);
  const owner = await desk.signedIn({ organization: 'linked', role: 'owner' });
  const { text } = await owner.send('/desk/people', { action: 'invite', name: 'Ben' });
  const { id } = owner.person;
  const args = ['desk', 'remove', id, '--organization', 'linked'];
  const { stdout } = await adminOf(table)(...args);
  expect(stdout).toMatch(
    /^Also ended, because the person's links led to them:\n.*\n\w{10} +Ben +invitation +20/,
  );
  expect((await desk.browser().post('/desk/open', { invitation: secretIn(text) })).status).toBe(403);
});

describe('desk end-sessions', () => {
  const signedIn = async (organization: string) => {
    const desk = await deskOf(table);
    const ann = await desk.signedIn({ organization });
    await organizationStore(table).add(organization);
    const invitation = await inviteAgain(desk.people, ann.person);
    return async () => ({
      session: (await ann.get('/desk/queue')).status === 200,
      invitation: (await desk.browser().post('/desk/open', { invitation })).status === 303,
    });
  };
  const valid = { session: true, invitation: true };
  const ended = { session: false, invitation: false };

  test('ends the sessions and invitations of one organization', async () => {
    const [one, other] = [await signedIn('one'), await signedIn('other')];
    expect((await adminOf(table)('desk', 'end-sessions', '--organization', 'one')).stdout).toBe(
      `The sessions, passkeys, invitations and feeds of 1 person end within 60 seconds. Send each person a new link: ${commandOn(table, 'desk invite --organization one --person <id>')}\n`,
    );
    expect([await one(), await other()]).toEqual([ended, valid]);
  });

  test('ends the sessions of all organizations, with or without a token', async () => {
    const [one, other] = [await signedIn('one'), await signedIn('other')];
    const args = ['desk', 'invite', '--name', 'Ann', '--organization', 'no-token-yet'];
    const invitation = secretIn((await adminOf(table)(...args)).stdout);
    const { code, stdout } = await adminOf(table)('desk', 'end-sessions', '--all', '--json');
    expect(code).toBe(0);
    const peopleOf = (organization: string, people: number) => ({ organization, people });
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([peopleOf('no-token-yet', 1), peopleOf('one', 2), peopleOf('other', 2)]),
    );
    expect([await one(), await other()]).toEqual([ended, ended]);
    expect((await (await deskOf(table)).browser().post('/desk/open', { invitation })).status).toBe(403);
  });

  test.each([
    ['neither', []],
    ['both', ['--all', '--organization', 'one']],
  ])('fails with %s of --organization and --all', async (_, args) => {
    const { code, stderr } = await adminOf(table)('desk', 'end-sessions', ...args);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('either --organization <name> or --all'),
    });
  });
});

const named = ['--name', 'Ann'];
test.each([
  ['neither a name nor a person', [], 'Add either --name or --person.'],
  ['both', [...named, '--person', 'x'], 'Add either --name or --person.'],
  ['an unknown person', ['--person', 'x'], 'has the id x'],
  ['a right for an invited person', ['--person', 'x', '--may-erase'], 'use it with --name'],
  ['an empty name', ['--name', ' '], 'must have 1 to 100 characters'],
  ['a URL that is invalid', [...named, '--url', 'javascript:alert(1)'], 'must be the URL of the API'],
  ['a URL with a path', [...named, '--url', 'https://api.example.com/x?y#z'], 'without a path'],
])('%s is refused, and nobody is invited', async (_, args, says) => {
  const { code, stderr } = await run('invite', ...args);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
  expect((await run('people')).stdout).toBe('Nobody is invited yet.\n');
});
