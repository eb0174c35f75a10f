/** The page “Numbers” of a deployed desk. */
import { expect, test } from '@jest/globals';
import { statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import { costMeter } from '../../../functions/persistence/cost-meter.ts';
import { changeTestimonial } from '../../../functions/testimonials/operations/change-testimonial.ts';
import { eraseTestimonial } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { adminOf } from '../../admin.ts';
import { createApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { deskOf } from '../../desk-client.ts';
import { fileOf } from '../../file-of.ts';
import { createTestTable } from '../../test-table.ts';

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
    ...{ status: statuses[i % 3], createdAt: new Date(now - (1 + i * 5) * day).toISOString() },
    ...(i % 6 > 0 && { rating: i % 6 }),
  }));
  const file = await fileOf(lines.map((line) => JSON.stringify(line)).join('\n'), 'past.ndjson');
  const imported = await adminOf(table)('import', file, '--organization', 'acme', '--yes');
  expect(imported.code).toBe(0);
  for (let i = 0; i < 3; i += 1)
    await api.create(testimonialBody({ content: `One of today: ${i}`, rating: 5 }));
  const stored = async () =>
    (await Array.fromAsync(storesOf(table).testimonials.from('acme', 0)))
      .flat()
      .map((row) => row.testimonial);
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
  const counts = (rows: Testimonial[]) => [
    ...statuses.map((each) => rows.filter((row) => row.status === each).length),
    rows.length,
  ];
  const first = new Date(now);
  const months = Array.from({ length: 12 }, (_, i) =>
    new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - i)).toISOString().slice(0, 7),
  );
  const inMonth = (month: string) => all.filter(({ createdAt }) => createdAt.startsWith(month));
  const earlier = all.filter(({ createdAt }) => createdAt < (months.at(-1) ?? ''));
  expect(earlier.length).toBeGreaterThan(0);
  const byMonth = rowsOf(text, 'By month');
  expect(byMonth.map(([, ...row]) => row)).toEqual([...months.map(inMonth), earlier, all].map(counts));
  const nameOf = (month: string) =>
    new Date(month).toLocaleDateString('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });
  expect(byMonth.map(([name]) => name)).toEqual([...months.map(nameOf), 'Earlier', 'All']);

  const ofRating = (rating?: number) => counts(all.filter((row) => row.rating === rating));
  const byTrait = new Map(rowsOf(text, 'By type and stars').map(([name, ...row]) => [name, row]));
  expect(byTrait.get('3 stars')).toEqual(ofRating(3));
  expect(byTrait.get('Unrated')).toEqual(ofRating());

  const averageOf = (rows: Testimonial[]) => {
    const rated = rows.flatMap(({ rating }) => rating ?? []);
    return (rated.reduce((sum: number, each) => sum + each, 0) / rated.length).toFixed(1);
  };
  const approvedOnes = all.filter((row) => row.status === 'approved');
  expect(text).toContain(
    `On average <strong>${averageOf(all)}</strong> of 5 stars, and <strong>${averageOf(approvedOnes)}</strong> of those that are approved.`,
  );

  const weekOld = all.filter(
    (row) => row.status === 'pending' && Date.parse(row.createdAt) < now - 7 * day,
  ).length;
  const figures = [
    ...text.matchAll(/<a href="([^"]*)"><strong>([\d,]+)<\/strong> <span class="[^"]*">([^<]*)/g),
  ];
  const [pending, approved, rejected, total] = counts(all);
  expect(figures.map(([, link, count, label]) => [link, Number(count), label])).toEqual([
    ['/desk/list?status=pending', pending, 'Pending'],
    ['/desk/list?status=approved', approved, 'Approved'],
    ['/desk/list?status=rejected', rejected, 'Rejected'],
    ['/desk/list', total, 'All'],
    ['/desk/queue', weekOld, 'Pending, older than a week'],
  ]);
  // A minimum rating names exactly those with five stars.
  expect([...text.matchAll(/href="([^"]*rating[^"]*)"/g)].map(([, link]) => link)).toEqual([
    '/desk/list?rating=5',
  ]);
  expect((await get('/desk/list?rating=5')).text).toContain(`>${ofRating(5).at(-1)} testimonials<`);
  expect(text).not.toMatch(/ style=/);
});

test('an empty organization is told what to do instead of zeros', async () => {
  const { get } = await (await deskOf(await createTestTable(), { pages: true })).signedIn({ role: 'owner' });
  const { text } = await get('/desk/numbers');
  expect(text).toContain('There are no testimonials yet.');
  expect(text).toContain('<a href="/desk/pages">Send your form to a customer</a>');
  expect(text).not.toMatch(/<table|class="figures"|class="bars/);
});

test('a young organization has no row of empty months, and without ratings no average', async () => {
  const api = await createApiClient();
  await api.create(testimonialBody({ content: 'The first one of all', rating: undefined }));
  const { get } = await (await deskOf(api.table)).signedIn();
  const { text } = await get('/desk/numbers');
  expect(rowsOf(text, 'By month')).toHaveLength(2);
  expect(text).toContain('<h2>By month</h2>');
  expect(text).not.toContain('On average');
  await api.create(testimonialBody({ content: 'The second one of all', rating: 4 }));
  const later = await get('/desk/numbers');
  expect(later.text).toContain('On average <strong>4.0</strong> of 5 stars.');
});
