/** Renders the import of a file: what was read, the columns, the dry run, the progress and the result. */
import { html } from 'hono/html';
import * as v from 'valibot';
import type { LoadLine, LoadStatus } from '../../domain/loads.ts';
import { type Status, statuses } from '../../domain/testimonial.ts';
import { capital, counted, excerpt, joined, listed, minuteOf } from '../../domain/wording.ts';
import type { ImportResult } from '../../reading/import-file.ts';
import { type LineField, lineFields } from '../../reading/imported-line.ts';
import { columnsOf, firstValues, type Mapping, required, samplesOf } from '../../reading/map-columns.ts';
import * as report from '../../reading/report.ts';
import type { Spreadsheet } from '../../reading/spreadsheet.ts';
import { mostLines } from '../parts/import-limits.ts';
import type { Html } from '../parts/layout.ts';
import { affiliation, stars, statusPill } from '../parts/marks.ts';
import { deskPath } from '../parts/paths.ts';
import type { FileImport, ImportState } from './file-import.ts';
import labelsOfFields from './labels.json' with { type: 'json' };

// Characters shown of a testimonial, and of a cell.
const excerptLength = 300;
const sampleLength = 60;

/**
 * Renders the part for a file, or for none.
 * @param problem why the last file could not be read
 */
export function importPart(file: FileImport | undefined, organization: string, problem?: string): Html {
  const isWorking = file?.state.kind === 'working';
  return html`${problem === undefined ? '' : html`<p class="notice wrong" role="alert">${problem}</p>`}
    ${file ? stateOf(file, organization) : ''}
    ${isWorking ? '' : dropZone(file !== undefined)}`;
}

function dropZone(isAnother: boolean): Html {
  return html`<form class="drop" data-drop>
    <label for="file"><strong>Choose ${isAnother ? 'another' : 'a'} file</strong>, or drop it here: Excel (.xlsx), CSV or JSON,
      up to ${mostLines.toLocaleString('en')} testimonials and 4 MB. Nothing is stored until you agree.</label>
    <input type="file" id="file" name="file" accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl">
    ${!isAnother && html`<p class="muted">No file yet? ${button('sample', 'Download a sample', 'small quiet')}</p>`}
  </form>`;
}

/** Renders the part while a file is opened. */
export function openingPart(name: string): Html {
  return html`<p role="status"><bdi>${name}</bdi>: ${works.read} …</p>
    <progress max="100" aria-label="${works.read}"></progress>`;
}

/** Renders a button. The page sends its action to the worker. */
function button(action: string, label: string, kind = ''): Html {
  return html`<button type="button" class="${kind}" data-act="${action}">${label}</button>`;
}

function stateOf(file: FileImport, organization: string): Html {
  const { state, name } = file;
  const names = { file: name, organization };
  switch (state.kind) {
    case 'shown':
      return shown(file);
    case 'checked':
      return checked(file, state.result, organization);
    case 'working':
      return working(file, state);
    case 'failed':
      return html`<p class="notice wrong" role="alert" tabindex="-1" data-focus>${state.why}</p>${file.opened ? mappingForm(file) : ''}
        <div class="buttons ask">${button('forget', 'Cancel', 'quiet')}</div>`;
    case 'ended':
      return html`<div class="notice" role="status" tabindex="-1" data-focus>${paragraphs(report.resultText(state.result, { ...names, dryRun: false }))}
          <p><a href="${deskPath}/list">View the list</a></p></div>
        ${rejections(state.result, false)}
        <div class="buttons ask">${button('done', 'Done', 'solid')}</div>`;
  }
}

const works: Record<Extract<ImportState, { kind: 'working' }>['phase'], string> = {
  asked: 'Preparing',
  read: 'Reading',
  checked: 'Checking',
  compared: 'Looking for duplicates',
  stored: 'Storing',
  indexed: 'Adding them to your list',
  looked: 'Reading',
  erased: 'Erasing',
  pacing: 'Almost done',
};

function working(
  { name, trouble, earlier }: FileImport,
  { phase, done, total }: Extract<ImportState, { kind: 'working' }>,
): Html {
  const share = total > 0 ? Math.floor((100 * done) / total) : undefined;
  const work = works[phase];
  const isStoring = phase === 'stored' || phase === 'indexed';
  return html`<p role="status"><bdi>${name}</bdi>: ${work} …</p>
    <progress max="100" ${share === undefined ? '' : html`value="${share}"`} aria-label="${work}"></progress>
    ${trouble === undefined ? '' : html`<p class="notice warning" role="alert">${trouble}</p>`}
    <p class="muted">${isStoring ? 'Keep this page open. If it is closed, choose the same file again, now or on another day: the import goes on where it stopped.' : earlier ? '' : 'Nothing is stored yet.'}</p>
    <div class="buttons ask">${button('forget', isStoring ? 'Stop here' : 'Cancel', 'quiet')}</div>`;
}

function shown(file: FileImport): Html {
  const { name, opened, first } = file;
  const { nameless = [] } = opened?.guess ?? {};
  const text =
    nameless.length > 0
      ? `has no column for ${listed(nameless.map(optionNames.nameOf))}. Choose the columns below.`
      : 'has other columns or formats now. Check the file before you import it.';
  return html`<p class="notice warning" role="status"><strong><bdi>${name}</bdi></strong> ${text}</p>
    ${opened && first && mappingNotice({ ...first, ...opened, wasImported: false })}
    ${first && first.rejected > 0 && nameless.length === 0 && html`<div class="notice warning refusals">${reasons({ ...first, sheet: opened?.sheet })}</div>`}
    ${mappingForm(file)}<div class="buttons ask">${button('forget', 'Cancel', 'quiet')}</div>`;
}

function checked(file: FileImport, result: ImportResult, organization: string): Html {
  if (result.wasImported)
    return html`<p class="notice" role="status" tabindex="-1" data-focus>${report.resultText(result, { file: file.name, organization, dryRun: true })}</p>
      ${rejections(result, true)}
      <div class="buttons ask">${button('forget', 'Done', 'solid')}</div>
      ${mappingForm(file)}`;
  return html`<div class="notice" role="status" tabindex="-1" data-focus><p><strong><bdi>${file.name}</bdi></strong> is checked.${file.earlier ? '' : ' Nothing is stored yet.'}</p>
      ${paragraphs(report.resultText(result, { file: file.name, organization, dryRun: true }))}</div>
    ${mappingNotice(result)}
    ${rejections(result, true)}
    ${preview(result.examples)}
    ${file.earlier ? begunNotice(file.earlier) : waiting(result)}
    <div class="buttons ask">${storeButtons(result, file.earlier)}${button('forget', 'Cancel', 'quiet')}</div>
    ${mappingForm(file)}`;
}

/** Says what happens to testimonials without a status. */
function waiting({ good, hasStatus }: ImportResult): Html | '' {
  if (good === 0 || hasStatus) return '';
  return html`<p class="muted">They wait in the queue. To approve all of them now, choose “Approved” as the status below, and check again.</p>`;
}

/** Renders the mapping of a file, without its first lines: the form shows these. */
function mappingNotice(result: Parameters<typeof report.mappingText>[0]): Html | '' {
  const text = joined([
    result.guess && 'The columns are guessed from their names and values. Check them before you import.',
    report.mappingText({ ...result, examples: [] }, optionNames),
  ]);
  return text === '' ? '' : html`<div class="notice told">${paragraphs(text)}</div>`;
}

/** Shows the first testimonials as they would be stored. */
function preview(lines: readonly LoadLine[]): Html {
  const item = ({ author, rating, createdAt, status = 'pending', content }: LoadLine) => html`<li>
      <p><strong><bdi>${author.name}</bdi></strong>${affiliation(author)}</p>
      <p class="muted address"><bdi>${author.email}</bdi></p>
      <p>${stars(rating)} ${statusPill(status)} <span class="muted">${createdAt === undefined ? 'created now' : new Date(createdAt).toISOString().slice(0, 10)}</span></p>
      <p class="content" dir="auto">${excerpt(content, excerptLength)}</p></li>`;
  return html`<ol class="import-preview" tabindex="0" aria-label="The first testimonials">${lines.map(item)}</ol>`;
}

/** Says how far the import of this file has come. */
function begunNotice({ done, count, at }: LoadStatus): Html {
  return html`<p class="notice">This import began on ${minuteOf(at)}: at least ${done.toLocaleString('en')} of ${counted(count, 'testimonial')} are stored. Continue?</p>`;
}

function storeButtons(result: ImportResult, earlier: LoadStatus | undefined): Html[] {
  const { good, repeated, wasImported } = result;
  if (good === 0 || wasImported) return [];
  if (earlier) return [button('all', 'Continue the import', 'solid')];
  if (repeated === 0) return [button('all', `Import ${counted(good, 'testimonial')}`, 'solid')];
  // Nothing of it is new.
  if (repeated >= good) return [button('all', `Import ${counted(good, 'testimonial')} again`, 'quiet')];
  const all = `Import all ${good.toLocaleString('en')}, with ${counted(repeated, 'duplicate')}`;
  return [
    button('only new', `Import ${counted(good - repeated, 'new testimonial')}`, 'solid'),
    button('all', all),
  ];
}

function rejections(result: ImportResult, dryRun: boolean): Html | '' {
  if (result.rejected === 0) return '';
  return html`<div class="notice warning refusals">${paragraphs(report.rejectedText(result, { dryRun }, optionNames))}${reasons(result)}
    ${result.wasImported ? '' : html`<p>${button('rejected', 'Download the rejected rows', 'small')} Correct them there, then choose that file.</p>`}</div>`;
}

/** Renders the reasons of rejected rows, each as a sentence. */
function reasons(result: Parameters<typeof report.reasonsText>[0]): Html[] {
  return report
    .reasonsText(result, optionNames)
    .split('\n')
    .flatMap((line) => paragraphs(capital(line)));
}

function paragraphs(text: string): Html[] {
  return text.split('\n').map((line) => html`<p dir="auto">${line}</p>`);
}

/** Renders the form of a mapping. Every change shows its first testimonials. */
function mappingForm({ choice, opened, first, state }: FileImport): Html {
  const { sheet, sheetNames = [], guess, mapping = choice } = opened ?? {};
  const { sheetName = '', dateFormat = '' } = mapping;
  const sheets = sheetNames.map((each) => [each]);
  const isOpen = state.kind !== 'checked' || Object.keys(guess?.choices ?? {}).length > 0;
  const checkboxes = [
    ['roundRatings', 'Round ratings such as 4.5'],
    ['keepHtml', 'Keep HTML tags such as <b>'],
    ['asNew', 'Ignore the dates: use today’s date'],
  ] as const;
  return html`<details class="reading"${isOpen ? html` open` : ''}><summary>Change columns and formats</summary>
    <form data-mapping>
      ${sheets.length > 1 && select('sheet', 'Sheet', sheets, [sheetName])}
      ${opened && sheet && fieldRows(mapping, sheet)}
      <div class="field"><label for="date-format">Date format</label>
        <input id="date-format" name="dateFormat" value="${dateFormat}" placeholder="dd/MM/yyyy; leave empty to detect it"></div>
      ${checkboxes.map(
        ([
          id,
          label,
        ]) => html`<label class="check"><input type="checkbox" name="${id}" value="yes"${mapping[id] ? html` checked` : ''}>
    <span>${label}</span></label>`,
      )}
      <div class="buttons">${button('check', state.kind === 'checked' ? 'Check again' : 'Check the file', state.kind === 'checked' ? '' : 'solid')}</div>
    </form></details>
    ${state.kind !== 'checked' && first && first.examples.length > 0 && preview(first.examples)}`;
}

// Only exports of this service contain the other fields, which are shown by their own names.
const labels: Partial<Record<string, string>> = labelsOfFields;
const offered = lineFields.filter((field) => labels[field] !== undefined);

const optionNames: report.OptionNames = {
  map: '“Column” below',
  keepHtml: '“Keep HTML tags”',
  roundRatings: '“Round ratings such as 4.5”',
  dateFormat: '“Date format”',
  asNew: '“Ignore the dates”',
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
function fieldRows(mapping: Mapping, { header, rows }: Spreadsheet): Html[] {
  const { map } = columnsOf(header, mapping);
  const samples = samplesOf(header, rows);
  return offered.map((field) => {
    const chosen = map[field] ?? [];
    const values = samples.filter(({ name }) => chosen.includes(name)).flatMap(firstValues);
    const choices = [[], ...(chosen.length > 1 ? [chosen] : []), ...samples.map(({ name }) => [name])];
    return html`<fieldset class="mapping"><legend>${optionNames.nameOf(field)}</legend>
    ${select(`column ${field}`, 'Column', choices, chosen)}
    <ul class="samples" aria-label="Values">${values.map((value) => html`<li dir="auto">${excerpt(value, sampleLength)}</li>`)}</ul>
    <div class="field"><label for="value-${field}">If empty, use</label>
      ${valueControl(field, mapping.defaults[field] ?? '')}</div>
  </fieldset>`;
  });
}

function valueControl(field: LineField, value: string): Html {
  const attributes = html`id="value-${field}" name="value ${field}"`;
  if (field !== 'status') return html`<input ${attributes} value="${value}" autocomplete="off">`;
  const option = (status: Status) =>
    html`<option value="${status}"${status === (value || 'pending') ? html` selected` : ''}>${capital(status)}</option>`;
  return html`<select ${attributes}>${statuses.map(option)}</select>`;
}

const columnNames = v.fallback(v.pipe(v.string(), v.parseJson(), v.array(v.string())), []);

/**
 * Reads the form of a file: what someone has chosen, now or before. What the form shows unchanged stays a
 * guess, so that it is guessed again with the columns that are chosen.
 * @param entries the names and values of its fields
 * @param file whose mapping the form showed
 */
export function mappingIn(
  entries: readonly (readonly [string, string])[],
  { opened, choice }: Pick<FileImport, 'opened' | 'choice'>,
): Mapping {
  const body = new Map(entries);
  const textOf = (name: string) => body.get(name) ?? '';
  const shown = opened?.mapping ?? choice;
  const [sheetName = shown.sheetName] = v.parse(columnNames, textOf('sheet'));
  const sheet = sheetName !== undefined && { sheetName };
  if (sheetName !== shown.sheetName) return { map: {}, defaults: {}, ...sheet };
  const columns = opened?.sheet ? columnsOf(opened.sheet.header, shown).map : {};
  const map: Mapping['map'] = { ...choice.map };
  const defaults: Mapping['defaults'] = { ...choice.defaults };
  for (const field of offered) {
    const value = textOf(`value ${field}`).trim();
    // A line without a status is pending in any case.
    const fallback = field === 'status' && value === 'pending' ? '' : value;
    if (fallback !== (shown.defaults[field] ?? '')) {
      if (fallback === '') delete defaults[field];
      else defaults[field] = fallback;
    }
    const typed = textOf(`column ${field}`);
    if (typed === '' || typed === JSON.stringify(columns[field] ?? [])) continue;
    const names = v.parse(columnNames, typed);
    // A field that every line needs cannot be left out.
    if (names.length > 0 || fallback !== '' || !required.includes(field)) map[field] = names;
    else delete map[field];
  }
  const flags = Object.fromEntries(
    (['asNew', 'roundRatings', 'keepHtml'] as const).flatMap((name) => {
      const isYes = textOf(name) === 'yes';
      return isYes === Boolean(shown[name]) ? [] : [[name, isYes]];
    }),
  );
  const dateFormat = textOf('dateFormat').trim();
  // Another column has a format of its own.
  const isOld = map.createdAt?.join() !== choice.map.createdAt?.join();
  const { dateFormat: before, ...kept } = choice;
  const isSame = dateFormat === (shown.dateFormat ?? '');
  const format = isSame ? (isOld ? undefined : before) : dateFormat || undefined;
  return { ...kept, ...flags, map, defaults, ...sheet, ...(format !== undefined && { dateFormat: format }) };
}
