/** Finds the row of headings of a sheet, if it has one, and rows below it that describe the columns. */
import { countFamiliarNames } from '../csv/column-names.ts';
import { isSentence } from './column-values.ts';
import words from './description-words.json' with { type: 'json' };
import { dateFormatsOf } from './detect-date-format.ts';
import { isAddress } from './field-values.ts';
import { maxColumns, minimumShare } from './line-fields.ts';

type Rows = readonly (readonly string[])[];

export interface HeaderRow {
  /** The index of the row of headings or, if there is none, of the first row below titles. */
  index: number;
  /** True if no row has headings, because the first one looks like the rows below it. */
  isMissing: boolean;
  /** The number of rows of descriptions below the header. */
  descriptionRowCount: number;
}

/**
 * Finds the header.
 * @param rows the first rows of a sheet
 * @param within the number of rows that can be the header
 */
export function headerRowIn(rows: Rows, within: number): HeaderRow {
  const candidates = likeliestFirst(rows.slice(0, within));
  const [likeliest = 0] = candidates;
  // Such a wide sheet cannot be imported, and comparing its columns takes long.
  if (rows.some(({ length }) => length > maxColumns))
    return { index: likeliest, isMissing: false, descriptionRowCount: 0 };
  const areTitles = rows
    .slice(0, within)
    .map((row, i) => isTitle(row, rows.slice(i + 1, i + 1 + rowsCompared)));
  const index = candidates.find((row) => !areTitles[row] && !isData(rows[row] ?? [], rows.slice(row + 1)));
  if (index === undefined)
    return {
      index: Math.max(0, areTitles.indexOf(false)),
      isMissing: rows.length > 0,
      descriptionRowCount: 0,
    };
  return { index, isMissing: false, descriptionRowCount: descriptionsBelow(rows.slice(index + 1)) };
}

/**
 * Returns the indices of all rows, the likeliest header first. Titles and merged cells above a header fill
 * fewer cells.
 */
function likeliestFirst(rows: Rows): number[] {
  const filled = rows.map((cells) => new Set(cells.map((cell) => cell.trim()).filter(Boolean)));
  const scores = filled.map((cells, i) => {
    const isFullest = filled.slice(0, i).every(({ size }) => size < cells.size);
    // Headings contain letters, but no addresses or dates.
    const labels = [...cells].filter((cell) => /\p{L}/u.test(cell) && !/@|^\d/.test(cell));
    return isFullest ? labels.length + 2 * countFamiliarNames([...cells]) : 0;
  });
  return [...scores.keys()].toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
}

const filledIn = (row: readonly string[]) => row.filter((cell) => cell.trim() !== '').length;

/** True for a row with a single cell, if most of the rows below it have several. */
function isTitle(row: readonly string[], below: Rows): boolean {
  return filledIn(row) === 1 && below.filter((each) => filledIn(each) > 1).length > below.length / 2;
}

// Enough rows to recognize the content of a column.
const rowsCompared = 20;

const isNumber = (cell: string) => /^[-+]?\p{N}[\p{N}.,]*(?: ?%|\/\d+)?$|^[★⭐]/u.test(cell);
const hasDigit = (cell: string) => /\p{N}/u.test(cell);
const isDate = (cell: string) => hasDigit(cell) && dateFormatsOf([cell]) !== undefined;
/** True for a text that does not occur as a heading: a sentence that is not a question. */
const isStatement = (cell: string) => isSentence(cell) && !/[?？:：*]\s*$/.test(cell);

/**
 * The kinds of values that do not occur as headings. Dates are recognized by their digits, because reading
 * them takes longer.
 */
const kinds = { address: isAddress, number: isNumber, digits: hasDigit };
type Kind = keyof typeof kinds;

/** Returns the kind of most cells of a column; undefined for texts. */
function kindOf(column: readonly string[]): Kind | undefined {
  const isMost = (kind: Kind) => column.filter(kinds[kind]).length >= minimumShare * column.length;
  return column.length > 0 ? (['address', 'number', 'digits'] as const).find(isMost) : undefined;
}

/** Returns the cells of a column that are not blank. */
function columnOf(rows: Rows, index: number): string[] {
  const cells = rows.map((row) => (row[index] ?? '').trim());
  return cells.filter((cell) => cell !== '').slice(0, rowsCompared);
}

/**
 * True if a row has values like the rows below it rather than headings: addresses, numbers, dates or
 * sentences.
 */
function isData(row: readonly string[], below: Rows): boolean {
  const cells = row.map((cell) => cell.trim());
  // A cell votes 1 for data, -1 for a heading, and 0 for neither. Familiar headings vote against data, too.
  const votes = cells.map((cell, i): number => {
    const column = columnOf(below, i);
    if (below.length === 0)
      return Number(isAddress(cell) || isNumber(cell) || isDate(cell) || isStatement(cell));
    const kind = kindOf(column);
    if (kind === undefined)
      return Number(
        isStatement(cell) && column.filter(isSentence).length >= column.length / 2 && column.length > 0,
      );
    if (cell === '') return 1;
    if (!kinds[kind](cell)) return -1;
    return Number(kind !== 'digits' || isDate(cell));
  });
  return votes.reduce((sum, vote) => sum + vote, -countFamiliarNames(cells)) > 0;
}

// Qualtrics writes the texts of the questions, and then their ids.
const maxDescriptions = 2;
const importId = /^\{"ImportId":/;
const foldedCell = (text: string) => text.trim().toLowerCase();
const descriptions = new Set(words.descriptions.map(foldedCell));
const blanks = new Set(words.blanks);

/** Counts the first rows that describe the columns, such as “Open-Ended Response”. */
function descriptionsBelow(rows: Rows): number {
  const first = rows.slice(0, maxDescriptions);
  const ids = first.findIndex((row) => {
    const filled = row.filter((cell) => cell.trim() !== '');
    return filled.length > 0 && filled.every((cell) => importId.test(cell.trim()));
  });
  if (ids >= 0) return ids + 1;
  const others = first.findIndex((row, i) => !isDescription(row, rows.slice(i + 1)));
  return others < 0 ? first.length : others;
}

/**
 * True if a row has words in columns whose rows below have addresses, numbers and dates. A testimonial with
 * two such mistakes would be rejected in any case.
 */
function isDescription(row: readonly string[], below: Rows): boolean {
  const cells = row.map((cell) => cell.trim());
  const typed = cells.flatMap((cell, i) => {
    const kind = cell === '' ? undefined : kindOf(columnOf(below, i));
    return kind === undefined ? [] : [{ cell, fits: kinds[kind](cell) }];
  });
  if (below.length === 0 || typed.some(({ fits }) => fits)) return false;
  const labels = typed.filter(({ cell }) => /\p{L}/u.test(cell) && !blanks.has(foldedCell(cell)));
  return labels.length > 1 || cells.some((cell) => descriptions.has(foldedCell(cell)));
}

/**
 * Returns the headings of a header with descriptions below it. A question replaces its code, such as `Q3`,
 * and the part of a question is added if its columns share one heading.
 */
export function describedHeadings(header: readonly string[], described: readonly string[]): string[] {
  return header.map((heading, i) => {
    const text = (described[i] ?? '').trim();
    const isShared =
      (header[i + 1]?.trim() === '' && (described[i + 1] ?? '').trim() !== '') || heading.trim() === '';
    const isCode = !/\s/.test(heading.trim()) && text.split(/\s+/).length > 3;
    return text !== '' && (isShared || isCode) ? text : heading;
  });
}
