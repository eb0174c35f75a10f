/** The commands for forms and walls. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { organizationStore } from '../../../functions/accounts/dynamodb-organization-store.ts';
import { pageStore } from '../../../functions/accounts/dynamodb-page-store.ts';
import { type Page, pageKinds } from '../../../functions/domain/page.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { pageSettings } from '../../../functions/serve-pages/own-pages.ts';
import { adminOf, runAdmin } from '../../admin.ts';
import { testEndpoint } from '../../dynamodb.ts';
import { storedItems } from '../../stored-items.ts';
import { createTestTable } from '../../test-table.ts';

let table: Table;
beforeAll(async () => {
  table = await createTestTable();
});
const api = 'https://api.example.com';
const advice = 'Replace https://YOUR-API with the URL of your deployment, or pass it with --url.';

/** Runs a command on the pages of an organization. */
const run = (organization: string, ...args: string[]) =>
  adminOf(table)('page', ...args, '--organization', organization);
const create = (organization: string, kind: string, title: string, ...more: string[]) =>
  run(organization, 'create', '--kind', kind, '--title', title, ...more);
/** Creates a page and returns it as JSON. */
async function made(organization: string, kind: string, title = 'Title', ...more: string[]): Promise<Page> {
  return JSON.parse((await create(organization, kind, title, '--json', ...more)).stdout);
}
const findPage = (id: string) => pageStore(table).find(id);

test('a form is created, listed, shown, edited and removed', async () => {
  const created = await create('acme', 'form', 'How was it?', '--set', 'lang=de', '--url', `${api}/`);
  const [, id = ''] = /^Form (\w{22}) of acme: How was it\?\n/.exec(created.stdout) ?? [];
  const url = `${api}/f/${id}`;
  expect(created.stdout).toContain(`\n${url}\n`);
  expect(created.stdout).toContain(`><a href="${url}">How was it?</a></testimonials-form>\n`);
  expect(created.stdout).toContain(
    `<iframe src="${url}" title="How was it?" width="100%" height="1300" style="border: 0" loading="lazy"></iframe>\n`,
  );
  expect(created.stdout).not.toContain(advice);
  // The first page of an organization creates it.
  expect(created.stderr).toMatch(/^There is no organization acme\. /);
  expect(await organizationStore(table).list()).toContain('acme');

  expect((await run('acme', 'list')).stdout).toMatch(
    new RegExp(`^ID .*TITLE\n${id}  form  20\\S+Z  /f/${id}  How was it\\?\n$`),
  );
  const shown = await run('acme', 'show', id, '--url', api);
  expect(shown.stdout).toContain(created.stdout.trim());
  expect(shown.stdout).toMatch(/^lang +language, such as de; .* {2}de$/m);

  const before = await findPage(id);
  const edited = await run('acme', 'edit', id, '--title', 'Tell us', '--set', 'lang=', '--set', 'hide=stars');
  expect(edited).toEqual({
    code: 0,
    stderr: '',
    stdout: `${id} changed. Visitors see it within two minutes.\n`,
  });
  expect(await findPage(id)).toEqual({ ...before, title: 'Tell us', settings: { hide: 'stars' } });
  expect((await run('acme', 'show', id)).stdout).toMatch(/^lang .* {2}en \(default\)$/m);

  const asked = await run('acme', 'remove', id);
  expect(asked).toMatchObject({ code: 1 });
  expect(asked.stderr).toContain(
    'Remove the form “Tell us” of acme? Its URL stops working for good. To answer yes, add --yes.',
  );
  expect(await findPage(id)).toBeDefined();
  expect((await run('acme', 'remove', id, '--yes')).stdout).toBe(
    `${id} removed. Its URL responds with 404 within 60 seconds. Its testimonials stay.\n`,
  );
  expect((await run('acme', 'list')).stdout).toBe('No pages.\n');
  expect(await run('acme', 'remove', id, '--yes')).toMatchObject({ code: 1 });
  expect(JSON.stringify(await storedItems(table))).not.toContain(id);
});

test('a wall has a snippet with the live element, and advice on an unknown URL', async () => {
  const { stdout } = await create('walls', 'wall', 'What they say', '--set', 'look=row', '--set', 'rating=4');
  const [, id = ''] = /^Wall (\w{22}) /.exec(stdout) ?? [];
  expect(stdout).toContain(
    `<script type="module" src="https://YOUR-API/embed.js"></script>\n<testimonials-wall page="${id}" style="display: block; width: 100%; min-height: 380px"></testimonials-wall>\n`,
  );
  expect(stdout.endsWith(`\n${advice}\n`)).toBe(true);
  expect((await findPage(id))?.settings).toEqual({ look: 'row', rating: '4' });
  const { stdout: shown } = await run('walls', 'show', id);
  expect(shown).toContain(advice);
  expect(shown).toMatch(/^limit .* {2}12 \(default\)$/m);
  expect(shown).toMatch(/^look .* {2}row$/m);
  const args = ['page', 'show', id, '--organization', 'walls', '--table', table.name];
  const endpoint = ['--endpoint', testEndpoint()];
  expect(await runAdmin([...args, ...endpoint], { TESTIMONIALS_URL: api })).toMatchObject({
    stdout: expect.stringContaining(`${api}/w/${id}`),
  });
});

test('with --json, pages have their links', async () => {
  const page = await made('scripts', 'form', 'A "form" & more', '--url', api, '--set', 'tags=shop');
  const { id, createdAt } = page;
  const stored = {
    id,
    organization: 'scripts',
    kind: 'form',
    title: 'A "form" & more',
    settings: { tags: 'shop' },
    createdAt,
  };
  expect(await findPage(id)).toEqual(stored);
  expect(page).toEqual({
    ...stored,
    url: `${api}/f/${id}`,
    snippet: `<script type="module" src="${api}/embed.js"></script>
<testimonials-form page="${id}" style="display: block; width: 100%; min-height: 1300px"><a href="${api}/f/${id}">A &quot;form&quot; &amp; more</a></testimonials-form>`,
    iframe: expect.stringContaining(' title="A &quot;form&quot; &amp; more" '),
  });
  const json = async (...args: string[]) => JSON.parse((await run('scripts', ...args, '--json')).stdout);
  expect(await json('show', id, '--url', api)).toEqual(page);
  expect(await json('list')).toEqual([{ ...stored, path: `/f/${id}` }]);
  expect(await json('edit', id, '--set', 'tags=')).toEqual({ ...stored, settings: {} });
  expect(await json('remove', id, '--yes')).toEqual({ id, removed: true });
  expect(await json('list')).toEqual([]);
});

test('a hostile title neither breaks the markup nor moves the cursor', async () => {
  const title = 'A\n"><script>alert(1)</script>\t\u202e\u2028end';
  const { id } = await made('hostile', 'form', title);
  expect((await findPage(id))?.title).toBe(title);
  for (const args of [['list'], ['show', id]]) {
    const { stdout } = await run('hostile', ...args);
    expect(stdout).not.toMatch(/[\u202e\u2028\t]/);
    expect(stdout).toContain('A ');
  }
  const { stdout } = await run('hostile', 'show', id);
  expect(stdout.slice(stdout.indexOf('To link to it'))).not.toContain('<script>');
  expect(stdout).toContain('title="A &quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; �');
});

describe('nothing is stored', () => {
  const expectRefused = async (args: readonly string[], message: string) => {
    const { code, stdout, stderr } = await run('nothing', 'create', ...args);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
    expect(await pageStore(table).list('nothing')).toEqual([]);
    expect(await organizationStore(table).list()).not.toContain('nothing');
  };

  test.each([
    ['an unknown kind', ['--kind', 'poll', '--title', 'x'], 'Allowed choices are form, wall'],
    ['no kind', ['--title', 'x'], "required option '--kind"],
    ['no title', ['--kind', 'form'], "required option '--title"],
    ['an empty title', ['--kind', 'form', '--title', ' '], 'It must have 1 to 200 characters'],
    ['a URL with a path', ['--kind', 'wall', '--title', 'x', '--url', `${api}/x`], 'without a path'],
  ])('by a create with %s', (_, args, message) => expectRefused(args, message));

  test.each([
    ['form', 'look=row', 'look is not a setting of a form'],
    ['wall', '__proto__=1', '__proto__ is not a setting of a wall'],
    ['form', 'link=javascript:alert(1)', 'link must be a URL'],
    ['wall', 'rating', 'Write the name of a setting, = and its value.'],
    ['wall', 'rating=4 rating=5', 'rating already has a --set.'],
  ])('by a create of a %s with the setting %s', (kind, settings, message) => {
    const set = settings.split(' ').flatMap((each) => ['--set', each]);
    return expectRefused(['--kind', kind, '--title', 'x', ...set], message);
  });

  test.each([
    ['nothing to change', [], 'Pass --title or --set.'],
    ['an unknown setting', ['--title', 'New', '--set', 'colour=red'], 'colour is not a setting of a form'],
    ['an invalid setting', ['--title', 'New', '--set', 'lang=klingon!'], 'lang must be a language'],
  ])('by an edit with %s', async (_, args, message) => {
    const { id } = await made('edits', 'form', 'Old', '--set', 'lang=de');
    const before = await findPage(id);
    const { code, stderr } = await run('edits', 'edit', id, ...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
    expect(await findPage(id)).toEqual(before);
  });
});

test('an edit keeps a setting whose name this version does not know', async () => {
  const page = await made('edits', 'form', 'Old');
  await pageStore(table).replace({ ...page, settings: { future: 'x' } }, page);
  expect(await run('edits', 'edit', page.id, '--title', 'New')).toMatchObject({ code: 0 });
  expect(await findPage(page.id)).toMatchObject({ title: 'New', settings: { future: 'x' } });
});

test.each([
  ['show', []],
  ['edit', ['--title', 'New']],
  ['remove', []],
])('page %s refuses the page of another organization, which stays', async (command, more) => {
  const { id } = await made('theirs', 'wall');
  const before = await findPage(id);
  expect(await run('mine', command, id, ...more)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      `^There is no page ${id} of mine. To see its pages, run: .* page list --organization mine\n$`,
    ),
  });
  expect(await findPage(id)).toEqual(before);
});

test.each(['create', 'edit'])('page %s --help describes every setting', async (command) => {
  const { code, stdout } = await runAdmin(['page', command, '--help'], {});
  expect(code).toBe(0);
  for (const kind of pageKinds) {
    expect(stdout).toContain(`Settings of a ${kind}:`);
    for (const [name, { meaning }] of Object.entries(pageSettings[kind])) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +${RegExp.escape(meaning)}$`, 'm'));
    }
  }
});
