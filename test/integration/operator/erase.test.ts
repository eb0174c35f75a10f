/** `testimonial erase`. */
import { randomInt } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { rebuildIndex } from '../../../functions/testimonials/list-index/write/rebuild.ts';
import { updateIndex, wholeTail } from '../../../functions/testimonials/list-index/write/update-index.ts';
import { createTestimonial } from '../../../functions/testimonials/operations/create-testimonial.ts';
import { eraseTestimonial } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { forgetAfterMs, settledMs } from '../../../functions/timing.ts';
import { adminOf, commandOn, refused } from '../../admin.ts';
import {
  type ApiClient,
  createApiClient,
  ownPermissions,
  storesOf,
  testimonialBody,
} from '../../api-client.ts';
import { moderate } from '../../moderate.ts';
import { personWith } from '../../person.ts';
import { textOf } from '../../stored-items.ts';

const body = testimonialBody({
  content: 'A quagga of a product',
  author: { name: 'Zdenka Xylander', email: 'Zdenka@example.com', company: 'Yttrium Ltd.' },
  rating: 4,
  tags: ['wolfram'],
});
/** Texts that only this testimonial contains. */
const texts = ['quagga', 'Zdenka', 'zdenka', 'Xylander', 'xylander', 'Yttrium', 'wolfram', '=qu', '=zd'];

let api: ApiClient;
let id: string;
let updateClockMs: number;
beforeEach(async () => {
  api = await createApiClient();
  updateClockMs = 0;
  await api.create(testimonialBody());
  id = (await api.create(body, { 'idempotency-key': 'k1' })).body.id;
  await api.create(testimonialBody({ rating: 4 }));
});

/** Updates the index as the index function does, later each time. */
async function updateLater(): Promise<void> {
  updateClockMs += settledMs + forgetAfterMs;
  const now = () => new Date(Date.now() + updateClockMs);
  await updateIndex({ ...storesOf(api.table), now }, 'acme', wholeTail);
}

const eraseNow = () => eraseTestimonial({ ...storesOf(api.table), now: () => new Date() }, 'acme', id);
const admin = (person?: Parameters<typeof adminOf>[1]) => adminOf(api.table, person, updateLater);
const erase = (...args: string[]) =>
  admin()('testimonial', 'erase', '--organization', 'acme', '--yes', ...args);
const idsIn = async (query: string): Promise<string[]> =>
  (await api.list(query)).body.testimonials.map((testimonial: { id: string }) => testimonial.id);

test('consent is in no response, stays through changes, and goes with the testimonial', async () => {
  const page = '0123456789abcdefABCDEF';
  const { testimonials, idempotencyKeys } = storesOf(api.table);
  const deps = { testimonials, idempotencyKeys, now: () => new Date(), randomInt };
  const input = {
    content: 'Sent with a form',
    author: { name: 'Ann', email: 'ann@example.com' },
    type: 'text',
  } as const;
  const { testimonial } = await createTestimonial(deps, { organization: 'acme', input, form: page });
  ({ id } = testimonial);
  const token = await api.issue(ownPermissions);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const pathParameters = { id };
  const routes = ['GET /v1/testimonials/{id}', 'PATCH /v1/testimonials/{id}'] as const;
  const body = JSON.stringify({ status: 'approved', addTags: ['ux'] });
  const requests = [{ routeKey: routes[0] }, { routeKey: routes[1], body }];
  const responses = [await api.list('search=form')];
  for (const request of requests) responses.push(await api.call({ ...request, headers, pathParameters }));
  responses.push(await api.list('search=form'));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(JSON.stringify(responses)).not.toMatch(new RegExp(`consent|${page}`));
  const consent = { page, at: testimonial.createdAt };
  const changed = await testimonials.find('acme', ordinalOf(id));
  expect(changed).toMatchObject({ testimonial: { status: 'approved', tags: ['ux'] }, consent });
  await updateLater();
  expect(await textOf(api.table)).toContain(page);
  expect((await erase(id)).code).toBe(0);
  expect(await textOf(api.table)).not.toMatch(new RegExp(`consent|${page}`));
});

describe('the command', () => {
  test('prints each step, and can be repeated', async () => {
    expect(await erase(id)).toEqual({
      code: 0,
      stdout: `${id} erased\n`,
      stderr:
        `${id}  ${new Date().toISOString().slice(0, 10)}  Zdenka Xylander  A quagga of a product\n` +
        'Lists no longer show them. Removing their words from the index (usually less than half a minute) …\n' +
        'The testimonials are deleted from the table. Point-in-time backups keep them for up to 35 days.\n',
    });
    const again = await erase(id);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toContain(`${id} was already erased`);
    await expect(moderate(api, 'acme', id, 'approved', new Date())).rejects.toThrow('absent');
  });

  test('asks about each testimonial once, and erases nothing without a yes', async () => {
    const other = (await api.create({ ...body, content: 'Once more, with feeling' })).body.id;
    for (const [args, count] of [
      [['--email', 'zdenka@EXAMPLE.com'], '2 testimonials'],
      [[other, other], '1 testimonial'],
    ] as const) {
      const hesitant = personWith({ answers: ['no'] });
      const command = ['testimonial', 'erase', '--organization', 'acme', ...args];
      expect(await admin(hesitant)(...command)).toMatchObject({ code: 1, stdout: '' });
      expect(hesitant.asked).toEqual([`Erase ${count} of acme for good? [y/N] `]);
      expect((await admin()(...command)).stderr).toContain('add --yes');
    }
    expect(await idsIn('')).toHaveLength(4);
    const agreeing = admin(personWith({ answers: ['y'] }));
    const { code } = await agreeing('testimonial', 'erase', '--organization', 'acme', id);
    expect(code).toBe(0);
    expect(await idsIn('')).not.toContain(id);
  });

  test('erases everything by several authors, in either spelling of a domain, and fails for an unknown one', async () => {
    const spellings = ['ida@büro.example', 'ida@xn--bro-hoa.example'];
    const bodies = spellings.map((email) => testimonialBody({ author: { name: 'Ida', email } }));
    const ids = await Promise.all(bodies.map(async (each) => (await api.create(each)).body.id));
    const emails = ['--email', 'zdenka@example.com', '--email=\u200bIDA@bu\u0308\u00adro.example'];
    const { code, stdout, stderr } = await erase(...emails, '--email', 'nobody@example.com');
    expect({ code, lines: stdout.trim().split('\n').toSorted() }).toEqual({
      code: 1,
      lines: [id, ...ids].map((each) => `${each} erased`).toSorted(),
    });
    expect(stderr).toContain('No testimonial of acme is by nobody@example.com.');
    expect(await idsIn('')).toHaveLength(2);
  });

  test('erases the others when one is unknown, and fails', async () => {
    const printed = await erase('test_1000000000009', id);
    expect(printed).toMatchObject({ code: 1, stdout: `${id} erased\n` });
    expect(printed.stderr).toContain('acme has no testimonial test_1000000000009');
  });

  test.each([[[]], [['test_1000000000001', '--email', 'a@example.com']]])('refuses %j', async (args) => {
    expect(await erase(...args)).toMatchObject({ code: 1, stdout: '' });
  });

  test('finishes a stopped one if it is repeated', async () => {
    await updateLater();
    // A rebuild that stopped before it removed the old postings, and an erasure that stopped before it
    // removed the words.
    await rebuildIndex({ ...storesOf(api.table), now: () => new Date() }, 'acme');
    await eraseNow();
    for (const again of [['--email', 'zdenka@example.com'], [id]]) {
      expect((await erase(...again)).code).toBe(0);
      const left = await textOf(api.table);
      expect(texts.filter((text) => left.includes(text))).toEqual([]);
    }
    expect(await erase('--email', 'zdenka@example.com')).toEqual(
      refused('No testimonial of acme is by zdenka@example.com.'),
    );
  });

  test('warns that an index of another version may still contain words', async () => {
    await updateLater();
    const { index } = storesOf(api.table);
    const head = await index.readHead('acme');
    if (head) await index.replaceHead('acme', { ...head, terms: '1/1.0' });
    expect((await erase(id)).stderr).toContain(
      `may still contain words of these testimonials. Run: ${commandOn(api.table, 'index rebuild --organization acme')}\n`,
    );
  });

  test('leaves no idempotency key that could have been an e-mail address', async () => {
    await api.create(
      { ...body, content: 'Once more, with feeling' },
      { 'idempotency-key': 'zdenka@example.com' },
    );
    expect(await textOf(api.table)).toContain('ORG#acme#KEY#');
    expect((await erase('--email', 'zdenka@example.com')).code).toBe(0);
    expect(await textOf(api.table)).not.toContain('zdenka@example.com');
  });
});
