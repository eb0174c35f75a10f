/** An import, as the page shows it: what would happen, how far it is, what it did. */
import { html } from 'hono/html';
import * as v from 'valibot';
import type { Columns } from '../../import/columns.ts';
import { type ImportReport, refusedText, reportText, sampleText } from '../../import/import-report.ts';
import type { LineField } from '../../import/imported-line.ts';
import { isWhole, type Proposal } from '../../import/propose-reading.ts';
import { undoneText, undoText } from '../../import/undo-report.ts';
import { counted, listed } from '../../terminal/formatting.ts';
import type { HeldImport, ImportStep } from '../held-import.ts';
import type { Html } from './layout.ts';
import { confirmUndoForm, undoForm } from './undo.ts';

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
    case 'missing':
      return missing(held, step.proposal);
    case 'checked':
      return checked(held, step.report, organization);
    case 'working':
      return working(name, step);
    case 'asking':
      return html`<div class="notice warning" role="alert"><p>${step.question}</p></div>
        <div class="buttons">${storeForm('Store them all the same', true)}${forgetForm()}</div>`;
    case 'failed':
      return html`<p class="notice wrong" role="alert">${step.why}</p>${readingForm(held)}<div class="buttons ask">${undoForm(held)}</div>`;
    case 'asking to undo':
      return html`<div class="notice warning" role="alert">${lines(undoText(step.undo, { file: name, organization }))}</div>
        <div class="buttons ask">${confirmUndoForm()}${forgetForm('Keep them')}</div>`;
    case 'undone':
      return html`<div class="notice" role="status">${lines(undoneText(step.undone, { file: name, organization }))}</div>
        <p><a href="/list">Look at the list</a></p>`;
    case 'ended':
      return html`<div class="notice" role="status">${lines(reportText(step.report, { file: name, organization, dryRun: false }))}
          <p><a href="/list">Look at the list</a></p></div>
        ${refusals(step.report, false)}<div class="buttons ask">${undoForm(held)}</div>`;
  }
}

function working(name: string, { work, done, total }: Extract<ImportStep, { kind: 'working' }>): Html {
  const share = total > 0 ? Math.floor((100 * done) / total) : 0;
  return html`<p role="status">${work} <bdi>${name}</bdi> …</p>
    <progress max="100" value="${share}" aria-label="${work}">${share} %</progress>
    <p class="muted">It goes on while you look at other pages. Stopped, it goes on where it was when the same file is dropped again.</p>
    <noscript><p><a href="/files">Look again</a></p></noscript>`;
}

function missing(held: HeldImport, proposal: Proposal): Html {
  return html`<p class="notice warning" role="status">Nothing is stored yet: <strong><bdi>${held.name}</bdi></strong> has no
      column for ${listed(proposal.missing.map(labelOf))}. ${
        isWhole(proposal)
          ? 'Is it what stands below, by what review tools call their columns?'
          : 'Say which they are.'
      }</p>
    ${isWhole(proposal) ? html`<p>Its first line then: <bdi>${sampleText(proposal.sample)}</bdi></p>` : ''}
    ${readingForm(held, proposal)}<div class="buttons ask">${forgetForm()}${undoForm(held)}</div>`;
}

function checked(held: HeldImport, report: ImportReport, organization: string): Html {
  const { proposal } = report;
  const lost = proposal?.lost ?? [];
  return html`<div class="notice" role="status"><p><strong><bdi>${held.name}</bdi></strong> – a dry run: nothing is stored yet.</p>
      ${lines(reportText(report, { file: held.name, organization, dryRun: true }))}</div>
    ${
      lost.length > 0
        ? html`<p class="notice warning">Columns that would be lost: ${lost.map(({ field, columns }) => `${listed(columns)} (${labelOf(field)})`).join(', ')}. Say below what they are.</p>`
        : ''
    }
    ${refusals(report, true)}
    ${readingForm(held, proposal, report.columns)}
    <div class="buttons ask">${
      report.good > 0 && !report.wasImported
        ? storeForm(`Import ${counted(report.good, 'testimonial')}`, false)
        : ''
    }${forgetForm()}${undoForm(held)}</div>`;
}

function refusals(report: ImportReport, isDryRun: boolean): Html | '' {
  if (report.refused === 0) return '';
  // It lies in a folder of the desk's: it is named by its link.
  const { rejectedFile, ...rest } = report;
  return html`<div class="notice warning refusals">${lines(refusedText(rest, { dryRun: isDryRun }))}
    ${rejectedFile === undefined ? '' : html`<p><a href="/files/rejected" download>Download the refused lines</a>, mend them, and drop that file.</p>`}</div>`;
}

function lines(text: string): Html[] {
  return text.split('\n').map((line) => html`<p dir="auto">${line}</p>`);
}

function storeForm(label: string, isAgreed: boolean): Html {
  return html`<form method="post" action="/files"><input type="hidden" name="do" value="store">
    ${isAgreed ? html`<input type="hidden" name="agreed" value="yes">` : ''}<button class="solid">${label}</button></form>`;
}

function forgetForm(label = 'Do nothing'): Html {
  return html`<form method="post" action="/files"><input type="hidden" name="do" value="forget"><button class="quiet">${label}</button></form>`;
}

/** How the file is read: what its columns are, how its values are written, and whether all is new. */
function readingForm(held: HeldImport, proposal?: Proposal, columns?: Columns): Html {
  const reading = { ...held.reading, ...proposal?.reading };
  const isMissing = held.step.kind === 'missing';
  const isOpen = isMissing || proposal !== undefined || held.step.kind === 'failed';
  const { header = [], missing: needed = [] } = proposal ?? {};
  const named = Object.keys({ ...reading.map, ...reading.defaults }) as LineField[]; // readingIn makes no others
  const free = [...new Set([...header, ...(columns?.unused ?? [])])].filter((name) => name !== '');
  const fields =
    held.format === 'csv' ? [...new Set([...needed, ...named, ...(free.length > 0 ? optional : [])])] : [];
  return html`<details class="reading"${isOpen ? html` open` : ''}><summary>${isMissing ? 'What the columns are' : 'Read it otherwise'}</summary>
    <form method="post" action="/files">
      <input type="hidden" name="do" value="check">
      ${fields.map((field) => fieldRow(field, reading, free))}
      <div class="field"><label for="date-format">How times are written</label>
        <input id="date-format" name="dateFormat" value="${reading.dateFormat ?? ''}" placeholder="dd/MM/yyyy HH:mm; empty: ISO 8601"></div>
      ${
        proposal?.otherDateFormat === undefined
          ? ''
          : html`<p class="muted">They could be ${proposal.otherDateFormat}, too: look at the first one.</p>`
      }
      ${checkbox('roundRatings', 'Round stars such as 4.5', reading.roundRatings)}
      ${checkbox('asNew', 'As new: created now, whatever times the file has', reading.asNew)}
      <div class="buttons"><button>Check again</button></div>
    </form></details>`;
}

function checkbox(name: string, label: string, isChecked: boolean): Html {
  return html`<label class="check"><input type="checkbox" name="${name}" value="yes"${isChecked ? html` checked` : ''}>
    <span>${label}</span></label>`;
}

/** Fields as people call them; one that is not named here has its own name. */
const labels: Partial<Record<LineField, string>> = {
  ...{ content: 'Text', 'author.name': 'Name', 'author.email': 'E-mail', 'author.company': 'Company' },
  ...{ rating: 'Stars', tags: 'Tags', createdAt: 'Created at', status: 'Status' },
};

function labelOf(field: LineField): string {
  return labels[field] ?? field;
}

// Offered where columns are left.
const optional: readonly LineField[] = ['rating', 'author.company', 'tags', 'createdAt', 'status'];

function fieldRow(
  field: LineField,
  { map, defaults }: HeldImport['reading'],
  columns: readonly string[],
): Html {
  const chosen = map[field] ?? [];
  const isChosen = (choice: readonly string[]) => JSON.stringify(choice) === JSON.stringify(chosen);
  const several = chosen.length > 1 || (chosen[0] !== undefined && !columns.includes(chosen[0]));
  const choices = [[], ...(several ? [chosen] : []), ...columns.map((column) => [column])];
  return html`<fieldset class="mapping"><legend>${labelOf(field)}</legend>
    <div class="field"><label for="column-${field}">Column</label>
      <select id="column-${field}" name="column ${field}">${choices.map(
        (choice) =>
          html`<option value="${JSON.stringify(choice)}"${isChosen(choice) ? html` selected` : ''}>${choice.length === 0 ? '–' : choice.join(' + ')}</option>`,
      )}</select></div>
    <div class="field"><label for="value-${field}">Or, where a line has none</label>
      <input id="value-${field}" name="value ${field}" value="${defaults[field] ?? ''}" autocomplete="off"></div>
  </fieldset>`;
}

/** The columns that were chosen in a row. */
export function columnsIn(choice: string): readonly string[] {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), v.array(v.string())), choice);
  return read.success ? read.output : [];
}
