/** The brand of an organization, as an owner makes it at the desk and visitors see it. */
import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { pageStore } from '../../../functions/accounts/dynamodb-page-store.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { invitationLink, invitePerson } from '../../../functions/serve-desk/people.ts';
import { type Browser, type Desk, openDesk } from '../../desk-client.ts';
import { fieldsOf } from '../../forms.ts';
import { png, svg } from '../../images.ts';
import { addPage, typedFields, visitorOf } from '../../page-visitor.ts';
import { onTableCall } from '../../table-calls.ts';

let table: Table;
let owner: Browser;
let desk: Desk;
beforeEach(async () => {
  ({ table, desk, owner } = await openDesk({ pages: true }));
});

const path = '/desk/pages/brand';
const stored = (organization = 'acme') => pageStore(table).findBrand(organization);

/** Sends the form of the page, with a file as browsers without scripts send it. */
async function save(fields: Record<string, string>, file?: Uint8Array, to = path) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('logo', new File(file ? [Buffer.from(file)] : [], 'logo.png'));
  const request = new Request('https://api.example.com', { method: 'POST', body });
  const type = String(request.headers.get('content-type'));
  const raw = Buffer.from(await request.arrayBuffer());
  return owner.ask('POST', to, { raw, headers: { 'content-type': type } });
}

test('an owner sets a name, a color and a logo, changes one of them, and removes the logo', async () => {
  expect((await owner.get('/desk/pages')).text).toContain(`href="${path}"`);
  const logo = png(9, 9, 5000);
  const sent = await save({ name: ' Acme Inc. ', accent: '#FFE000' }, logo);
  expect(sent).toMatchObject({ status: 303, headers: { location: path } });
  const expected = { type: 'image/png', data: logo.toString('base64'), width: 9, height: 9 };
  const first = await stored();
  expect(first).toMatchObject({ name: 'Acme Inc.', accent: { chosen: '#ffe000' }, logo: expected });
  const shown = await owner.get(path);
  expect(shown.text).toContain('value="Acme Inc."');
  expect(shown.text).toContain('To keep texts readable, ');
  const file = await owner.get(`${path}/logo`);
  expect(file.headers['content-type']).toBe('image/png');

  await save({ name: 'Acme', accent: '' });
  expect(await stored()).toEqual({ name: 'Acme', logo: first.logo });
  await save({ name: 'Acme', accent: '#2a56c6', 'without-logo': 'yes' });
  expect(await stored()).toMatchObject({ name: 'Acme', accent: { chosen: '#2a56c6', light: '#2a56c6' } });
  expect(await stored()).not.toHaveProperty('logo');
  expect((await owner.get(`${path}/logo`)).status).toBe(404);
  await save({ name: ' ', accent: ' ' });
  expect(await stored()).toEqual({});
  // The script sends a small logo as text.
  const data = png(20, 10).toString('base64');
  await save({ name: '', accent: '', small: `data:image/png;base64,${data}` });
  expect(await stored()).toEqual({ logo: { type: 'image/png', data, width: 20, height: 10 } });
});

test('two owners who edit it at once lose nothing, also after a wrong value', async () => {
  await save({ name: 'Acme', accent: '#2a56c6' });
  const before = () => fieldsOf(shown, 'Save');
  let shown = (await owner.get(path)).text;
  await save({ ...before(), name: 'Acme Inc.', accent: '#2a56c6' });
  const refused = await save({ ...before(), name: 'Acme', accent: 'red' });
  expect(refused.status).toBe(422);
  shown = refused.text;
  expect(shown).toContain('value="Acme Inc."');
  await save({ ...before(), name: 'Acme Inc.', accent: '#123456' });
  expect(await stored()).toMatchObject({ name: 'Acme Inc.', accent: { chosen: '#123456' } });
});

test.each<['accent' | 'logo', Record<string, string>, Uint8Array | undefined, string]>([
  ['accent', { accent: 'blue' }, undefined, 'Enter a color such as #2a56c6.'],
  ['logo', {}, svg, 'Logo must be a PNG, JPEG or WebP image.'],
  ['logo', { small: 'data:image/png;base64,?' }, undefined, 'Logo must be a PNG, JPEG or WebP image.'],
])(
  'an invalid %s (%#) is named, nothing is saved, and the preview says so',
  async (field, fields, file, text) => {
    await save({ name: 'Before', accent: '#123456' });
    const before = await stored();
    const typed = { name: 'After', accent: '#654321', ...fields };
    const back = await save(typed, file);
    expect(back.status).toBe(422);
    expect(back.text).toContain(text);
    expect(back.text).toContain(`value="${typed.name}"`);
    expect(back.text).toContain(`value="${typed.accent}"`);
    // Browsers would show another text than a color as black.
    expect(back.text).toMatch(/<input type="color" value="#[0-9a-f]{6}"/);
    expect(await stored()).toEqual(before);
    const preview = await save(typed, file, `${path}/preview`);
    expect(preview).toMatchObject({ status: 422 });
    expect(preview.text).toContain(`data-problem="${field}">${text}`);
  },
);

test('the preview shows a form or a wall with the typed brand, and says how a color was changed', async () => {
  const calls: string[] = [];
  onTableCall(table, (name) => calls.push(name));
  for (const [shown, heading] of [
    ['form', 'Tell us about your experience'],
    ['wall', 'What our customers say'],
  ] as const) {
    const typed = { name: 'Acme', accent: '#fe0', shown };
    const { status, text, headers } = await save(typed, png(9, 9), `${path}/preview`);
    expect(status).toBe(200);
    expect(text).toContain(heading);
    expect(text).toMatch(
      /<p class="brand"><img src="data:image\/png;base64,[^"]+" alt="" width="9" height="9"><span dir="auto">Acme</,
    );
    expect(text).toMatch(
      /data-note hidden><svg class="sample"[\s\S]*<\/svg>To keep texts readable, light pages use .*<path fill="(#\w{6})".*> \1<\/span>\.</,
    );
    expect(headers['content-security-policy']).toContain("frame-ancestors 'self'");
  }
  const { text } = await save({ accent: '#2450bd' }, png(9, 9), `${path}/preview`);
  const [, sample = ''] = /data-note hidden>([\s\S]*?)<\/svg>/.exec(text) ?? [];
  expect(sample).toMatch(/rx="7" fill="#2450bd"[\s\S]*rx="7" fill="#\w{6}"/);
  expect((await owner.get(`${path}/preview`)).text).toContain('inert');
  expect(calls.filter((name) => /Put|Update|Delete/.test(name))).toEqual([]);
  expect(await stored()).toEqual({});
});

test('forms, pages after sending, walls and their data show it within a minute, under strict policies', async () => {
  const form = await addPage(table);
  const wall = await addPage(table, { kind: 'wall' });
  const visitor = visitorOf(table);
  const pages = [`/f/${form.id}`, `/f/${form.id}/thanks`, `/w/${wall.id}`];
  const before = await Promise.all(pages.map((each) => visitor.get(each)));
  for (const { text } of before) expect(text).not.toContain('class="brand"');
  expect(JSON.parse((await visitor.get(`/w/${wall.id}.json`)).text)).not.toHaveProperty('accent');

  await save({ name: 'Acme & Söhne', accent: '#ffe000' }, png(440, 112));
  const brand = await stored();
  for (const each of pages) {
    const { text, headers } = await visitor.get(each);
    expect(text).toMatch(
      /<p class="brand"><img [^>]* width="220" height="56"><span dir="auto">Acme &amp; Söhne</,
    );
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
    expect(style).toContain(`--brand-light:${brand.accent?.light};--brand-dark:${brand.accent?.dark}`);
    const digest = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toContain(`style-src 'sha256-${digest}'`);
  }
  const { accent } = JSON.parse((await visitor.get(`/w/${wall.id}.json`)).text);
  expect(accent).toEqual({ light: brand.accent?.light, dark: brand.accent?.dark });
  // A form that is shown again has it, too.
  const again = await visitor.send(form, typedFields({ ...(await visitor.opened(form)), content: 'short' }));
  expect(again.status).toBe(422);
  expect(again.text).toContain('class="brand"');
});

test('links to forms and walls are previewed with the name and the logo, and with the usual image without a logo', async () => {
  const logo = png(30, 20);
  const visitor = visitorOf(table);
  const pages = [await addPage(table), await addPage(table, { kind: 'wall' })];
  const ofOther = await addPage(table, { organization: 'other' });
  const usual = await visitor.get('/share.png');
  await save({ name: 'Quokka & Co', accent: '' }, logo);
  for (const page of pages) {
    const { text } = await visitor.get(`/${page.kind[0]}/${page.id}`);
    expect(text).toContain('<meta property="og:site_name" content="Quokka &amp; Co">');
    expect(text).toContain(
      `<meta property="og:image" content="https://api.example.com/share.png?of=${page.id}">`,
    );
    expect(text).toContain('<meta name="twitter:card" content="summary">');
    const image = await visitor.get(`/share.png?of=${page.id}`);
    expect(image).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/png', 'cache-control': 'public, max-age=300' },
      text: String(logo),
    });
    const again = { 'if-none-match': image.headers.etag ?? '' };
    expect((await visitor.get(`/share.png?of=${page.id}`, again)).status).toBe(304);
  }
  for (const query of [`?of=${ofOther.id}`, '?of=nobody', `?of=${'x'.repeat(22)}`, '?of=', '?', '']) {
    expect(await visitor.get(`/share.png${query}`)).toMatchObject({ status: 200, text: usual.text });
  }
  const ofNoBrand = await visitor.get(`/f/${ofOther.id}`);
  expect(ofNoBrand.text).toContain('content="https://api.example.com/share.png"');
  expect(ofNoBrand.text).not.toContain('og:site_name');
  for (const method of ['POST', 'DELETE'])
    expect((await visitor.ask(method, `/share.png?of=${pages[0]?.id}`)).status).toBe(405);
});

test('a link to the desk shows the name and the logo of the brand', async () => {
  const logo = png(30, 20);
  await save({ name: 'Quokka & Co', accent: '' }, logo);
  const person = { organization: 'acme', name: 'Bo', role: 'moderator', mayErase: false } as const;
  const { secret } = await invitePerson(desk.people, person);
  const invitation = invitationLink('https://api.example.com', secret);
  const { text, headers } = await desk.browser().post('/desk/open/look', { invitation });
  expect(text).toContain('Sign in to the desk of <bdi>Quokka &amp; Co</bdi>');
  expect(text).toContain(
    `<img src="data:image/png;base64,${logo.toString('base64')}" alt="" width="30" height="20">`,
  );
  expect(headers['content-security-policy']).toContain("img-src 'self' data:;");
});
