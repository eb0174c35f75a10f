/** The import part of the desk's page: the form, the dry run, the progress and the result of a file. */
import { html } from 'hono/html';
import * as v from 'valibot';
import type { LoadLine } from '../../../../functions/domain/loads.ts';
import type { Mapping, OpenedFile } from '../../../../functions/reading/detect-columns.ts';
import type { ImportResult } from '../../../../functions/reading/import-file.ts';
import { lineFields } from '../../../../functions/reading/imported-line.ts';
import { columnsOf, firstValues, required, samplesOf } from '../../../../functions/reading/map-columns.ts';
import * as report from '../../../../functions/reading/report.ts';
import type { Spreadsheet } from '../../../../functions/reading/spreadsheet.ts';
import { deskPath } from '../../../../functions/serve-desk/parts/assets.ts';
import { type FormBody, textOf } from '../../../../functions/serve-desk/parts/forms.ts';
import type { Html } from '../../../../functions/serve-desk/parts/layout.ts';
import { hiddenFields } from '../../../../functions/serve-desk/parts/long-work.ts';
import { affiliation, stars, statusPill } from '../../../../functions/serve-desk/parts/testimonial.ts';
import { beginning, counted, joined, listed } from '../../terminal/formatting.ts';
import { agreementTo, type DroppedFile, type ImportStep } from './dropped-files.ts';
import labelsOfFields from './labels.json' with { type: 'json' };

// Characters shown of a testimonial, and of a cell.
const excerptLength = 300;
const sampleLength = 60;

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
    case 'shown':
      return shown(file);
    case 'checked':
      return checked(file, step.result, organization);
    case 'working':
      return working(file, step);
    case 'failed':
      return html`<p class="notice wrong" role="alert">${step.why}</p>${mappingForm(file)}<div class="buttons ask">${undoForm(file)}</div>`;
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

function working({ hash, name }: DroppedFile, step: Extract<ImportStep, { kind: 'working' }>): Html {
  const { work, done, total } = step;
  const share = total > 0 ? Math.floor((100 * done) / total) : 0;
  return html`<p role="status"><bdi>${name}</bdi>: ${work} …</p>
    <progress max="100" value="${share}" aria-label="${work}">${share} %</progress>
    <p class="muted">You can leave this page. If the import stops, drop the same file again to continue.</p>
    <noscript><p><a href="${deskPath}/files?of=${hash}">Reload</a></p></noscript>`;
}

function shown(file: DroppedFile): Html {
  const { name, opened, first } = file;
  const { nameless = [] } = opened?.guess ?? {};
  const text =
    nameless.length > 0
      ? `has no column for ${listed(nameless.map(optionNames.nameOf))}. Choose the columns below. Nothing is stored yet.`
      : 'is read in another way now. Check the whole file before you import it.';
  return html`<p class="notice warning" role="status"><strong><bdi>${name}</bdi></strong> ${text}</p>
    ${first && mappingNotice({ ...first, ...opened, wasImported: false })}
    ${first && first.refused > 0 && nameless.length === 0 && html`<div class="notice warning refusals">${paragraphs(report.reasonsText({ ...first, sheet: opened?.sheet }, optionNames))}</div>`}
    ${mappingForm(file)}<div class="buttons ask">${forgetForm(file)}${undoForm(file)}</div>`;
}

function checked(file: DroppedFile, result: ImportResult, organization: string): Html {
  return html`<div class="notice" role="status"><p><strong><bdi>${file.name}</bdi></strong> – a dry run: nothing is stored yet.</p>
      ${paragraphs(report.resultText(result, { file: file.name, organization, dryRun: true }))}</div>
    ${mappingNotice(result)}
    ${rejections(file, result, true)}
    ${mappingForm(file)}
    <div class="buttons ask">${storeForms(file, result)}${forgetForm(file)}${undoForm(file)}</div>`;
}

/** Renders the mapping of a file, without its first lines: the form shows these. */
function mappingNotice(result: Parameters<typeof report.mappingText>[0]): Html | '' {
  const text = joined([
    result.guess && 'The columns are guessed from their names and values. Check them before you import.',
    report.mappingText({ ...result, examples: [] }, optionNames),
  ]);
  return text === '' ? '' : html`<div class="notice reading-told">${paragraphs(text)}</div>`;
}

/** Shows the first testimonials as they would be stored. */
function preview(lines: readonly LoadLine[]): Html {
  const item = ({ author, rating, createdAt, status = 'pending', content }: LoadLine) => html`<li>
      <p><strong><bdi>${author.name}</bdi></strong> <span class="muted"><bdi>${author.email}</bdi></span>${affiliation(author)}</p>
      <p>${stars(rating)} ${statusPill(status)} <span class="muted">${createdAt === undefined ? 'created now' : new Date(createdAt).toISOString().slice(0, 10)}</span></p>
      <p class="content" dir="auto">${beginning(content, excerptLength)}</p></li>`;
  return html`<ol class="import-preview" tabindex="0" aria-label="The first testimonials">${lines.map(item)}</ol>`;
}

function storeForms(file: DroppedFile, result: ImportResult): Html[] {
  const { good, repeated, wasImported } = result;
  if (good === 0 || wasImported) return [];
  const agreement = agreementTo(file, result);
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

/**
 * Renders the form of a mapping. Every change shows its first testimonials; without JavaScript, a
 * button does.
 */
function mappingForm({ hash, name, mapping, opened, first, step }: DroppedFile): Html {
  const { sheet, sheetNames = [], sheetName = '', guess, dateFormat = '' } = opened ?? {};
  const sheets = sheetNames.map((each) => [each]);
  const isOpen = step.kind !== 'checked' || guess !== undefined;
  const checkboxes = [
    ['roundRatings', 'Round ratings such as 4.5'],
    ['keepHtml', 'Keep HTML'],
    ['asNew', 'As new: create all testimonials now, whatever their dates'],
  ] as const;
  return html`<details class="reading"${isOpen ? html` open` : ''}><summary>Change columns and formats</summary>
    <form method="post" action="${deskPath}/files" hx-post="${deskPath}/files" hx-trigger="change" hx-vals='{"only":"show"}' hx-select="#import" hx-target="#import" hx-swap="outerHTML">
      ${hiddenFields({ of: hash, name, do: 'check' })}
      ${sheets.length > 1 && select('sheet', 'Sheet', sheets, [sheetName])}
      ${opened && sheet && fieldRows(opened, sheet)}
      <div class="field"><label for="date-format">Date format</label>
        <input id="date-format" name="dateFormat" value="${dateFormat}" placeholder="dd/MM/yyyy HH:mm, unix, excel, words de; empty: detect"></div>
      ${checkboxes.map(
        ([
          id,
          label,
        ]) => html`<label class="check"><input type="checkbox" name="${id}" value="yes"${(opened ?? mapping)[id] ? html` checked` : ''}>
    <span>${label}</span></label>`,
      )}
      <div class="buttons"><button name="only" value="show" data-without-script>Show</button><button>Check again</button></div>
    </form></details>
    ${first && first.examples.length > 0 && preview(first.examples)}`;
}

// Only exports of this service contain the other fields, which are shown by their own names.
const labels: Partial<Record<string, string>> = labelsOfFields;
const offered = lineFields.filter((field) => labels[field] !== undefined);

const optionNames: report.OptionNames = {
  map: '“Column”',
  keepHtml: '“Keep HTML”',
  roundRatings: '“Round ratings such as 4.5”',
  dateFormat: '“Date format”',
  asNew: '“As new”',
  nameOf: (field) => labels[field] ?? field,
};

function select(
  name: string,
  label: string,
  choices: readonly (readonly string[])[],
  chosen: readonly string[],
): Html {
  const isChosen = (choice: readonly string[]) => JSON.stringify(choice) === JSON.stringify(chosen);
  const option = (choice: readonly string[]) =>
    html`<option value="${JSON.stringify(choice)}"${isChosen(choice) ? html` selected` : ''}>${choice.join(' + ') || '–'}</option>`;
  const id = name.replaceAll(' ', '-');
  return html`<div class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}">${choices.map(option)}</select></div>`;
}

/** Renders a select for each field, with values of its column beside it. */
function fieldRows(opened: OpenedFile, { header, rows }: Spreadsheet): Html[] {
  const { map } = columnsOf(header, opened);
  const samples = samplesOf(header, rows);
  return offered.map((field) => {
    const chosen = map[field] ?? [];
    const values = samples.filter(({ name }) => chosen.includes(name)).flatMap(firstValues);
    const choices = [[], ...(chosen.length > 1 ? [chosen] : []), ...samples.map(({ name }) => [name])];
    return html`<fieldset class="mapping"><legend>${optionNames.nameOf(field)}</legend>
    ${select(`column ${field}`, 'Column', choices, chosen)}
    <ul class="samples" aria-label="Values">${values.map((value) => html`<li dir="auto">${beginning(value, sampleLength)}</li>`)}</ul>
    <div class="field"><label for="value-${field}">If empty, use</label>
      <input id="value-${field}" name="value ${field}" value="${opened.defaults[field] ?? ''}" autocomplete="off"></div>
  </fieldset>`;
  });
}

const columnNames = v.fallback(v.pipe(v.string(), v.parseJson(), v.array(v.string())), []);

/**
 * Reads the form of a file.
 * @param file whose sheet and date format the form showed
 */
export function mappingIn(body: FormBody, { opened }: DroppedFile): Mapping {
  const [sheetName] = v.parse(columnNames, textOf(body, 'sheet'));
  const sheet = sheetName !== undefined && { sheetName };
  if (sheetName !== opened?.sheetName) return { map: {}, defaults: {}, ...sheet };
  const map: Mapping['map'] = {};
  const defaults: Mapping['defaults'] = {};
  for (const field of offered) {
    const value = textOf(body, `value ${field}`).trim();
    if (value !== '') defaults[field] = value;
    const chosen = textOf(body, `column ${field}`);
    const columns = v.parse(columnNames, chosen);
    // A field that every line needs cannot be left out.
    if (chosen !== '' && (columns.length > 0 || value !== '' || !required.includes(field)))
      map[field] = columns;
  }
  const isYes = (name: string) => textOf(body, name) === 'yes';
  const flags = { asNew: isYes('asNew'), roundRatings: isYes('roundRatings'), keepHtml: isYes('keepHtml') };
  const dateFormat = textOf(body, 'dateFormat').trim();
  // Another column has a format of its own.
  const isOld = dateFormat === opened?.dateFormat && map.createdAt?.join() !== opened.map.createdAt?.join();
  return { map, defaults, ...flags, ...sheet, ...(dateFormat !== '' && !isOld && { dateFormat }) };
}
