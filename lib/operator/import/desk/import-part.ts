/** The import part of the desk's page: the form, the dry run, the progress and the result of a file. */
import { html } from 'hono/html';
import * as v from 'valibot';
import { deskPath } from '../../../../functions/serve-desk/parts/assets.ts';
import { type FormBody, textOf } from '../../../../functions/serve-desk/parts/forms.ts';
import type { Html } from '../../../../functions/serve-desk/parts/layout.ts';
import { hiddenFields } from '../../../../functions/serve-desk/parts/long-work.ts';
import { counted, joined, listed } from '../../terminal/formatting.ts';
import type { Interpretation, Proposal } from '../detect-columns.ts';
import type { ImportResult } from '../import-plan.ts';
import { type LineField, lineFields } from '../imported-line.ts';
import type { Columns } from '../map-columns.ts';
import * as report from '../report.ts';
import { agreementTo, type DroppedFile, type ImportStep } from './dropped-files.ts';

/** Renders the part for one file, or for none. It reloads itself while work on the file is under way. */
export function importPart(
  file: DroppedFile | undefined,
  others: readonly DroppedFile[],
  organization: string,
  problem?: string,
): Html {
  const isWorking = file?.step.kind === 'working';
  return html`<section class="card part" id="import" aria-labelledby="import-title"${
    isWorking &&
    html` hx-get="${deskPath}/files?of=${file.hash}" hx-trigger="every 700ms" hx-select="#import" hx-target="#import" hx-swap="outerHTML" hx-select-oob="#pending,#notices"`
  }>
    <h2 id="import-title">Import</h2>
    ${problem === undefined ? '' : html`<p class="notice wrong" role="alert">${problem}</p>`}
    ${file ? stepOf(file, organization) : ''}
    ${others.length === 0 ? '' : html`<p>${file ? 'Also open' : 'Open'}: ${others.map((other, i) => html`${i === 0 ? '' : ', '}<a href="${deskPath}/files?of=${other.hash}"><bdi>${other.name}</bdi></a>`)}</p>`}
    ${isWorking ? '' : dropZone(file !== undefined)}
  </section>`;
}

function dropZone(isAnother: boolean): Html {
  return html`<form method="post" action="${deskPath}/files" enctype="multipart/form-data" class="drop" data-drop>
    <input type="hidden" name="do" value="take">
    <label for="file"><strong>Drop ${isAnother ? 'another' : 'a'} file here</strong>, or choose one: Excel (.xlsx), CSV, JSON or NDJSON, up to 256 MB.
      The file is checked first. Nothing is stored yet.</label>
    <input type="file" id="file" name="file" accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl" required>
    <button data-without-script>Check it</button>
    ${
      !isAnother &&
      html`<p class="muted">Sample files: <a href="${deskPath}/files/sample?format=csv" download>CSV</a> ·
      <a href="${deskPath}/files/sample?format=ndjson" download>NDJSON</a></p>`
    }
  </form>`;
}

function actionForm(
  { hash, name }: DroppedFile,
  action: string,
  label: string,
  { kind = '', ...shown }: { kind?: string } & Record<string, string> = {},
): Html {
  return html`<form method="post" action="${deskPath}/files">${hiddenFields({ of: hash, name, do: action, ...shown })}<button class="${kind}">${label}</button></form>`;
}

function undoForm(file: DroppedFile): Html | '' {
  return file.isUndoable ? actionForm(file, 'ask to undo', 'Undo this import') : '';
}

function forgetForm(file: DroppedFile, label = 'Cancel'): Html {
  return actionForm(file, 'forget', label, { kind: 'quiet' });
}

function stepOf(file: DroppedFile, organization: string): Html {
  const { step, name } = file;
  const names = { file: name, organization };
  switch (step.kind) {
    case 'missing':
      return missing(file, step.proposal);
    case 'checked':
      return checked(file, step.result, organization);
    case 'working':
      return working(file, step);
    case 'failed':
      return html`<p class="notice wrong" role="alert">${step.why}</p>${interpretationForm(file)}<div class="buttons ask">${undoForm(file)}</div>`;
    case 'asking to undo':
      return html`<div class="notice warning" role="alert">${paragraphs(report.undoText(step.undo, names, 'asking'))}</div>
        <div class="buttons ask">${actionForm(file, 'undo', 'Undo this import for good', { kind: 'danger solid', import: step.id })}${forgetForm(file, 'Keep the testimonials')}</div>`;
    case 'undone':
      return html`<div class="notice" role="status">${paragraphs(report.undoText(step.undone, names, 'undone'))}</div>
        <p><a href="${deskPath}/list">View the list</a></p>`;
    case 'ended':
      return html`<div class="notice" role="status">${paragraphs(report.resultText(step.result, { ...names, dryRun: false }))}
          <p><a href="${deskPath}/list">View the list</a></p></div>
        ${rejections(file, step.result, false)}<div class="buttons ask">${undoForm(file)}</div>`;
  }
}

function working(
  { hash, name }: DroppedFile,
  { work, done, total }: Extract<ImportStep, { kind: 'working' }>,
): Html {
  const share = total > 0 ? Math.floor((100 * done) / total) : 0;
  return html`<p role="status"><bdi>${name}</bdi>: ${work} …</p>
    <progress max="100" value="${share}" aria-label="${work}">${share} %</progress>
    <p class="muted">You can leave this page. If the import stops, drop the same file again to continue.</p>
    <noscript><p><a href="${deskPath}/files?of=${hash}">Reload</a></p></noscript>`;
}

function missing(file: DroppedFile, proposal: Proposal): Html {
  return html`<p class="notice warning" role="status"><strong><bdi>${file.name}</bdi></strong> has no
      column for ${listed(proposal.nameless.map(optionNames.nameOf))}. Choose the columns below. Nothing is stored yet.</p>
    ${interpretationForm(file, proposal)}<div class="buttons ask">${forgetForm(file)}${undoForm(file)}</div>`;
}

function checked(file: DroppedFile, result: ImportResult, organization: string): Html {
  const { proposal, columns } = result;
  const interpretation = joined([
    proposal && 'The columns are guessed from their names and values. Check them before you import.',
    report.interpretationText(result, optionNames),
  ]);
  return html`<div class="notice" role="status"><p><strong><bdi>${file.name}</bdi></strong> – a dry run: nothing is stored yet.</p>
      ${paragraphs(report.resultText(result, { file: file.name, organization, dryRun: true }))}</div>
    ${interpretation === '' ? '' : html`<div class="notice reading-told">${paragraphs(interpretation)}</div>`}
    ${rejections(file, result, true)}
    ${interpretationForm(file, proposal, columns)}
    <div class="buttons ask">${storeForms(file, result)}${forgetForm(file)}${undoForm(file)}</div>`;
}

function storeForms(file: DroppedFile, { good, wasImported, doubts }: ImportResult): Html[] {
  if (good === 0 || wasImported) return [];
  const { repeated = 0 } = doubts ?? {};
  const agreement = agreementTo(file, doubts);
  const form = (label: string, which: 'all' | 'only new') =>
    actionForm(file, 'store', label, { kind: 'solid', which, agreement });
  const all = form(`Import ${repeated > 0 ? 'all ' : ''}${counted(good, 'testimonial')}`, 'all');
  if (repeated === 0 || repeated >= good) return [all];
  return [form(`Import ${counted(good - repeated, 'new testimonial')}`, 'only new'), all];
}

function rejections(file: DroppedFile, result: ImportResult, dryRun: boolean): Html | '' {
  if (result.refused === 0) return '';
  return html`<div class="notice warning refusals">${paragraphs(joined([report.reasonsText(result, optionNames), report.rejectedText(result, { dryRun }, optionNames)]))}
    ${result.wasImported ? '' : html`<p><a href="${deskPath}/files/rejected?of=${file.hash}" download>Download the rejected lines</a>, correct them, and drop that file.</p>`}</div>`;
}

function paragraphs(text: string): Html[] {
  return text.split('\n').map((line) => html`<p dir="auto">${line}</p>`);
}

function interpretationForm(file: DroppedFile, proposal?: Proposal, columns?: Columns): Html {
  const chosen = { ...file.interpretation, ...proposal?.interpretation };
  const interpretation = { ...chosen, map: { ...columns?.map, ...chosen.map } };
  const isMissing = file.step.kind === 'missing';
  const isOpen = isMissing || proposal !== undefined || file.step.kind === 'failed';
  const header = (proposal ?? columns)?.header.filter((name) => name !== '') ?? [];
  return html`<details class="reading"${isOpen ? html` open` : ''}><summary>${isMissing ? 'Choose columns' : 'Change columns and formats'}</summary>
    <form method="post" action="${deskPath}/files">
      ${hiddenFields({ of: file.hash, name: file.name, do: 'check' })}
      ${header.length === 0 ? '' : offered.map((field) => fieldRow(field, interpretation, header))}
      <div class="field"><label for="date-format">Date format</label>
        <input id="date-format" name="dateFormat" value="${interpretation.dateFormat ?? ''}" placeholder="dd/MM/yyyy HH:mm, unix, excel, words de; empty: detect"></div>
      ${checkbox('roundRatings', 'Round ratings such as 4.5', interpretation.roundRatings ?? false)}
      ${checkbox('keepHtml', 'Keep HTML', interpretation.keepHtml ?? false)}
      ${checkbox('asNew', 'As new: create all testimonials now, whatever their dates', interpretation.asNew ?? false)}
      <div class="buttons"><button>Check again</button></div>
    </form></details>`;
}

function checkbox(name: string, label: string, isChecked: boolean): Html {
  return html`<label class="check"><input type="checkbox" name="${name}" value="yes"${isChecked ? html` checked` : ''}>
    <span>${label}</span></label>`;
}

/** Labels of fields. Other fields are shown by their own names. */
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

const optionNames: report.OptionNames = {
  keepHtml: '“Keep HTML”',
  roundRatings: '“Round ratings such as 4.5”',
  dateFormat: '“Date format”',
  asNew: '“As new”',
  nameOf: (field) => labels[field] ?? field,
};

// Only exports of this service contain the other fields.
const offered = lineFields.filter((field) => labels[field] !== undefined);

function fieldRow(field: LineField, { map, defaults }: Interpretation, columns: readonly string[]): Html {
  const chosen = map[field] ?? [];
  const isChosen = (choice: readonly string[]) => JSON.stringify(choice) === JSON.stringify(chosen);
  const several = chosen.length > 1 || (chosen[0] !== undefined && !columns.includes(chosen[0]));
  const choices = [[], ...(several ? [chosen] : []), ...columns.map((column) => [column])];
  return html`<fieldset class="mapping"><legend>${optionNames.nameOf(field)}</legend>
    <div class="field"><label for="column-${field}">Column</label>
      <select id="column-${field}" name="column ${field}">${choices.map(
        (choice) =>
          html`<option value="${JSON.stringify(choice)}"${isChosen(choice) ? html` selected` : ''}>${choice.length === 0 ? '–' : choice.join(' + ')}</option>`,
      )}</select></div>
    <div class="field"><label for="value-${field}">If empty, use</label>
      <input id="value-${field}" name="value ${field}" value="${defaults[field] ?? ''}" autocomplete="off"></div>
  </fieldset>`;
}

const columnNames = v.pipe(v.string(), v.parseJson(), v.array(v.string()));

export function interpretationIn(body: FormBody): Interpretation {
  const map: Interpretation['map'] = {};
  const defaults: Interpretation['defaults'] = {};
  for (const field of lineFields) {
    const columns = v.safeParse(columnNames, textOf(body, `column ${field}`));
    if (columns.success) map[field] = columns.output;
    const value = textOf(body, `value ${field}`).trim();
    if (value !== '') defaults[field] = value;
  }
  const dateFormat = textOf(body, 'dateFormat').trim();
  const asNew = textOf(body, 'asNew') === 'yes';
  const roundRatings = textOf(body, 'roundRatings') === 'yes';
  const keepHtml = textOf(body, 'keepHtml') === 'yes';
  return { map, defaults, asNew, roundRatings, keepHtml, ...(dateFormat !== '' && { dateFormat }) };
}
