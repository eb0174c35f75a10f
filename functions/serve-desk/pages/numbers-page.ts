/** Numbers by status and stars, and of the last twelve months. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import { limits, type Status, statuses, testimonialTypes } from '../../domain/testimonial.ts';
import { capital } from '../../domain/wording.ts';
import { averageStars, type CountRow, countRow, countRows, ratingName } from '../parts/counts.ts';
import type { DeskEnv, DeskPages } from '../parts/desk.ts';
import type { Html } from '../parts/layout.ts';
import { deskPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';
import { formNumbersPart } from './form-numbers-part.ts';

// Fewer columns would leave the box mostly empty.
const fewestColumns = 3;

// The order of the bars, which begin with the status that visitors see.
const shownStatuses = ['approved', 'pending', 'rejected'] as const satisfies readonly Status[];

export const numbersPages: DeskPages = new Hono<DeskEnv>().get('/', show);

async function show(c: Context<DeskEnv>): Promise<Response> {
  const { testimonials, pages, ...desk } = c.var.desk;
  const now = desk.now();
  const starts = [...Array(12).keys()].map((i) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + i - 11));
  const times = [now.getTime() - 7 * 24 * 3_600_000, ...starts].map((time) => new Date(time));
  const [{ all, before: counts }, formNumbers] = await Promise.all([
    testimonials.count(times),
    formNumbersPart(c.var.desk),
  ]);
  const [old = [], ...before] = counts;
  const format = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });
  const year = starts.map((start, i) => countRow(format.format(start), before[i + 1] ?? all, before[i]));
  const earlier = countRow('earlier', before[0] ?? []);
  // Leaves out the empty months before the first testimonial.
  const months = earlier.total > 0 ? year : year.slice(year.findIndex(({ total }) => total > 0));
  const sum = countRow('all', all);
  const traits = countRows(all);
  const waiting = countRow('', old).byStatus[0] ?? 0;
  const figure = (count = 0, link: string, label: string, kind = '') => html`<li class="card figure">
    <a href="${deskPath}/${link}"><strong>${count.toLocaleString('en')}</strong> <span class="pill ${kind}">${label}</span></a></li>`;
  const since = `${waiting.toLocaleString('en')} pending for more than a week`;
  const monthsTitle = months.length < 12 ? 'By month' : 'The last twelve months';
  const monthsLook = months.length < fewestColumns ? 'rows' : 'columns';
  const starsLabel = ({ name }: CountRow) => html`<a href="${listFrom(name)}">${capital(name)}</a>`;
  const [byType, byRating] = [
    traits.slice(0, testimonialTypes.length),
    traits.slice(testimonialTypes.length, -1),
  ];
  const numbers = () => html`<ul class="figures">
      ${figure(sum.total, 'list', 'All')}
      ${shownStatuses.map((status) => figure(sum.byStatus[statuses.indexOf(status)], `list?status=${status}`, capital(status), status))}
    </ul>
    <div class="page-head">${waiting > 0 && html`<p><a class="since" href="${deskPath}/queue">${since}</a></p>`}
      <p class="legend">${shownStatuses.map((status) => html`<span class="${status}">${capital(status)}</span>`)}</p></div>
    <section class="card"><h2>${monthsTitle}</h2>
      ${months.length > 1 && html`<p class="muted">Created ${months[0]?.name} – ${months.at(-1)?.name} (UTC)</p>`}
      ${bars(months, monthsLook, ({ name }) => monthName(name))}</section>
    <section class="card"><h2>By rating</h2>${averages(traits)}
      ${bars(byRating, 'rows', starsLabel)}</section>
    ${formNumbers}
    <details><summary>Tables</summary>
      ${figures('By month', [...(earlier.total > 0 ? [earlier] : []), ...months, sum])}
      ${figures('By rating', [...byRating, sum])}
      ${figures('By type', [...byType, sum])}</details>`;
  const nextPage = pages.includes('pages') ? 'pages' : 'queue';
  const empty = html`<div class="empty"><p class="empty-title">There are no testimonials yet.</p>
    <p class="muted">Numbers appear here with the first one.
      <a href="${deskPath}/${nextPage}">${nextPage === 'queue' ? 'Go to the queue' : 'Send your form to a customer'}</a></p></div>`;
  return showPage(c, 'numbers', html`<h1>Numbers</h1>${sum.total > 0 ? numbers() : empty}`, {
    pending: sum.byStatus[0] ?? 0,
  });
}

/**
 * Returns the average number of stars of all rated testimonials, and of the approved ones. It is as exact as
 * the counts.
 */
function averages(rows: readonly CountRow[]): Html | '' {
  const approved = statuses.indexOf('approved');
  const averageOf = (count: (row: CountRow) => number) => {
    const rowOf = (stars: number) => rows.find(({ name }) => name === ratingName(stars));
    const counts = Array.from({ length: limits.rating.max + 1 }, (_, stars) => {
      const row = rowOf(stars);
      return row ? count(row) : 0;
    });
    return averageStars(counts);
  };
  const ofAll = averageOf(({ total }) => total);
  const ofApproved = averageOf(({ byStatus }) => byStatus[approved] ?? 0);
  return (
    ofAll &&
    html`<p class="muted">Average <strong>${ofAll}</strong> of ${limits.rating.max} stars${
      ofApproved && html` (approved: <strong>${ofApproved}</strong>)`
    }</p>`
  );
}

/**
 * Shows a bar for each row, divided by status. In columns, the height shows the count; otherwise the width.
 * The legend is above all bars.
 */
function bars(rows: readonly CountRow[], look: 'rows' | 'columns', label: (row: CountRow) => Html): Html {
  const largest = Math.max(...rows.map(({ total }) => total), 1);
  const part = (count: number, i: number) => {
    if (count === 0) return '';
    const share = `${(80 * count) / largest}%`;
    return html`<svg class="${statuses[i]}" width="${share}" height="${share}" aria-hidden="true"></svg>`;
  };
  return html`<ul class="bars ${look}">${rows.map(
    (row) => html`<li>${label(row)}
        <span class="bar">${row.byStatus.map(part)}<span>${row.total.toLocaleString('en')}</span></span></li>`,
  )}</ul>`;
}

/** Returns the path of the list with at least this rating, lowest first: no filter is for a single rating. */
function listFrom(name: string): string {
  const stars = Number.parseInt(name, 10);
  const rating = stars > 0 ? `rating=${stars}&` : '';
  return `${deskPath}/list?${rating}sort=rating&order=asc`;
}

/** Returns the month. Its year is hidden on wide screens, except in the first month of a year. */
function monthName(name: string): Html {
  const [month, year] = name.split(' ');
  return html`<span>${month} <span ${month !== 'Jan' && html`class="year"`}>${year}</span></span>`;
}

/** Returns a table that scrolls sideways on narrow screens. */
function figures(caption: string, rows: readonly CountRow[]): Html {
  const cell = (count = 0) =>
    html`<td ${count === 0 && html`class="none"`}>${count.toLocaleString('en')}</td>`;
  const countsOf = ({ byStatus, total }: CountRow) => [
    ...shownStatuses.map((status) => byStatus[statuses.indexOf(status)]),
    total,
  ];
  return html`<div class="card table-wrap" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
    <thead><tr><td></td>${[...shownStatuses, 'all'].map((each) => html`<th scope="col">${capital(each)}</th>`)}</tr></thead>
    <tbody>${rows.map(
      (row) => html`<tr><th scope="row">${capital(row.name)}</th>${countsOf(row).map(cell)}</tr>`,
    )}</tbody></table></div>`;
}
