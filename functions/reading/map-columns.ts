/** Maps the columns of a sheet to the fields of a testimonial. */
import * as v from 'valibot';
import { isHiding, isTitle } from '../csv/column-names.ts';
import { unquoteFormulas } from '../csv/csv.ts';
import { fieldPaths, useOf } from '../domain/fields.ts';
import { isBlank } from '../domain/visible-text.ts';
import {
  fieldValue,
  listIn,
  scaleOf,
  statusIfHidden,
  strictestOf,
  tagSeparatorOf,
  tagsOf,
  textOfHtml,
} from './field-values.ts';
import {
  type ColumnMap,
  type ColumnSample,
  type LineField,
  lineFields,
  maxColumns,
  reasonColumns,
  requiredFields,
} from './line-fields.ts';
import type { Sheet } from './spreadsheet.ts';

/** The options for reading the lines of a file. */
export interface Mapping {
  /** Columns by field. An absent field uses the column with its own name. */
  map: ColumnMap;
  /** Values for lines without a value. */
  defaults: Partial<Record<LineField, string>>;
  /** The sheet of a workbook, or the path of a list in a JSON document. */
  sheetName?: string;
  /** The format of times, for `timeReader`; ISO 8601 if absent. */
  dateFormat?: string;
  /** Round ratings such as 4.5. */
  roundRatings?: boolean;
  /** Keep HTML tags and entities in texts. */
  keepHtml?: boolean;
  /**
   * Create all lines now, in the order of their times. Only the load reads it, but it belongs to the
   * fingerprint and to the stored mapping.
   */
  asNew?: boolean;
}

const lineField = v.picklist(lineFields);
const flag = v.exactOptional(v.boolean());

const storedMapping = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    map: v.record(lineField, v.array(v.string())),
    defaults: v.record(lineField, v.string()),
    sheetName: v.exactOptional(v.string()),
    dateFormat: v.exactOptional(v.string()),
    roundRatings: flag,
    keepHtml: flag,
    asNew: flag,
  } satisfies { [Name in keyof Mapping]-?: v.GenericSchema }),
);

/**
 * Reads a mapping that was stored as JSON. Returns undefined if another version wrote an incompatible one.
 */
export function readMapping(json: string | undefined): Mapping | undefined {
  const { success, output } = v.safeParse(storedMapping, json);
  return success ? output : undefined;
}

export type MappedColumns = ReturnType<typeof mapColumns>;

/** The part of a sheet that decides how its columns are read. */
export type SheetColumns = Pick<Sheet, 'header' | 'firstRows' | 'exportedAs' | 'hasLists'>;

type Rows = readonly (readonly string[])[];

// A longer heading belongs to other data.
const maxNameLength = 500;
const valuesShown = 3;

/** Separators of joined columns; one space for all other fields. */
const separatorsOfJoinedColumns: Partial<Record<LineField, string>> = { content: '\n\n' };

/** Fields that tools may export as HTML. */
const htmlFields: readonly string[] = fieldPaths.filter((path) => useOf(path).published === 'masked');

/** Returns the columns that a mapping assigns to each field, if the header has them. */
export function columnsByField(header: readonly string[], { map }: Pick<Mapping, 'map'>): ColumnMap {
  const inHeader = new Set(header);
  return Object.fromEntries(
    lineFields.map((field) => [field, (map[field] ?? [field]).filter((name) => inHeader.has(name))]),
  );
}

/**
 * Assigns the columns of a sheet to fields. Its first rows decide the tag separator and the rating scale.
 * @throws if a chosen column is missing, or the header is too large
 */
export function mapColumns(sheet: SheetColumns, mapping: Mapping) {
  const { header, firstRows: rows, exportedAs, hasLists = false } = sheet;
  const { map, defaults, keepHtml = false } = mapping;
  checkHeader(header, map);
  const fieldColumns = columnsByField(header, mapping);
  const used = new Set([...Object.values(fieldColumns).flat(), ...reasonColumns]);
  const indexesOf = (columns: readonly string[] = []) => columns.map((column) => header.indexOf(column));
  const indexes = new Map(lineFields.map((field) => [field, indexesOf(fieldColumns[field])]));
  const isExport = exportedAs !== undefined;
  const cellsOfOneColumn = (field: LineField) => {
    const [index, ...others] = indexes.get(field) ?? [];
    return index !== undefined && others.length === 0 && !isExport ? rows.map((row) => row[index] ?? '') : [];
  };
  const listOf = (cell: string) => (hasLists ? listIn(cell) : undefined);
  // Tables of other tools have lists of tags as JSON, too.
  const tagListOf = (cell: string) => (isExport ? undefined : listIn(cell));
  const tagSeparator = tagSeparatorOf(cellsOfOneColumn('tags').filter((cell) => !tagListOf(cell)));
  const ratingScale = scaleOf(header[indexes.get('rating')?.[0] ?? -1] ?? '', cellsOfOneColumn('rating'));
  const starsOf = (text: string) => Math.round(Number(fieldValue('rating', text, '', ratingScale)));
  const mayBeHtml = (field: LineField) => !keepHtml && !isExport && htmlFields.includes(field);
  const fields = [...indexes]
    .filter(([field, columns]) => columns.length > 0 || defaults[field] !== undefined)
    .map(([field, columns]) => ({
      field,
      filledCells: filledCellsReader(header, field, columns, (cell) => {
        // Only exports in CSV have quoted formulas. A person may have renamed any of their columns.
        if (exportedAs === 'csv') return unquoteFormulas(cell);
        return field === 'tags' ? cell : (listOf(cell)?.join(',') ?? cell);
      }),
    }));
  let htmlRows = 0;
  return {
    header,
    /** True if this service exported the file. */
    isExport,
    columnsByField: fieldColumns,
    unused: samplesOf(header, rows).filter(({ name }) => !used.has(name)),
    /** The ratings of a file that this service did not export, each with the stars that it becomes. */
    ratings: new Map(cellsOfOneColumn('rating').map((text) => [text, starsOf(text)])),
    /**
     * Counts the rows converted from HTML by `toTestimonial` so far: final once `checkFile` has returned.
     */
    htmlRowsSoFar: () => htmlRows,
    /** Required fields with neither a column nor a default. */
    missing: requiredFields.filter((field) => !indexes.get(field)?.length && defaults[field] === undefined),
    /** @param row cells in the order of the header */
    toTestimonial(row: readonly string[]): Record<string, unknown> {
      const testimonial: Record<string, unknown> = { type: 'text', author: {} };
      let hasHtml = false;
      for (const { field, filledCells } of fields) {
        const plainText = (text: string) => {
          const plain = mayBeHtml(field) ? textOfHtml(text) : text;
          hasHtml ||= plain !== text;
          return plain;
        };
        const memberOf = (text: string) => fieldValue(field, plainText(text), tagSeparator, ratingScale);
        const tagsIn = (cell: string) => {
          const list = tagListOf(cell);
          return list ? tagsOf(list.map(plainText)) : memberOf(cell);
        };
        const filled = filledCells(row);
        const text = filled.length > 0 ? joined(field, filled) : defaults[field];
        if (text === undefined) continue;
        const [outer = '', inner] = field.split('.');
        const member = field === 'tags' && filled.length > 0 ? filled.flatMap(tagsIn) : memberOf(text);
        testimonial[outer] =
          inner === undefined ? member : { ...Object(testimonial[outer]), [inner]: member };
      }
      if (hasHtml) htmlRows += 1;
      return testimonial;
    },
  };
}

function joined(field: LineField, cells: readonly string[]): string {
  return field === 'status' && cells.length > 1
    ? strictestOf(cells)
    : cells.join(separatorsOfJoinedColumns[field] ?? ' ');
}

/**
 * Returns a function that reads the filled cells of a field. If several texts are joined, each has its
 * heading above it, except titles.
 * @param textOf returns the text of a cell in a column
 */
function filledCellsReader(
  header: readonly string[],
  field: LineField,
  columns: readonly number[],
  textOf: (cell: string) => string,
) {
  const names = columns.map((index) => header[index] ?? '');
  const areHeaded = field === 'content' && names.filter((name) => !isTitle(name)).length > 1;
  const hides = names.map((name) => field === 'status' && isHiding(name));
  const cellOf = (row: readonly string[], index: number, i: number) => {
    const cell = textOf(row[index] ?? '').trim();
    return hides[i] ? statusIfHidden(cell) : cell;
  };
  if (!areHeaded)
    return (row: readonly string[]): string[] =>
      columns.map((index, i) => cellOf(row, index, i)).filter((cell) => !isBlank(cell));
  return (row: readonly string[]): string[] => {
    const cells = columns.map((index, i) => ({ text: cellOf(row, index, i), name: names[i] ?? '' }));
    const filled = cells.filter(({ text }) => !isBlank(text));
    const isLone = filled.filter(({ name }) => !isTitle(name)).length < 2;
    return filled.map(({ text, name }) => (isLone || isTitle(name) ? text : `${name}\n${text}`));
  };
}

export function isSmallEnough(header: readonly string[]): boolean {
  return header.length <= maxColumns && header.every((name) => name.length <= maxNameLength);
}

function checkHeader(header: readonly string[], map: ColumnMap): void {
  if (!isSmallEnough(header))
    throw new Error(
      `The header of the file has more than ${maxColumns} columns, or a name with more than ${maxNameLength} characters.`,
    );
  const chosen = Object.values(map).flat();
  const absent = chosen.filter((column) => !header.includes(column));
  if (absent.length > 0)
    throw new Error(`The file has no column ${quoted(absent)}. Its columns: ${quoted(header)}.`);
}

/** Returns the named columns of a header. */
export function samplesOf(header: readonly string[], rows: Rows): ColumnSample[] {
  return header.flatMap((name, index) => {
    const filled = rows.map((row) => row[index] ?? '').filter((cell) => cell !== '');
    return name === '' ? [] : [{ name, filled }];
  });
}

/** Returns the first distinct values of a column. */
export function firstValues({ filled }: ColumnSample): string[] {
  return [...new Set(filled)].slice(0, valuesShown);
}

/** Quotes names so that no control character reaches the terminal. */
function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}
