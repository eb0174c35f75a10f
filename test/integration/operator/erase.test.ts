/** `testimonial erase`: a person's right to be forgotten, as an operator carries it out. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { rebuildIndex } from '../../../functions/list-index/write/rebuild.ts';
import { takingAll, updateIndex } from '../../../functions/list-index/write/update-index.ts';
import { type Difference, verifyIndex } from '../../../functions/list-index/write/verify.ts';
import { eraseTestimonial } from '../../../functions/operations/erase-testimonial.ts';
import { forgetAfterMs, settledMs } from '../../../functions/timing.ts';
import { adminOf, commandOn, refused } from '../../admin.ts';
import { type ApiClient, createApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { moderate } from '../../moderate.ts';
import { personWith } from '../../person.ts';
import { textOf } from '../../stored-items.ts';

const body = testimonialBody({
  content: 'A quagga of a product',
  author: { name: 'Zdenka Xylander', email: 'Zdenka@example.com', company: 'Yttrium Ltd.' },
  rating: 4,
  tags: ['wolfram'],
});
/** What nobody else says. */
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

/** Updates the index as the index function does, some time later each time. */
async function updateLater(): Promise<void> {
  updateClockMs += settledMs + forgetAfterMs;
  const now = () => new Date(Date.now() + updateClockMs);
  await updateIndex({ ...storesOf(api.table), now }, 'acme', takingAll);
}

const eraseNow = () => eraseTestimonial({ ...storesOf(api.table), now: () => new Date() }, 'acme', id);
const admin = (person?: Parameters<typeof adminOf>[1]) => adminOf(api.table, person, updateLater);
const erase = (...args: string[]) =>
  admin()('testimonial', 'erase', '--organization', 'acme', '--yes', ...args);
const idsIn = async (query: string): Promise<string[]> =>
  (await api.list(query)).body.testimonials.map((testimonial: { id: string }) => testimonial.id);

test.each(['in the tail', 'in the index'])(
  'what was erased %s leaves nothing in the table but its id, whatever became of it before',
  async (where) => {
    if (where === 'in the index') await updateLater();
    await moderate(api, 'acme', id, 'approved', new Date());
    await updateLater();
    await moderate(api, 'acme', id, 'rejected', new Date());
    expect((await erase(id)).code).toBe(0);
    const left = await textOf(api.table);
    expect(texts.filter((text) => left.includes(text))).toEqual([]);
    expect(left).toContain(id);
    const differences: Difference[] = [];
    await verifyIndex({ ...storesOf(api.table), now: api.table.now }, 'acme', (difference) =>
      differences.push(difference),
    );
    expect(differences).toEqual([]);
  },
);

describe('the command', () => {
  test('says what is done, and what is left', async () => {
    expect(await erase(id)).toEqual({
      code: 0,
      stdout: `${id} erased\n`,
      stderr:
        `${id}  ${new Date().toISOString().slice(0, 10)}  Zdenka Xylander  A quagga of a product\n` +
        'No list shows them any more. Removing their words from the index, within a minute\n' +
        'Gone from the table. Point-in-time backups keep them for up to 35 days.\n',
    });
  });

  test('can be repeated', async () => {
    await erase(id);
    const again = await erase(id);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toContain(`${id} was erased before`);
    await expect(moderate(api, 'acme', id, 'approved', new Date())).rejects.toThrow('absent');
  });

  test('finds all testimonials of a person, in any case, and asks before it acts', async () => {
    const other = (await api.create({ ...body, content: 'Once more, with feeling' })).body.id;
    const command = ['testimonial', 'erase', '--organization', 'acme', '--email', 'zdenka@EXAMPLE.com'];
    const hesitant = personWith({ answers: ['no'] });
    expect(await admin(hesitant)(...command)).toMatchObject({ code: 1, stdout: '' });
    expect(hesitant.asked).toEqual(['Erase 2 testimonials of acme for good? [y/N] ']);
    expect(await idsIn('')).toContain(id);

    const { code, stdout } = await admin(personWith({ answers: ['y'] }))(...command);
    expect({ code, lines: stdout.trim().split('\n').toSorted() }).toEqual({
      code: 0,
      lines: [`${id} erased`, `${other} erased`].toSorted(),
    });
    expect(await idsIn('')).toHaveLength(2);
  });

  test('erases all that several addresses wrote, and fails for one that wrote nothing', async () => {
    const other = (await api.create(testimonialBody({ author: { name: 'Ben', email: 'ben@example.com' } })))
      .body.id;
    const emails = ['--email', 'zdenka@example.com', '--email=BEN@example.com'];
    const hesitant = personWith({ answers: ['no'] });
    await admin(hesitant)('testimonial', 'erase', ...emails, '--organization', 'acme');
    expect(hesitant.asked).toEqual(['Erase 2 testimonials of acme for good? [y/N] ']);
    const { code, stdout, stderr } = await erase(...emails, '--email', 'nobody@example.com');
    expect({ code, lines: stdout.trim().split('\n').toSorted() }).toEqual({
      code: 1,
      lines: [`${id} erased`, `${other} erased`].toSorted(),
    });
    expect(stderr).toContain('No testimonial of acme is by nobody@example.com.');
    expect(await idsIn('')).toHaveLength(2);
  });

  test('asks about an id that is named twice as one testimonial', async () => {
    const hesitant = personWith({ answers: ['no'] });
    await admin(hesitant)('testimonial', 'erase', id, id, '--organization', 'acme');
    expect(hesitant.asked).toEqual(['Erase 1 testimonial of acme for good? [y/N] ']);
  });

  test('does nothing without consent where nobody can be asked', async () => {
    const printed = await admin()('testimonial', 'erase', '--organization', 'acme', id);
    expect(printed).toMatchObject({ code: 1, stdout: '' });
    expect(printed.stderr).toContain('add --yes');
    expect(await idsIn('')).toContain(id);
  });

  test('erases the others when one is unknown, and fails', async () => {
    const printed = await erase('test_1000000000009', id);
    expect(printed).toMatchObject({ code: 1, stdout: `${id} erased\n` });
    expect(printed.stderr).toContain('acme has no testimonial test_1000000000009');
  });

  test.each([
    ['neither ids nor an address', []],
    ['both', ['test_1000000000001', '--email', 'a@example.com']],
  ])('refuses %s', async (_what, args) => {
    expect(await erase(...args)).toMatchObject({ code: 1, stdout: '' });
  });

  test('finishes, when it is repeated, what was stopped before its end', async () => {
    await updateLater();
    // Stopped where it would remove the postings of before, as the erasure after it once lists were right.
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

  test('names what it does not reach', async () => {
    await updateLater();
    const { index } = storesOf(api.table);
    const head = await index.readHead('acme');
    if (head) await index.replaceHead('acme', { ...head, terms: '1/1.0' });
    expect((await erase(id)).stderr).toContain(
      `may have kept a word. Run: ${commandOn(api.table, 'index rebuild --organization acme')}\n`,
    );
  });

  test('leaves no idempotency key that could have been an address', async () => {
    await api.create(
      { ...body, content: 'Once more, with feeling' },
      { 'idempotency-key': 'zdenka@example.com' },
    );
    expect(await textOf(api.table)).toContain('ORG#acme#KEY#');
    expect((await erase('--email', 'zdenka@example.com')).code).toBe(0);
    expect(await textOf(api.table)).not.toContain('zdenka@example.com');
  });
});
