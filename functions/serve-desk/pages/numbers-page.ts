/** Numbers by status, type and rating, and by month. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { ListResult } from '../../domain/list-query.ts';
import { statuses, type Testimonial } from '../../domain/testimonial.ts';
import { capital } from '../../domain/wording.ts';
import { countTestimonials, listTestimonials } from '../../operations/list-testimonials.ts';
import { deskPath } from '../parts/assets.ts';
import { type CountRow, countRows } from '../parts/counts.ts';
import { type Desk, type DeskEnv, type DeskPages, showPage } from '../parts/desk.ts';
import { type Html, table } from '../parts/layout.ts';

export const numbersPages: DeskPages = new Hono<DeskEnv>().get('/', (c) =>
  showPage(c, 'numbers', numbersOf(c.var.desk)),
);

// As many short testimonials fit into one response of DynamoDB.
const newestQuery = { filter: {}, sort: 'createdAt', order: 'desc', page: 1, limit: 1000 } as const;

async function numbersOf({ stores, organization }: Desk): Promise<Html> {
  const [counts, newest] = await Promise.all([
    countTestimonials(stores, organization),
    listTestimonials(stores, organization, newestQuery),
  ]);
  return html`<h1>Numbers</h1>${countsPart(countRows(counts))}${monthsPart(newest)}`;
}

const headings = (...names: string[]) => names.map((each) => html`<th scope="col">${capital(each)}</th>`);

function countsPart(rows: readonly CountRow[]): Html {
  const all = rows.at(-1);
  const figure = (count: number, query: string, label: string, kind: string) =>
    html`<li class="card figure"><a href="${deskPath}/list${query}"><strong>${count.toLocaleString('en')}</strong>
      <span class="pill ${kind}">${label}</span></a></li>`;
  return html`<ul class="figures">
    ${statuses.map((status, i) => figure(all?.byStatus[i] ?? 0, `?status=${status}`, capital(status), status))}
    ${figure(all?.total ?? 0, '', 'All', '')}
  </ul>
  ${table(
    'Numbers by type and rating',
    html`<caption>By type and rating</caption>
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

/** Shows the newest testimonials by the month of their creation, in UTC. */
function monthsPart({ testimonials, total }: ListResult): Html | '' {
  if (testimonials.length === 0) return '';
  const months = [...Map.groupBy(testimonials, ({ createdAt }) => createdAt.slice(0, 'YYYY-MM'.length))];
  const largest = Math.max(...months.map(([, group]) => group.length));
  const newest = testimonials.length.toLocaleString('en');
  return table(
    'Numbers by month',
    html`<caption>By month${total > testimonials.length && `, of the newest ${newest}: the last month is incomplete`}</caption>
    <thead><tr><th scope="col">Month</th><td></td>${headings('all', ...statuses, 'rating')}</tr></thead>
    <tbody>${months.map(
      ([month, group]) => html`<tr><th scope="row">${month}</th>
        <td><meter max="${largest}" value="${group.length}" aria-label="${group.length} of ${largest}"></meter></td><td>${group.length}</td>
        ${statuses.map((status) => html`<td>${group.filter((each) => each.status === status).length}</td>`)}
        <td>${averageRating(group)}</td></tr>`,
    )}</tbody>`,
  );
}

/** Returns the average rating of rated testimonials, or a dash. */
function averageRating(testimonials: readonly Testimonial[]): string {
  const ratings = testimonials.flatMap(({ rating }) => rating ?? []);
  return ratings.length === 0
    ? '–'
    : (ratings.reduce((sum, each) => sum + each, 0) / ratings.length).toFixed(1);
}
