/**
 * The desk's page that makes personal links of a form. It stores nothing, so each request contains its lines.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { byteOrderMark, csvText } from '../../csv/csv.ts';
import { decodeText as decoded } from '../../csv/decode.ts';
import type { Page } from '../../domain/page.ts';
import { capital, counted } from '../../domain/wording.ts';
import { linksOf } from '../../serve-pages/own-pages.ts';
import { readFormSettings } from '../../serve-pages/page-settings.ts';
import { type PersonalField, type PersonalValues, personalLink } from '../../serve-pages/personal-link.ts';
import { replacesMain } from '../parts/cards.ts';
import type { DeskEnv } from '../parts/desk.ts';
import { field } from '../parts/field.ts';
import { BadForm, fieldText, formOf } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { hiddenFields } from '../parts/long-work.ts';
import { deskPath } from '../parts/paths.ts';
import { showPage } from '../parts/show-page.ts';
import { fieldWords, type Recipients, readRecipients } from './recipients.ts';

/** A person, with the link to send. */
type PersonWithLink = PersonalValues & { link: string };

interface Content {
  lines?: string;
  made?: { recipients: Recipients; linked: PersonWithLink[] };
  problem?: string;
}

/** Shows the page that asks for lines. */
export function showLinks(c: Context<DeskEnv>, page: Page): Promise<Response> {
  return show(c, page);
}

/** Shows the links of the lines that were sent. */
export async function makeLinks(c: Context<DeskEnv>, page: Page): Promise<Response> {
  const { lines, problem = '' } = await readTypedLines(c);
  try {
    if (problem) throw new BadForm(problem);
    return show(c, page, { lines, made: madeOf(c, page, lines) });
  } catch (error) {
    if (!(error instanceof BadForm)) throw error;
    return show(c, page, { lines, problem: error.message });
  }
}

/** Sends the links as a CSV file. */
export async function downloadLinks(c: Context<DeskEnv>, page: Page): Promise<Response> {
  const { lines, problem } = await readTypedLines(c);
  if (problem) throw new BadForm(problem);
  const { recipients, linked } = madeOf(c, page, lines);
  const names = ['name', 'email', 'role', 'company', 'link'] as const;
  const header = names.map((name) => (name === 'link' ? 'Link' : capital(fieldWords[name])));
  const rows = linked.map((each) => names.map((name) => each[name] ?? ''));
  // Spreadsheets separate cells with semicolons in languages that write commas in numbers. The mark tells
  // Excel that the file is UTF-8.
  const text = byteOrderMark + csvText([header, ...rows], recipients.separator === ';' ? ';' : ',');
  c.header('content-disposition', 'attachment; filename="personal-links.csv"');
  // In a response with a text type, Hono's adapter for Lambda would drop the mark.
  return c.body(text, 200, { 'content-type': 'application/octet-stream' });
}

const maxFileBytes = 512 * 1024;
const notTextText = 'This is not a text file. Save it as CSV (UTF-8), and choose it again.';

/** Reads the typed lines, or the lines of the chosen file instead. */
async function readTypedLines(c: Context<DeskEnv>): Promise<{ lines: string; problem?: string }> {
  const body = await formOf(c);
  const { file } = body;
  const lines = fieldText(body, 'lines');
  if (!(file instanceof File) || file.size === 0) return { lines };
  if (file.size > maxFileBytes) return { lines, problem: 'The file must have at most 512 KB.' };
  try {
    const { text } = decoded(Buffer.from(await file.arrayBuffer()), file.name);
    // A workbook, for example.
    return text.includes('\0') ? { lines, problem: notTextText } : { lines: text };
  } catch {
    return { lines, problem: notTextText };
  }
}

/** @throws {BadForm} if there are too many lines, or none */
function madeOf({ var: { desk } }: Context<DeskEnv>, page: Page, lines: string) {
  const recipients = readRecipients(lines);
  const { url } = linksOf(page, desk.serviceUrl);
  const { hide } = readFormSettings(page.settings, () => {});
  const hidden: PersonalField[] = hide.filter((part) => part !== 'stars');
  const linked = recipients.people.map((person): PersonWithLink => {
    const shown = { ...person };
    for (const name of hidden) delete shown[name];
    return { ...shown, link: personalLink(url, shown) };
  });
  return { recipients, linked };
}

function show(
  c: Context<DeskEnv>,
  page: Page,
  { lines = '', made, problem = '' }: Content = {},
): Promise<Response> {
  const at = `${deskPath}/pages/${page.id}`;
  const hint = unbroken(
    'Name, e-mail address, job title, company. Only the name is needed. You can paste rows from a spreadsheet, with or without a row of headings.',
  );
  const example = 'For example Jane Doe, jane@example.com, Head of Support, Acme';
  const download = html`<form method="post" action="${at}/links.csv" hx-boost="false">${hiddenFields({ lines })}
        <button data-download>Download as CSV</button></form>`;
  const form = html`<form method="post" action="${at}/links" enctype="multipart/form-data" class="settings card" ${replacesMain}>
    ${field({ id: 'lines', name: 'lines', label: 'One person per line', value: lines, hint, problem, isLong: true, example })}
    <div class="field"><label for="file">Or choose a file (CSV or text)</label>
      <input type="file" id="file" name="file" accept=".csv,.tsv,.txt,text/csv,text/plain"></div>
    <div class="buttons form-foot"><button class="${made ? '' : 'solid'}">Create links</button></div>
  </form>`;
  // Lines with problems stay visible.
  const isOpen = made && made.recipients.problems.length > 0;
  const main = html`<p><a class="back" href="${at}"><bdi>${page.title}</bdi></a></p>
  <h1>Personal links</h1>
  <p class="muted">A personal link opens the form with a customer’s details already filled in. Links are not
    saved here: copy or download them.</p>
  ${made ? html`${resultPart(made, download)}<details ${isOpen && 'open'}><summary>Change the lines</summary>${form}</details>` : form}`;
  const failed = problem && ({ status: 422, message: 'No links were created.' } as const);
  return showPage(c, 'pages', main, { title: 'Personal links', ...failed });
}

/** Keeps “e-mail” on one line. */
function unbroken(text: string): string {
  return text.replaceAll('e-mail', 'e\u2011mail');
}

/** @param download the form that sends the links as a file */
function resultPart(
  { recipients: { problems, notes }, linked }: NonNullable<Content['made']>,
  download: Html,
): Html {
  // Without any address, none is missing.
  const marksMissing = linked.some(({ email }) => email !== undefined);
  const table = linked.map(({ name, email = '', link }) => [name, email, link].join('\t')).join('\n');
  const refused = `${counted(problems.length, 'line was', 'lines were')} skipped. `;
  return html`<section aria-labelledby="made" class="links">
    <h2 id="made">${linked.length === 0 ? 'No links' : counted(linked.length, 'link')}</h2>
    <p class="muted">${unbroken(notes.join(' '))}</p>
    ${problems.length > 0 && html`<div class="notice warning" role="alert"><p>${refused}<a href="#lines">Correct ${problems.length === 1 ? 'it' : 'them'}</a></p><ul>${problems.map((each) => html`<li>${each}</li>`)}</ul></div>`}
    ${
      linked.length > 0 &&
      html`<div class="buttons"><button type="button" class="solid" data-copy="${table}" hidden>Copy names and links</button>
      ${download}</div>
    <ul class="cards">${linked.map((each) => linkCard(each, marksMissing))}</ul>`
    }</section>`;
}

/** @param marksMissing true to mark a person without an e-mail address */
function linkCard({ name, email, role, company, link }: PersonWithLink, marksMissing: boolean): Html {
  const others = [email, role, company].filter((each) => each !== undefined);
  return html`<li class="card with-link"><div><p><bdi>${name}</bdi>${marksMissing && email === undefined && html` <span class="pill pending">${unbroken('No e-mail address')}</span>`}</p>
      <p class="muted facts">${others.map((each) => html`<bdi>${each}</bdi>`)}</p></div>
      <div class="buttons"><button type="button" class="small" data-copy="${link}" hidden>Copy link<span class="visually-hidden"> of ${name}</span></button>
        <a class="button small quiet" href="${link}">Open<span class="visually-hidden"> the form as ${name}</span></a></div></li>`;
}
