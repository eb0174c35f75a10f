/** Numbers by status, type and stars: what `stats` prints. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { ListResult } from '../../domain/list-query.ts';
import { statuses, type Testimonial } from '../../domain/testimonial.ts';
import { capital } from '../../domain/wording.ts';
import { countTestimonials, listTestimonials } from '../../operations/list-testimonials.ts';
import { base } from '../parts/base.ts';
import { type CountRow, countRows } from '../parts/counts.ts';
import { type Desk, type DeskEnv, type DeskPages, showPage } from '../parts/desk.ts';
import type { Html } from '../parts/html.ts';
import { table } from '../parts/layout.ts';

export const numbersPages: DeskPages = new Hono<DeskEnv>().get('/', (c) =>
  showPage(c, 'numbers', numbersOf(c.var.desk)),
);

async function numbersOf({ stores, organization }: Desk): Promise<Html> {
  const [counts, newest] = await Promise.all([
    countTestimonials(stores, organization),
    listTestimonials(stores, organization, newestQuery),
  ]);
  return html`${numbersPage(countRows(counts))}${monthsPart(newest)}`;
}

// What one answer of a query can have, of short texts: no more is read for a look at the months.
const newestQuery = { filter: {}, sort: 'createdAt', order: 'desc', page: 1, limit: 1000 } as const;

/** The newest testimonials by the month in which they were created, in UTC. */
function monthsPart({ testimonials, total }: ListResult): Html | '' {
  if (testimonials.length === 0) return '';
  const months = [...Map.groupBy(testimonials, ({ createdAt }) => createdAt.slice(0, 'YYYY-MM'.length))];
  const most = Math.max(...months.map(([, some]) => some.length));
  const newest = testimonials.length.toLocaleString('en');
  return table(
    'Numbers by month',
    html`<caption>By month${total > testimonials.length && `, of the newest ${newest}: the last month is not whole`}</caption>
    <thead><tr><th scope="col">Month</th><td></td>${headings('all', ...statuses, 'stars')}</tr></thead>
    <tbody>${months.map(
      ([month, some]) => html`<tr><th scope="row">${month}</th>
        <td><meter max="${most}" value="${some.length}" aria-label="${some.length} of ${most}"></meter></td><td>${some.length}</td>
        ${statuses.map((status) => html`<td>${some.filter((each) => each.status === status).length}</td>`)}
        <td>${averageOf(some)}</td></tr>`,
    )}</tbody>`,
  );
}

const headings = (...names: string[]) => names.map((each) => html`<th scope="col">${capital(each)}</th>`);

/** The average of those that are rated, or a dash. */
function averageOf(some: readonly Testimonial[]): string {
  const ratings = some.flatMap(({ rating }) => rating ?? []);
  return ratings.length === 0
    ? '–'
    : (ratings.reduce((sum, each) => sum + each, 0) / ratings.length).toFixed(1);
}

function numbersPage(rows: readonly CountRow[]): Html {
  const all = rows.at(-1);
  return html`<h1>Numbers</h1>
  <ul class="figures">${statuses.map(
    (status, i) => html`
    <li class="card figure"><a href="${base}/list?status=${status}"><strong>${(all?.byStatus[i] ?? 0).toLocaleString('en')}</strong>
      <span class="pill ${status}">${capital(status)}</span></a></li>`,
  )}
    <li class="card figure"><a href="${base}/list"><strong>${(all?.total ?? 0).toLocaleString('en')}</strong> <span class="pill">All</span></a></li>
  </ul>
  ${table(
    'Numbers by type and by stars',
    html`<caption>By type and by stars, exact as lists are</caption>
      <thead><tr><td></td>${headings(...statuses, 'all')}</tr></thead>
      <tbody>${rows.map(
        ({ name, byStatus, total }) => html`
        <tr><th scope="row">${capital(name)}</th>${[...byStatus, total].map(
          (count) => html`<td ${count === 0 && html`class="none"`}>${count.toLocaleString('en')}</td>`,
        )}</tr>`,
      )}
      </tbody>`,
  )}`;
}
