/** `token issue`, `token list` and `token revoke`. */
import { beforeAll, expect, test } from '@jest/globals';
import { tokenStore } from '../../../functions/accounts/dynamodb-token-store.ts';
import { adminOf, commandOn, printed, refused } from '../../admin.ts';
import { type ApiClient, createApiClient } from '../../api-client.ts';

let api: ApiClient;
beforeAll(async () => {
  // Also issues a token of acme.
  api = await createApiClient();
});

const token = (...args: string[]) => adminOf(api.table)('token', ...args);
const issue = (organization: string, ...more: string[]) =>
  token('issue', '--organization', organization, '--permission', 'testimonials:read', ...more);
const listWith = (issued: string) => api.list('', { authorization: `Bearer ${issued}` });

test('issue prints the token alone, and the token works', async () => {
  const { code, stdout } = await issue('brand-new', '--name', 'website', '--expires-in-days', '90');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^tst_\w{36}\n$/);
  expect(await listWith(stdout.trim())).toMatchObject({ status: 200, body: { pagination: { total: 0 } } });
});

test('list shows id, name, permissions and expiry, never the token', async () => {
  const { stdout } = await token('list', '--organization', 'brand-new');
  expect(stdout).toMatch(/^brand-new\.\w{12} +website +testimonials:read +\S+Z +\S+Z$/m);
  expect(stdout).not.toContain('tst_');
});

test('list without an organization shows all', async () => {
  const { stdout } = await token('list', '--json');
  const organizations = JSON.parse(stdout).map((each: { organization: string }) => each.organization);
  expect(new Set(organizations)).toEqual(new Set(['acme', 'brand-new']));
});

test('revoke ends a token, and fails for an unknown id', async () => {
  const issued = await issue('brief', '--json');
  const secret = JSON.parse(issued.stdout).token;
  expect(await listWith(secret)).toMatchObject({ status: 200 });
  const { stdout } = await token('list', '--organization', 'brief', '--json');
  const [{ id }] = JSON.parse(stdout);
  expect(await token('revoke', id)).toEqual(printed(`${id} revoked`));
  expect(await listWith(secret)).toMatchObject({ status: 401 });
  expect(await token('revoke', id)).toEqual(
    refused(`There is no token ${id}. To see the tokens, run: ${commandOn(api.table, 'token list')}`),
  );
});

test.each([
  ['an escape sequence', '\u001B[31mred'],
  ['two lines', 'web\nsite'],
  ['a reversing character', 'web\u202Esite'],
  ['201 characters', 'x'.repeat(201)],
  ['spaces', ' '],
])('a name of %s is refused in one line that a terminal can show', async (_, name) => {
  const { code, stdout, stderr } = await issue('named', '--name', name);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/It must be one line of 1 to 200 characters, without control characters\.\n$/);
  expect(stderr).not.toMatch(/[[\p{Cc}\p{Bidi_Control}]--\n]|\n./v);
});

test('a name may have 200 characters of any script', async () => {
  const name = `größe ${'山'.repeat(193)}😀`;
  const { code } = await issue('named', '--name', name);
  expect(code).toBe(0);
  expect((await token('list', '--organization', 'named')).stdout).toContain(name);
});

test('list shows names from other programs without control characters', async () => {
  await tokenStore(api.table).add({
    hash: 'a'.repeat(64),
    organization: 'strange',
    permissions: ['testimonials:read'],
    name: '\u001B[31mred\nexpired',
    createdAt: '2026-01-15T10:30:00.000Z',
  });
  const { stdout } = await token('list', '--organization', 'strange');
  expect(stdout).toMatch(/^strange\.\w{12} +�\[31mred expired +testimonials:read /m);
});
