/** An import, as the page shows it: what would happen, how far it is, what it did. */
import { html } from 'hono/html';
import * as v from 'valibot';
import { deskPath } from '../../../../functions/serve-desk/parts/assets.ts';
import { type FormBody, textOf } from '../../../../functions/serve-desk/parts/forms.ts';
import type { Html } from '../../../../functions/serve-desk/parts/layout.ts';
import { counted, joined, listed } from '../../terminal/formatting.ts';
import type { Interpretation } from '../check-file.ts';
import type { Columns } from '../columns.ts';
import { type LineField, lineFields } from '../imported-line.ts';
import type { Proposal } from '../interpretation.ts';
import {
  type ImportReport,
  readingText,
  refusedText,
  reportText,
  rulesText,
  undoneText,
  undoText,
  type Ways,
} from '../report.ts';
import { agreementTo, type DroppedFile, type ImportStep } from './dropped-files.ts';

/** The whole part about one file, or about none; it asks for itself again while something is done with the file. */
export function importPart(
  file: DroppedFile | undefined,
  others: readonly DroppedFile[],
  organization: string,
  problem?: string,
): Html {
  const isWorking = file?.step.kind === 'working';
  return html`<section class="card part" id="import" aria-labelledby="import-title"${
    isWorking
      ? html` hx-get="${deskPath}/files?of=${file.hash}" hx-trigger="every 700ms" hx-select="#import" hx-target="#import" hx-swap="outerHTML" hx-select-oob="#pending,#notices"`
      : ''
  }>
    <h2 id="import-title">Import</h2>
    ${problem === undefined ? '' : html`<p class="notice wrong" role="alert">${problem}</p>`}
    ${file ? stepOf(file, organization) : ''}
    ${others.length === 0 ? '' : html`<p>${file ? 'Also open' : 'Open'}: ${others.map((each, i) => html`${i === 0 ? '' : ', '}<a href="${deskPath}/files?of=${each.hash}"><bdi>${each.name}</bdi></a>`)}</p>`}
    ${isWorking ? '' : dropZone(file !== undefined)}
  </section>`;
}

function dropZone(isAnother: boolean): Html {
  return html`<form method="post" action="${deskPath}/files" enctype="multipart/form-data" class="drop" data-drop>
    <input type="hidden" name="do" value="take">
    <label for="file"><strong>Drop ${isAnother ? 'another' : 'a'} file here</strong>, or choose one: Excel (.xlsx), CSV, JSON or NDJSON, up to 256 MB.
      It is checked first, and nothing is stored yet.</label>
    <input type="file" id="file" name="file" accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl" required>
    <button data-without-script>Check it</button>
    ${
      isAnother
        ? ''
        : html`<p class="muted">A sample to begin with: <a href="${deskPath}/files/sample?format=csv" download>CSV</a> ·
      <a href="${deskPath}/files/sample?format=ndjson" download>NDJSON</a></p>`
    }
  </form>`;
}

/** A button that asks for something about a file, with what the page shows of it. */
function askFor(
  file: DroppedFile,
  action: string,
  label: string,
  { kind = '', ...shown }: { kind?: string } & Record<string, string> = {},
): Html {
  return html`<form method="post" action="${deskPath}/files">${about(file, { do: action, ...shown })}<button class="${kind}">${label}</button></form>`;
}

/** What a form is about. */
function about({ hash, name }: DroppedFile, more: Record<string, string>): Html[] {
  return Object.entries({ of: hash, name, ...more }).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`,
  );
}

function undoForm(file: DroppedFile): Html | '' {
  return file.isUndoable ? askFor(file, 'ask to undo', 'Undo this import') : '';
}

function forgetForm(file: DroppedFile, label = 'Do nothing'): Html {
  return askFor(file, 'forget', label, { kind: 'quiet' });
}

function stepOf(file: DroppedFile, organization: string): Html {
  const { step, name } = file;
  const names = { file: name, organization };
  switch (step.kind) {
    case 'missing':
      return missing(file, step.proposal);
    case 'checked':
      return checked(file, step.report, organization);
    case 'working':
      return working(file, step);
    case 'failed':
      return html`<p class="notice wrong" role="alert">${step.why}</p>${readingForm(file)}<div class="buttons ask">${undoForm(file)}</div>`;
    case 'asking to undo':
      return html`<div class="notice warning" role="alert">${lines(undoText(step.undo, names))}</div>
        <div class="buttons ask">${askFor(file, 'undo', 'Undo this import for good', { kind: 'danger solid', import: step.id })}${forgetForm(file, 'Keep them')}</div>`;
    case 'undone':
      return html`<div class="notice" role="status">${lines(undoneText(step.undone, names))}</div>
        <p><a href="${deskPath}/list">Look at the list</a></p>`;
    case 'ended':
      return html`<div class="notice" role="status">${lines(reportText(step.report, { ...names, dryRun: false }))}
          <p><a href="${deskPath}/list">Look at the list</a></p></div>
        ${refusals(file, step.report, false)}<div class="buttons ask">${undoForm(file)}</div>`;
  }
}

function working(
  { hash, name }: DroppedFile,
  { work, done, total }: Extract<ImportStep, { kind: 'working' }>,
): Html {
  const share = total > 0 ? Math.floor((100 * done) / total) : 0;
  return html`<p role="status"><bdi>${name}</bdi>: ${work} …</p>
    <progress max="100" value="${share}" aria-label="${work}">${share} %</progress>
    <p class="muted">It goes on while you look at other pages. Stopped, it goes on where it was when the same file is dropped again.</p>
    <noscript><p><a href="${deskPath}/files?of=${hash}">Look again</a></p></noscript>`;
}

function missing(file: DroppedFile, proposal: Proposal): Html {
  return html`<p class="notice warning" role="status">Nothing is stored yet: <strong><bdi>${file.name}</bdi></strong> has no
      column for ${listed(proposal.nameless.map(ways.nameOf))}. Say which they are.</p>
    ${readingForm(file, proposal)}<div class="buttons ask">${forgetForm(file)}${undoForm(file)}</div>`;
}

function checked(file: DroppedFile, report: ImportReport, organization: string): Html {
  const { proposal, columns } = report;
  const read = joined([
    proposal && 'It is read so, by what its columns are called and have: look at it before you import.',
    readingText(report, ways),
  ]);
  return html`<div class="notice" role="status"><p><strong><bdi>${file.name}</bdi></strong> – a dry run: nothing is stored yet.</p>
      ${lines(reportText(report, { file: file.name, organization, dryRun: true }))}</div>
    ${read === '' ? '' : html`<div class="notice reading-told">${lines(read)}</div>`}
    ${refusals(file, report, true)}
    ${readingForm(file, proposal, columns)}
    <div class="buttons ask">${storeForms(file, report)}${forgetForm(file)}${undoForm(file)}</div>`;
}

/** Stores all lines, or only those that are not there yet. */
function storeForms(file: DroppedFile, { good, wasImported, doubts }: ImportReport): Html[] {
  if (good === 0 || wasImported) return [];
  const { repeated = 0 } = doubts ?? {};
  const agreement = agreementTo(file, doubts);
  const form = (label: string, which: 'all' | 'only new') =>
    askFor(file, 'store', label, { kind: 'solid', which, agreement });
  const all = form(`Import ${repeated > 0 ? 'all ' : ''}${counted(good, 'testimonial')}`, 'all');
  if (repeated === 0) return [all];
  return repeated < good
    ? [form(`Import the ${counted(good - repeated, 'new one')}`, 'only new'), all]
    : [all];
}

function refusals(file: DroppedFile, report: ImportReport, isDryRun: boolean): Html | '' {
  if (report.refused === 0) return '';
  return html`<div class="notice warning refusals">${lines(joined([rulesText(report, ways), refusedText(report, { dryRun: isDryRun }, ways)]))}
    ${report.wasImported ? '' : html`<p><a href="${deskPath}/files/rejected?of=${file.hash}" download>Download the refused lines</a>, mend them, and drop that file.</p>`}</div>`;
}

function lines(text: string): Html[] {
  return text.split('\n').map((line) => html`<p dir="auto">${line}</p>`);
}

/** How the file is read: what its columns are, how its values are written, and whether all is new. */
function readingForm(file: DroppedFile, proposal?: Proposal, columns?: Columns): Html {
  const told = { ...file.reading, ...proposal?.reading };
  const reading = { ...told, map: { ...columns?.map, ...told.map } };
  const isMissing = file.step.kind === 'missing';
  const isOpen = isMissing || proposal !== undefined || file.step.kind === 'failed';
  const header = (proposal ?? columns)?.header.filter((name) => name !== '') ?? [];
  return html`<details class="reading"${isOpen ? html` open` : ''}><summary>${isMissing ? 'What the columns are' : 'Read it otherwise'}</summary>
    <form method="post" action="${deskPath}/files">
      ${about(file, { do: 'check' })}
      ${header.length === 0 ? '' : offered.map((field) => fieldRow(field, reading, header))}
      <div class="field"><label for="date-format">How times are written</label>
        <input id="date-format" name="dateFormat" value="${reading.dateFormat ?? ''}" placeholder="dd/MM/yyyy HH:mm, unix, excel, words de; empty: as they look"></div>
      ${checkbox('roundRatings', 'Round stars such as 4.5', reading.roundRatings ?? false)}
      ${checkbox('keepHtml', 'Keep HTML as it stands', reading.keepHtml ?? false)}
      ${checkbox('asNew', 'As new: created now, whatever times the file has', reading.asNew ?? false)}
      <div class="buttons"><button>Check again</button></div>
    </form></details>`;
}

function checkbox(name: string, label: string, isChecked: boolean): Html {
  return html`<label class="check"><input type="checkbox" name="${name}" value="yes"${isChecked ? html` checked` : ''}>
    <span>${label}</span></label>`;
}

/** Fields as people call them; one that is not named here has its own name. */
const labels: Partial<Record<string, string>> = {
  content: 'Text',
  'author.name': 'Name',
  'author.email': 'E-mail',
  'author.company': 'Company',
  rating: 'Stars',
  tags: 'Tags',
  createdAt: 'Created at',
  status: 'Status',
  type: 'Type',
  updatedAt: 'Updated at',
};

const ways: Ways = {
  keepHtml: '“Keep HTML as it stands”',
  roundRatings: '“Round stars such as 4.5”',
  dateFormat: '“How times are written”',
  asNew: '“As new”',
  nameOf: (field) => labels[field] ?? field,
};

// Ids and the order of updates are those of exports of this service.
const offered = lineFields.filter((field) => labels[field] !== undefined);

function fieldRow(field: LineField, { map, defaults }: Interpretation, columns: readonly string[]): Html {
  const chosen = map[field] ?? [];
  const isChosen = (choice: readonly string[]) => JSON.stringify(choice) === JSON.stringify(chosen);
  const several = chosen.length > 1 || (chosen[0] !== undefined && !columns.includes(chosen[0]));
  const choices = [[], ...(several ? [chosen] : []), ...columns.map((column) => [column])];
  return html`<fieldset class="mapping"><legend>${ways.nameOf(field)}</legend>
    <div class="field"><label for="column-${field}">Column</label>
      <select id="column-${field}" name="column ${field}">${choices.map(
        (choice) =>
          html`<option value="${JSON.stringify(choice)}"${isChosen(choice) ? html` selected` : ''}>${choice.length === 0 ? '–' : choice.join(' + ')}</option>`,
      )}</select></div>
    <div class="field"><label for="value-${field}">Or, where a line has none</label>
      <input id="value-${field}" name="value ${field}" value="${defaults[field] ?? ''}" autocomplete="off"></div>
  </fieldset>`;
}

/** How a file is read, as a form has sent it. */
export function readingIn(body: FormBody): Interpretation {
  const map: Interpretation['map'] = {};
  const defaults: Partial<Record<LineField, string>> = {};
  for (const field of lineFields) {
    const columns = columnsIn(textOf(body, `column ${field}`));
    if (columns) map[field] = columns;
    const value = textOf(body, `value ${field}`).trim();
    if (value !== '') defaults[field] = value;
  }
  const dateFormat = textOf(body, 'dateFormat').trim();
  const asNew = textOf(body, 'asNew') === 'yes';
  const roundRatings = textOf(body, 'roundRatings') === 'yes';
  const keepHtml = textOf(body, 'keepHtml') === 'yes';
  return { map, defaults, asNew, roundRatings, keepHtml, ...(dateFormat !== '' && { dateFormat }) };
}

/** The columns that were chosen in a row; undefined where there was none. */
function columnsIn(choice: string): readonly string[] | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), v.array(v.string())), choice);
  return read.success ? read.output : undefined;
}
