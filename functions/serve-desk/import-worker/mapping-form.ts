/** The form of a file's mapping: renders it, and reads it. */
import { html } from 'hono/html';
import * as v from 'valibot';
import { type Status, statuses } from '../../domain/testimonial.ts';
import { capital, excerpt } from '../../domain/wording.ts';
import { describeDateFormat } from '../../reading/date-format-names.ts';
import { type LineField, lineFields, requiredFields } from '../../reading/line-fields.ts';
import { columnsByField, firstValues, type Mapping, samplesOf } from '../../reading/map-columns.ts';
import type { OptionNames } from '../../reading/report.ts';
import type { Sheet } from '../../reading/spreadsheet.ts';
import type { Html } from '../parts/layout.ts';
import type { FileImport } from './file-import.ts';
import labelsOfFields from './labels.json' with { type: 'json' };

// The number of characters shown of a cell.
const sampleLength = 60;

/** Renders a button. The page sends its action to the worker. */
export function button(action: string, label: string, kind = ''): Html {
  return html`<button type="button" class="${kind}" data-act="${action}">${label}</button>`;
}

/** Renders the form of a mapping. Each change shows the first testimonials again. */
export function mappingForm({ chosenMapping, opened, state, dateFormats }: FileImport): Html {
  const { sheet, sheetNames = [], guess, mapping = chosenMapping } = opened ?? {};
  const { sheetName = '', dateFormat = '' } = mapping;
  const dateFormatOption = (format: string) =>
    html`<option value="${format}"${format === dateFormat ? html` selected` : ''}>${capital(dateFormatText(format || 'iso'))}</option>`;
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
      ${opened && sheet && html`${fieldsHead}${fieldRows(mapping, sheet)}`}
      <div class="field"><label for="date-format">Date format</label>
        <select id="date-format" name="dateFormat">${dateFormats.map(dateFormatOption)}</select></div>
      ${checkboxes.map(
        ([
          id,
          label,
        ]) => html`<label class="check"><input type="checkbox" name="${id}" value="yes"${mapping[id] ? html` checked` : ''}>
    <span>${label}</span></label>`,
      )}
      <div class="buttons">${button('check', state.kind === 'checked' ? 'Check again' : 'Check the file', state.kind === 'checked' ? '' : 'solid')}</div>
    </form></details>`;
}

// Only exports of this service contain the other fields, which are shown under their own names.
const labels: Partial<Record<string, string>> = labelsOfFields;
const offered = lineFields.filter((field) => labels[field] !== undefined);

/** The names of fields and options at the desk. */
export const optionNames: OptionNames = {
  map: '“Column” below',
  keepHtml: '“Keep HTML tags”',
  roundRatings: '“Round ratings such as 4.5”',
  dateFormat: '“Date format”',
  asNew: '“Ignore the dates”',
  nameOf: (field) => labels[field] ?? field,
  dateFormatText,
};

function dateFormatText(format?: string): string {
  const { text, example } = describeDateFormat(format);
  return `${text}, as in ${example}`;
}

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

/** The labels of the columns, for people who see the form as a table. */
const fieldsHead = html`<div class="mapping mapping-head" aria-hidden="true">
    <span></span><span>Column</span><span>First values</span><span>If empty, use</span></div>`;

/** Renders a select for each field, next to values of its column. */
function fieldRows(mapping: Mapping, { header, firstRows }: Sheet): Html[] {
  const names = columnsByField(header, mapping);
  const samples = samplesOf(header, firstRows);
  return offered.map((field) => {
    const chosen = names[field] ?? [];
    const values = samples.filter(({ name }) => chosen.includes(name)).flatMap(firstValues);
    const choices = [[], ...(chosen.length > 1 ? [chosen] : []), ...samples.map(({ name }) => [name])];
    return html`<div class="mapping" role="group" aria-labelledby="name-${field}"><strong id="name-${field}">${optionNames.nameOf(field)}</strong>
    ${select(`column ${field}`, 'Column', choices, chosen)}
    <ul class="samples" aria-label="Values">${values.map((value) => html`<li dir="auto">${excerpt(value, sampleLength)}</li>`)}</ul>
    <div class="field"><label for="value-${field}">If empty, use</label>
      ${valueControl(field, mapping.defaults[field] ?? '')}</div>
  </div>`;
  });
}

function valueControl(field: LineField, value: string): Html {
  const attributes = html`id="value-${field}" name="value ${field}"`;
  if (field !== 'status') return html`<input ${attributes} value="${value}" autocomplete="off">`;
  const option = (status: Status) =>
    html`<option value="${status}"${status === (value || 'pending') ? html` selected` : ''}>${capital(status)}</option>`;
  return html`<select ${attributes}>${statuses.map(option)}</select>`;
}

const submittedNames = v.fallback(v.pipe(v.string(), v.parseJson(), v.array(v.string())), []);

/**
 * Reads the form of a file: the choices that the person made now or before. A field that was not changed
 * stays a guess, which is made again with the chosen columns.
 * @param entries the names and values of its fields
 * @param file the file whose mapping the form showed
 */
export function mappingIn(
  entries: readonly (readonly [string, string])[],
  { opened, chosenMapping }: Pick<FileImport, 'opened' | 'chosenMapping'>,
): Mapping {
  const body = new Map(entries);
  const textOf = (name: string) => body.get(name) ?? '';
  const shown = opened?.mapping ?? chosenMapping;
  const [sheetName = shown.sheetName] = v.parse(submittedNames, textOf('sheet'));
  const sheet = sheetName !== undefined && { sheetName };
  if (sheetName !== shown.sheetName) return { map: {}, defaults: {}, ...sheet };
  const columns = opened?.sheet ? columnsByField(opened.sheet.header, shown) : {};
  const map: Mapping['map'] = { ...chosenMapping.map };
  const defaults: Mapping['defaults'] = { ...chosenMapping.defaults };
  for (const field of offered) {
    const value = textOf(`value ${field}`).trim();
    // A line without a status is pending in any case.
    const fallback = field === 'status' && value === 'pending' ? '' : value;
    if (fallback !== (shown.defaults[field] ?? '')) {
      if (fallback === '') delete defaults[field];
      else defaults[field] = fallback;
    }
    const submitted = textOf(`column ${field}`);
    if (submitted === '' || submitted === JSON.stringify(columns[field] ?? [])) continue;
    const names = v.parse(submittedNames, submitted);
    // A field that every line needs cannot be left out.
    if (names.length > 0 || fallback !== '' || !requiredFields.includes(field)) map[field] = names;
    else delete map[field];
  }
  const flags = Object.fromEntries(
    (['asNew', 'roundRatings', 'keepHtml'] as const).flatMap((name) => {
      const isYes = textOf(name) === 'yes';
      return isYes === Boolean(shown[name]) ? [] : [[name, isYes]];
    }),
  );
  const dateFormat = textOf('dateFormat').trim();
  const isUnchanged = dateFormat === (shown.dateFormat ?? '');
  const hasOtherDateColumn = map.createdAt?.join() !== chosenMapping.map.createdAt?.join();
  const mapping = { ...chosenMapping, ...flags, map, defaults, ...sheet };
  if (isUnchanged && !hasOtherDateColumn) return mapping;
  if (!isUnchanged) return { ...mapping, dateFormat };
  // Another column has its own format.
  const { dateFormat: _, ...withoutFormat } = mapping;
  return withoutFormat;
}
