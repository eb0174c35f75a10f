/** An import, as the page shows it: what would happen, how far it is, what it did. */
import { html } from 'hono/html';
import { type ImportReport, refusedText, reportText } from '../../import/import-report.ts';
import type { LineField } from '../../import/imported-line.ts';
import { counted } from '../../terminal/formatting.ts';
import type { HeldImport, ImportStep } from '../held-import.ts';
import type { Html } from './layout.ts';

/** The whole part; it asks for itself again while the import is at work. */
export function importPart(held: HeldImport | undefined, organization: string, problem?: string): Html {
  const isWorking = held?.step.kind === 'working';
  return html`<section class="card part" id="import" aria-labelledby="import-title"${
    isWorking
      ? html` hx-get="/files" hx-trigger="every 700ms" hx-select="#import" hx-target="#import" hx-swap="outerHTML" hx-select-oob="#pending"`
      : ''
  }>
    <h2 id="import-title">Import</h2>
    ${problem === undefined ? '' : html`<p class="notice wrong" role="alert">${problem}</p>`}
    ${held ? stepOf(held, organization) : ''}
    ${isWorking ? '' : dropZone(held !== undefined)}
  </section>`;
}

function dropZone(isAnother: boolean): Html {
  return html`<form method="post" action="/files" enctype="multipart/form-data" class="drop" data-drop>
    <input type="hidden" name="do" value="take">
    <label for="file"><strong>Drop ${isAnother ? 'another' : 'a'} file here</strong>, or choose one: CSV or NDJSON.
      It is checked first, and nothing is stored yet.</label>
    <input type="file" id="file" name="file" accept=".csv,.tsv,.ndjson,.jsonl" required>
    <button data-without-script>Check it</button>
    ${
      isAnother
        ? ''
        : html`<p class="muted">A sample to begin with: <a href="/files/sample?format=csv" download>CSV</a> ·
      <a href="/files/sample?format=ndjson" download>NDJSON</a></p>`
    }
  </form>`;
}

function stepOf(held: HeldImport, organization: string): Html {
  const { step, name } = held;
  switch (step.kind) {
    case 'checked':
      return checked(held, step.report, organization);
    case 'working':
      return working(name, step);
    case 'asking':
      return html`<div class="notice warning" role="alert"><p>${step.question}</p></div>
        <div class="buttons">${storeForm('Store them all the same', true)}${forgetForm()}</div>`;
    case 'failed':
      return html`<p class="notice wrong" role="alert">${step.why}</p>${readingForm(held)}`;
    case 'ended':
      return html`<div class="notice" role="status">${lines(reportText(step.report, { file: name, organization, dryRun: false }))}
          <p><a href="/list">Look at the list</a></p></div>
        ${refusals(step.report, false)}`;
  }
}

function working(name: string, { work, done, total }: Extract<ImportStep, { kind: 'working' }>): Html {
  const share = total > 0 ? Math.floor((100 * done) / total) : 0;
  return html`<p role="status">${work} <bdi>${name}</bdi> …</p>
    <progress max="100" value="${share}" aria-label="${work}">${share} %</progress>
    <p class="muted">It goes on while you look at other pages. Stopped, it goes on where it was when the same file is dropped again.</p>
    <noscript><p><a href="/files">Look again</a></p></noscript>`;
}

function checked(held: HeldImport, report: ImportReport, organization: string): Html {
  const { missing = [] } = report.columns ?? {};
  if (missing.length > 0) {
    return html`<p class="notice warning" role="status">Nothing is stored yet: <strong><bdi>${held.name}</bdi></strong> has no
        column for ${missing.map((field) => labels[field] ?? field).join(', ')}. Say which they are.</p>
      ${readingForm(held, report)}<div class="buttons ask">${forgetForm()}</div>`;
  }
  return html`<div class="notice" role="status"><p><strong><bdi>${held.name}</bdi></strong> – a dry run: nothing is stored yet.</p>
      ${lines(reportText(report, { file: held.name, organization, dryRun: true }))}</div>
    ${refusals(report, true)}
    ${readingForm(held, report)}
    <div class="buttons ask">${
      report.good > 0 && !report.wasImported
        ? storeForm(`Import ${counted(report.good, 'testimonial')}`, false)
        : ''
    }${forgetForm()}</div>`;
}

function refusals(report: ImportReport, isDryRun: boolean): Html | '' {
  if (report.refused === 0) return '';
  // It lies in a folder of the desk's: it is named by its link.
  const { rejectedFile, ...rest } = report;
  return html`<div class="notice warning refusals">${lines(refusedText(rest, isDryRun))}
    ${rejectedFile === undefined ? '' : html`<p><a href="/files/rejected" download>Download the refused lines</a>, mend them, and drop that file.</p>`}</div>`;
}

function lines(text: string): Html[] {
  return text.split('\n').map((line) => html`<p dir="auto">${line}</p>`);
}

function storeForm(label: string, isAgreed: boolean): Html {
  return html`<form method="post" action="/files"><input type="hidden" name="do" value="store">
    ${isAgreed ? html`<input type="hidden" name="agreed" value="yes">` : ''}<button class="solid">${label}</button></form>`;
}

function forgetForm(): Html {
  return html`<form method="post" action="/files"><input type="hidden" name="do" value="forget"><button class="quiet">Do nothing</button></form>`;
}

/** How the file is read: columns of fields that have none, the form of its times, and whether all is new. */
function readingForm({ reading, format }: HeldImport, report?: ImportReport): Html {
  const { missing = [], unused = [] } = report?.columns ?? {};
  const named = Object.keys({ ...reading.map, ...reading.defaults }) as LineField[]; // readingIn makes no others
  const fields =
    format === 'csv' ? [...new Set([...missing, ...named, ...(unused.length > 0 ? optional : [])])] : [];
  return html`<details class="reading"${missing.length > 0 || !report ? html` open` : ''}><summary>${missing.length > 0 ? 'What the columns are' : 'Read it otherwise'}</summary>
    <form method="post" action="/files">
      <input type="hidden" name="do" value="check">
      ${fields.map((field) => fieldRow(field, reading, unused))}
      <div class="field"><label for="date-format">How times are written</label>
        <input id="date-format" name="dateFormat" value="${reading.dateFormat ?? ''}" placeholder="dd/MM/yyyy HH:mm; empty: ISO 8601"></div>
      <label class="check"><input type="checkbox" name="asNew" value="yes"${reading.asNew ? html` checked` : ''}>
        <span>As new: created now, whatever times the file has</span></label>
      <div class="buttons"><button>Check again</button></div>
    </form></details>`;
}

/** Fields as people call them; one that is not named here has its own name. */
const labels: Partial<Record<LineField, string>> = {
  ...{ content: 'Text', 'author.name': 'Name', 'author.email': 'E-mail', 'author.company': 'Company' },
  ...{ rating: 'Stars', tags: 'Tags', createdAt: 'Created at', status: 'Status' },
};

// Offered where columns are left.
const optional: readonly LineField[] = ['rating', 'author.company', 'tags', 'createdAt', 'status'];

function fieldRow(
  field: LineField,
  { map, defaults }: HeldImport['reading'],
  unused: readonly string[],
): Html {
  const chosen = map[field]?.[0] ?? '';
  const choices = [...new Set(['', chosen, ...unused])];
  return html`<fieldset class="mapping"><legend>${labels[field] ?? field}</legend>
    <div class="field"><label for="column-${field}">Column</label>
      <select id="column-${field}" name="column ${field}">${choices.map(
        (column) =>
          html`<option value="${column}"${column === chosen ? html` selected` : ''}>${column === '' ? '–' : column}</option>`,
      )}</select></div>
    <div class="field"><label for="value-${field}">Or, where a line has none</label>
      <input id="value-${field}" name="value ${field}" value="${defaults[field] ?? ''}" autocomplete="off"></div>
  </fieldset>`;
}
