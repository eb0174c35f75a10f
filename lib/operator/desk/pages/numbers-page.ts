/** Numbers by status, type and stars: what `stats` prints. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { statuses } from '../../../../functions/domain/testimonial.ts';
import { countTestimonials } from '../../../../functions/operations/list-testimonials.ts';
import { type CountRow, countRows } from '../../counts.ts';
import { capital } from '../../terminal/formatting.ts';
import type { Desk } from '../desk.ts';
import type { Html } from '../parts/layout.ts';

/** Adds the numbers. */
export function numbersPages(desk: Desk): Hono {
  const app = new Hono();
  app.get('/', async (c) => {
    const rows = countRows(await countTestimonials(desk.session(), desk.organization));
    return c.html(await desk.page('numbers', numbersPage(rows)));
  });
  return app;
}

function numbersPage(rows: readonly CountRow[]): Html {
  const all = rows.at(-1);
  return html`<h1>Numbers</h1>
  <ul class="figures">${statuses.map(
    (status, i) => html`
    <li class="card figure"><a href="/list?status=${status}"><strong>${(all?.byStatus[i] ?? 0).toLocaleString('en')}</strong>
      <span class="pill ${status}">${capital(status)}</span></a></li>`,
  )}
    <li class="card figure"><a href="/list"><strong>${(all?.total ?? 0).toLocaleString('en')}</strong> <span class="pill">All</span></a></li>
  </ul>
  <div class="card table-wrap">
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
