/** Numbers by status, type and stars: what `stats` prints. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { statuses } from '../../domain/testimonial.ts';
import { capital } from '../../domain/wording.ts';
import { countTestimonials } from '../../operations/list-testimonials.ts';
import { base } from '../base.ts';
import { type DeskEnv, type DeskPages, pageOf } from '../desk.ts';
import { type CountRow, countRows } from '../parts/counts.ts';
import type { Html } from '../parts/html.ts';

export const numbersPages: DeskPages = new Hono<DeskEnv>().get('/', async (c) => {
  const { desk } = c.var;
  const rows = countRows(await countTestimonials(desk.stores, desk.organization));
  return c.html(await pageOf(desk, 'numbers', numbersPage(rows)));
});

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
  <div class="card table-wrap" tabindex="0" role="region" aria-label="Numbers by type and by stars">
    <table>
      <caption>By type and by stars, exact as lists are</caption>
      <thead><tr><td></td>${[...statuses, 'all'].map((each) => html`<th scope="col">${capital(each)}</th>`)}</tr></thead>
      <tbody>${rows.map(
        ({ name, byStatus, total }) => html`
        <tr><th scope="row">${capital(name)}</th>${[...byStatus, total].map(
          (count) => html`<td${count === 0 ? html` class="none"` : ''}>${count.toLocaleString('en')}</td>`,
        )}</tr>`,
      )}
      </tbody>
    </table>
  </div>`;
}
