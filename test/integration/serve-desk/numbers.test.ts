/** The page “Numbers” of a deployed desk. */
import { describe, expect, test } from '@jest/globals';
import { statuses, type Testimonial, testimonialTypes } from '../../../functions/domain/testimonial.ts';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
import { costMeter } from '../../../functions/dynamodb/cost-meter.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { updateIndex, wholeTail } from '../../../functions/testimonials/list-index/write/update-index.ts';
import { changeTestimonial } from '../../../functions/testimonials/operations/change-testimonial.ts';
import { eraseTestimonial } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { settledMs } from '../../../functions/timing.ts';
import { adminOf } from '../../admin.ts';
import { createApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { deskOf } from '../../desk-client.ts';
import { fileOf } from '../../file-of.ts';
import { addPage, typedFields, visitorOf } from '../../page-visitor.ts';
import { storedTestimonials } from '../../stored-items.ts';

const day = 24 * 3_600_000;

/** Returns the rows of a table, each with its heading and its numbers. */
function rowsOf(text: string, caption: string): [name: string, ...counts: number[]][] {
  const [, table = ''] = text.split(`<caption>${caption}</caption>`);
  const rows = (table.split('</table>')[0] ?? '').split('<tr>').slice(2);
  return rows.map((row) => {
    const [name = '', ...counts] = [...row.matchAll(/>([^<>\s][^<]*)<\/t[hd]>/g)].map(
      ([, cell = '']) => cell,
    );
    return [name, ...counts.map((count) => Number(count.replaceAll(',', '')))];
  });
}

test('counts every month by status, with an imported past, changes, an erasure and what is not indexed yet', async () => {
  const api = await createApiClient();
  const { table } = api;
  const now = table.now().getTime();
  const lines = Array.from({ length: 90 }, (_, i) => ({
    ...testimonialBody({ content: `Line ${i} of the past` }),
    status: statuses[i % 3],
    createdAt: new Date(now - (1 + i * 5) * day).toISOString(),
    ...(i % 6 > 0 && { rating: i % 6 }),
  }));
  const file = await fileOf(lines.map((line) => JSON.stringify(line)).join('\n'), 'past.ndjson');
  const imported = await adminOf(table)('import', file, '--organization', 'acme', '--yes');
  expect(imported.code).toBe(0);
  for (let i = 0; i < 3; i += 1)
    await api.create(testimonialBody({ content: `One of today: ${i}`, rating: 5 }));
  const stored = async () => (await storedTestimonials(table)).map((row) => row.testimonial);
  const idOf = async (text: string) => (await stored()).find(({ content }) => content === text)?.id ?? '';
  const deps = { ...storesOf(table), now: table.now };
  await changeTestimonial(deps, 'acme', await idOf('Line 30 of the past'), { status: 'approved' });
  await changeTestimonial(deps, 'acme', await idOf('One of today: 1'), { status: 'rejected' });
  await eraseTestimonial(deps, 'acme', await idOf('Line 12 of the past'));

  const { get } = await (await deskOf(table)).signedIn();
  const meter = costMeter(table.client);
  const { status, text } = await get('/desk/numbers');
  expect(status).toBe(200);
  // Of these, three are for the session.
  expect(meter.cost().requests).toBeLessThanOrEqual(13);

  const all = await stored();
  expect(all).toHaveLength(92);
  // In the order of the bars.
  const shown = ['approved', 'pending', 'rejected'];
  const counts = (rows: Testimonial[]) => [
    ...shown.map((each) => rows.filter((row) => row.status === each).length),
    rows.length,
  ];
  const first = new Date(now);
  const months = Array.from({ length: 12 }, (_, i) =>
    new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + i - 11)).toISOString().slice(0, 7),
  );
  const inMonth = (month: string) => all.filter(({ createdAt }) => createdAt.startsWith(month));
  const earlier = all.filter(({ createdAt }) => createdAt < (months[0] ?? ''));
  expect(earlier.length).toBeGreaterThan(0);
  const byMonth = rowsOf(text, 'By month');
  expect(byMonth.map(([, ...row]) => row)).toEqual([earlier, ...months.map(inMonth), all].map(counts));
  const nameOf = (month: string) =>
    new Date(month).toLocaleDateString('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });
  expect(byMonth.map(([name]) => name)).toEqual(['Earlier', ...months.map(nameOf), 'All']);

  const ofRating = (rating?: number) => counts(all.filter((row) => row.rating === rating));
  const byRating = new Map(rowsOf(text, 'By rating').map(([name, ...row]) => [name, row]));
  expect(byRating.get('3 stars')).toEqual(ofRating(3));
  expect(byRating.get('Unrated')).toEqual(ofRating());
  const ofType = (type: string) => counts(all.filter((row) => row.type === type));
  expect(rowsOf(text, 'By type')).toEqual([
    ...testimonialTypes.map((type) => [`${type[0]?.toUpperCase()}${type.slice(1)}`, ...ofType(type)]),
    ['All', ...counts(all)],
  ]);

  const averageOf = (rows: Testimonial[]) => {
    const rated = rows.flatMap(({ rating }) => rating ?? []);
    return (rated.reduce((sum: number, each) => sum + each, 0) / rated.length).toFixed(1);
  };
  const approvedOnes = all.filter((row) => row.status === 'approved');
  expect(text).toContain(
    `Average <strong>${averageOf(all)}</strong> of 5 stars (approved: <strong>${averageOf(approvedOnes)}</strong>)`,
  );

  const weekOld = all.filter(
    (row) => row.status === 'pending' && Date.parse(row.createdAt) < now - 7 * day,
  ).length;
  const figures = [
    ...text.matchAll(/<a href="([^"]*)"><strong>([\d,]+)<\/strong> <span class="[^"]*">([^<]*)/g),
  ];
  const [approved, pending, rejected, total] = counts(all);
  expect(figures.map(([, link, count, label]) => [link, Number(count), label])).toEqual([
    ['/desk/list', total, 'All'],
    ['/desk/list?status=approved', approved, 'Approved'],
    ['/desk/list?status=pending', pending, 'Pending'],
    ['/desk/list?status=rejected', rejected, 'Rejected'],
  ]);
  expect(text).toContain(`<a class="since" href="/desk/queue">${weekOld} pending for more than a week</a>`);
  // The filter is a minimum, so each list begins with the testimonials of its bar.
  for (const link of [
    '?rating=3&amp;sort=rating&amp;order=asc">3 stars',
    '?sort=rating&amp;order=asc">Unrated',
  ])
    expect(text).toContain(`href="/desk/list${link}<`);
  expect((await get('/desk/list?rating=5')).text).toContain(`>${ofRating(5).at(-1)} testimonials<`);
  expect(text).not.toMatch(/ style=/);
});

test('an empty organization sees its next step, and a young one neither empty months nor an average', async () => {
  const api = await createApiClient();
  const { get } = await (await deskOf(api.table, { pages: true })).signedIn({ role: 'owner' });
  const empty = (await get('/desk/numbers')).text;
  expect(empty).toContain('There are no testimonials yet.');
  expect(empty).toContain('<a href="/desk/pages">Send your form to a customer</a>');
  expect(empty).not.toMatch(/<table|class="figures"|class="bars/);
  await api.create(testimonialBody({ content: 'The first one of all', rating: undefined }));
  const young = (await get('/desk/numbers')).text;
  expect(rowsOf(young, 'By month')).toHaveLength(2);
  expect(young).toContain('<h2>By month</h2>');
  expect(young).not.toContain('On average');
  await api.create(testimonialBody({ content: 'The second one of all', rating: 4 }));
  expect((await get('/desk/numbers')).text).toContain('Average <strong>4.0</strong> of 5 stars<');
});

/** Returns the rows of the part “By form”, as people read them: a title and its numbers. */
function formsIn(text: string): string[][] {
  const [, part = ''] = text.split('<h2>By form</h2>');
  const rows = (part.split('</ul>')[0] ?? '').split('<li class="with-actions">').slice(1);
  return rows.map((row) =>
    row.split('<p').map((half) =>
      half
        .replace(/^ class="muted">/, '')
        .replace(/<[^>]*>/g, '')
        .trim(),
    ),
  );
}

/** Returns the number of each form, and nothing of walls, as the page of forms and walls shows them. */
function numbersOnPages(text: string): Record<string, string | undefined> {
  const cards = text.split('<li class="card with-actions">').slice(1);
  const texts = cards.map((card) => {
    const [, title = ''] = /<bdi>(.*?)<\/bdi>/.exec(card) ?? [];
    const [, number] = /<\/time><\/span><span>(.*?)<\/span><\/p>/.exec(card) ?? [];
    return [title, number?.replace(/<[^>]*>/g, '')];
  });
  return Object.fromEntries(texts);
}

/** Indexes every testimonial of acme. */
async function indexAll(table: Table): Promise<void> {
  const now = () => new Date(table.now().getTime() + settledMs + 60_000);
  await updateIndex({ ...storesOf(table), now }, 'acme', wholeTail);
  const { indexed = 0 } = (await storesOf(table).index.readHead('acme')) ?? {};
  expect(indexed).toBeGreaterThan(firstPosition);
}

/** Opens the desk of a table in a function of its own, which remembers nothing. */
const ownerOf = async (table: Table, options = { pages: true }) =>
  (await deskOf(table, options)).signedIn({ role: 'owner' });

describe('by form', () => {
  let made = 0;
  /** A form that is newer than the last one. */
  const form = (title: string, settings: Record<string, string> = {}) => {
    made += 1;
    return { title, settings, createdAt: new Date(Date.UTC(2026, 0, 1) + made).toISOString() };
  };

  test('counts the testimonials with a tag that only this form adds, and their stars, before and after they are indexed', async () => {
    const api = await createApiClient();
    const { table } = api;
    const shop = await addPage(table, form('Shop', { tags: 'customer, shop' }));
    await addPage(table, form('Fair', { tags: 'CUSTOMER,fair' }));
    await addPage(table, form('Blog', { tags: 'customer' }));
    await addPage(table, form('Plain'));
    await addPage(table, form('New', { tags: 'new' }));
    await addPage(table, form('Unrated', { tags: 'a & b' }));
    await addPage(table, { kind: 'wall', title: 'Praise', settings: { tags: 'shop' } });
    await addPage(table, { ...form('Foreign', { tags: 'fair' }), organization: 'other' });
    const visitor = visitorOf(table);
    const sent = await visitor.send(shop, typedFields({ ...(await visitor.opened(shop)), rating: '5' }));
    expect(sent.status).toBe(303);
    const ids = [];
    const others: [tags: string[] | undefined, rating?: number][] = [
      [['Shop'], 4],
      [['shop', 'x']],
      [['shop'], 4],
      [['shop'], 1],
      [['fair', 'customer'], 3],
      [['customer'], 1],
      [['a & b']],
      [undefined, 2],
    ];
    for (const [tags, rating] of others) {
      const content: string = `A fine product, number ${ids.length}`;
      ids.push((await api.create(testimonialBody({ content, tags, rating }))).body.id);
    }
    const expected = [
      ['Shop', '5 testimonials, on average 3.5 of 5 stars'],
      ['Fair', '1 testimonial, on average 3.0 of 5 stars'],
      ['Blog', 'Add a tag'],
      ['Plain', 'Add a tag'],
      ['New', 'No testimonials yet'],
      ['Unrated', '1 testimonial, no ratings'],
    ];
    const owner = await ownerOf(table);
    const unindexed = (await owner.get('/desk/numbers')).text;
    expect(formsIn(unindexed)).toEqual(expected);
    expect(unindexed).toContain(`<bdi><a href="/desk/pages/${shop.id}">Shop</a></bdi>`);
    expect(unindexed).toContain('<a href="/desk/list?tags=shop">5 testimonials</a>');
    // The link shows exactly these.
    expect((await owner.get('/desk/list?tags=shop')).text).toContain('>5 testimonials<');
    const link = /href="(\/desk\/list\?tags=a[^"]*)"/.exec(unindexed)?.[1] ?? '';
    expect((await owner.get(link.replaceAll('&amp;', '&'))).text).toContain('>1 testimonial<');

    await indexAll(table);
    expect(formsIn((await owner.get('/desk/numbers')).text)).toEqual(expected);
    expect(numbersOnPages((await owner.get('/desk/pages')).text)).toEqual({
      ...Object.fromEntries(expected),
      // Forms that are not counted, and a wall.
      Blog: 'Add a tag to count testimonials',
      Plain: 'Add a tag to count testimonials',
      Praise: undefined,
    });

    const deps = { ...storesOf(table), now: table.now };
    await eraseTestimonial(deps, 'acme', ids[3] ?? '');
    await changeTestimonial(deps, 'acme', ids[5] ?? '', { addTags: ['new'], status: 'rejected' });
    const [first, , , , fifth] = formsIn((await owner.get('/desk/numbers')).text);
    expect(first).toEqual(['Shop', '4 testimonials, on average 4.3 of 5 stars']);
    expect(fifth).toEqual(['New', '1 testimonial, on average 1.0 of 5 stars']);
  });

  test('is absent without forms, and where there are no pages; moderators get no links to settings', async () => {
    const { table, create } = await createApiClient();
    await create(testimonialBody({ tags: ['ours'] }));
    await addPage(table, { kind: 'wall', title: 'Praise' });
    for (const pages of [true, false]) {
      const { status, text } = await (await ownerOf(table, { pages })).get('/desk/numbers');
      expect([status, text.includes('By form')]).toEqual([200, false]);
    }
    await addPage(table, form('Tell <us>', { tags: 'ours' }));
    const moderator = await (await deskOf(table, { pages: true })).signedIn();
    const { text } = await moderator.get('/desk/numbers');
    expect(text).toContain('<bdi>Tell &lt;us&gt;</bdi>');
    expect(text).not.toContain('href="/desk/pages/');
  });

  test('counts the oldest 20 forms, and says so; their postings are read in two calls', async () => {
    const api = await createApiClient();
    const { table } = api;
    const addForms = async (from: number, to: number) => {
      for (let i = from; i <= to; i += 1) await addPage(table, form(`Form ${i}`, { tags: `tag${i}` }));
    };
    await addForms(1, 1);
    for (let i = 0; i < 30; i += 1) {
      const content = `A fine product, number ${i}`;
      await api.create(testimonialBody({ content, rating: 5, tags: [`tag${(i % 20) + 1}`] }));
    }
    await indexAll(table);
    const measured = async () => {
      const { get } = await ownerOf(table);
      const meter = costMeter(table.client);
      const { text } = await get('/desk/numbers');
      return { text, cost: meter.cost() };
    };
    const one = await measured();
    expect(formsIn(one.text)).toHaveLength(1);
    expect(one.text).not.toContain('The oldest 20 forms.');
    await addForms(2, 25);
    const all = await measured();
    expect(formsIn(all.text)).toHaveLength(20);
    expect(all.text).toContain('The oldest 20 forms.');
    expect(formsIn(all.text).filter(([, numbers]) => numbers?.startsWith('2 testimonials, '))).toHaveLength(
      10,
    );
    expect(all.cost.requests).toBe(one.cost.requests + 1);
    // The pages of 24 more forms, a longer list of them, and 19 more postings.
    expect(all.cost.units).toBe(one.cost.units + 24 + 1 + 19);
  });

  test('an invalid setting that a command stored keeps nothing from being shown', async () => {
    const api = await createApiClient();
    await api.create(testimonialBody());
    await addPage(api.table, form('Broken', { tags: 'x'.repeat(500), lang: 'zz', texts: '{' }));
    const { get } = await ownerOf(api.table);
    expect(formsIn((await get('/desk/numbers')).text)).toEqual([['Broken', 'Add a tag']]);
  });

  test('while the index is made with other rules, the page shows everything else', async () => {
    const api = await createApiClient();
    const { table } = api;
    await addPage(table, form('Shop', { tags: 'shop' }));
    await api.create(testimonialBody({ tags: ['shop'] }));
    await indexAll(table);
    const { index } = storesOf(table);
    const head = await index.readHead('acme');
    if (!head) throw new Error('No head');
    await index.replaceHead('acme', { ...head, terms: '0/1.0' });
    const { get } = await ownerOf(table);
    const { status, text } = await get('/desk/numbers');
    expect(status).toBe(200);
    expect(text).toContain('<h2>By rating</h2>');
    expect(formsIn(text)).toEqual([['Shop', 'Being calculated. Reload in a minute.']]);
  });
});
