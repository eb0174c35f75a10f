/** The list and the queue: their parameters, selections, and forms that no page sends. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { adminOf } from '../../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { type Browser, deskOf } from '../../desk-client.ts';
import { seen } from '../../forms.ts';

let api: ApiClient;
let owner: Browser;
beforeAll(async () => {
  api = await createApiClient();
  owner = await (await deskOf(api.table)).signedIn({ role: 'owner' });
});

async function create(overrides: Record<string, unknown> = {}): Promise<Testimonial> {
  return (await api.create(testimonialBody(overrides))).body;
}
async function find(search: string): Promise<Testimonial[]> {
  return (await api.list(`search=${search}`)).body.testimonials;
}

test('the list has every parameter of the API', async () => {
  const { text } = await owner.get('/desk/list');
  for (const name of ['search', 'type', 'rating', 'tags', 'sort', 'order', 'limit']) {
    expect(text).toContain(`name="${name}"`);
  }
  for (const status of ['all', 'pending', 'approved', 'rejected'])
    expect(text).toContain(`href="/desk/list?status=${status}"`);
  // The filters keep the status of the tab.
  expect((await owner.get('/desk/list?status=rejected')).text).toContain(
    '<input type="hidden" name="status" value="rejected">',
  );
  await create({ content: 'A zebra of five', rating: 5, tags: ['stripes'] });
  await create({ content: 'A zebra of three', rating: 3, tags: ['stripes'] });
  const one = await owner.get('/desk/list?search=zebra&rating=4&tags=Stripes&status=pending&type=text');
  expect(one.text).toContain('>1 testimonial<');
  const asc = await owner.get('/desk/list?search=zebra&sort=rating&order=asc&limit=1&page=2');
  expect(asc.text).toContain('A zebra of five');
  expect(asc.text).not.toContain('A zebra of three');
  expect(asc.text).toMatch(/name="page"[^>]*value="2"/);
  // The words for the order follow what is sorted.
  expect(asc.text).toContain('<option value="asc" selected>Lowest rating first</option>');
  expect(asc.text).toContain('Order: <bdi>Lowest rating first</bdi>');
  expect(text).toContain('<option value="desc" selected>Newest first</option>');
  const beyond = await owner.get('/desk/list?search=zebra&page=7');
  expect(beyond.text).toMatch(
    /The list has fewer pages now<[\s\S]*href="\/desk\/list\?search=zebra&amp;page=1">First</,
  );
  const wrong = expect.stringContaining('<p>page must be a whole number');
  expect(await owner.get('/desk/list?page=0')).toMatchObject({ status: 400, text: wrong });
  for (const tag of ['tail', 'mane']) await create({ content: `A lion with a ${tag}`, tags: [tag] });
  expect((await owner.get('/desk/list?tags=tail&tags=mane')).text).toContain('>2 testimonials<');
});

test('a selection is approved, tagged and erased; a testimonial that someone else changed is marked and skipped', async () => {
  const animals = ['one', 'two', 'three'].map((n) => create({ content: `Giraffe ${n} of some` }));
  const [a, b, c] = (await Promise.all(animals)) as [Testimonial, Testimonial, Testimonial];
  const act = (action: string, some: readonly Testimonial[], more = {}) =>
    owner.send('/desk/list?search=giraffe', { action, seen: some.map(seen), ...more });
  await adminOf(api.table)('testimonial', 'reject', b.id, '--organization', 'acme');
  const response = await act('approve', [a, b, c]);
  expect(response.text).toContain('2 testimonials approved.');
  expect(response.text).toMatch(/Someone else changed this testimonial first[\s\S]*Giraffe two/);
  expect((await find('giraffe')).map(({ status }) => status).sort()).toEqual([
    'approved',
    'approved',
    'rejected',
  ]);

  const now = await find('giraffe');
  expect((await act('tag', now, { tags: ' featured, Best ' })).text).toContain('3 testimonials tagged.');
  const tagged = await find('giraffe');
  expect(tagged.map(({ tags }) => tags)).toEqual(now.map(() => ['featured', 'Best']));
  const long = 'x'.repeat(51);
  expect((await act('tag', now, { tags: long })).text).toContain(`The tag “${long.slice(0, 19)}…” must`);
  expect((await act('approve', [])).text).toContain('Select testimonials first.');

  const [first] = tagged as [Testimonial];
  const asked = await owner.send('/desk/list?search=giraffe', { one: `ask to erase on ${seen(first)}` });
  expect(asked.text).toContain('Erase 1 testimonial for good?');
  // The page showed the testimonial before it was tagged.
  expect((await act('erase', [c])).text).toContain('Someone else changed this testimonial first');
  expect(await find('giraffe')).toHaveLength(3);
  const erased = await act('erase', [first]);
  expect(erased.text).toContain('1 testimonial erased');
  expect(erased.text).toContain('>2 testimonials<');
  expect((await act('erase', [first])).text).toContain('1 testimonial was erased already.');
  expect(await find('giraffe')).toHaveLength(2);
});

test('a queue form without a valid review or action changes nothing', async () => {
  const one = await create({ content: 'Gazelle of nonsense' });
  const review = '{"decisions":[],"skipped":[],"counts":{"pending":0,"approved":0,"rejected":0}}';
  for (const fields of [
    { key: 'a', seen: seen(one) },
    { key: 'a', seen: seen(one), review: '{"decisions":[{"id":1}]}' },
    { key: 'a', seen: 'nonsense', review },
    { key: 'x', seen: seen(one), review },
    { key: 'u', seen: seen(one), review },
  ]) {
    expect((await owner.send('/desk/queue', fields)).status).toBe(422);
  }
  expect(await find('gazelle')).toMatchObject([{ status: 'pending' }]);
});

test('a form that no page of the desk contains is refused', async () => {
  expect((await owner.send('/desk/list', { action: 'approve', seen: 'nonsense' })).status).toBe(422);
  expect((await owner.send('/desk/list', { action: 'drop', seen: 'test_1@2026' })).text).toContain(
    'This form is out of date. Reload the page.',
  );
  expect((await owner.get('/desk/absent')).status).toBe(404);
});

test('the queue names its wrong parameters', async () => {
  const { status, text } = await owner.get('/desk/queue?rating=9&type=text&type=video');
  expect(status).toBe(400);
  expect(text).toContain('type must be given only once. rating must be a whole number from 1 to 5.');
});
