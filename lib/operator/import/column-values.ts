/** Finds columns by their values, for files whose headings nobody foresaw. */
import { isAbout } from './column-names.ts';
import { isAddress, isInWords, scaleOf, shareLike } from './field-values.ts';
import type { LineField } from './imported-line.ts';
import { dateFormatsOf, minimumShare } from './times.ts';

/** A column of the first rows. */
export interface ColumnSample {
  name: string;
  /** A cell for each row; some are blank. */
  cells: readonly string[];
}

/** The columns of a field, or those between which someone has to choose. */
export type Finding = { columns: string[]; choices?: undefined } | { columns?: undefined; choices: string[] };

interface Context {
  /** The address in each row, if its column is known. */
  addresses: readonly string[];
  /** The day from which `3 days ago` counts, an ISO 8601 date. */
  day: string;
}

type Topic = Parameters<typeof isAbout>[1];

const filled = ({ cells }: ColumnSample) => cells.filter((cell) => cell !== '');
const shareOf = (column: ColumnSample, test: (cell: string) => boolean) =>
  filled(column).filter(test).length / filled(column).length;
const isMostly = (column: ColumnSample, test: (cell: string) => boolean) =>
  shareOf(column, test) >= minimumShare;
const distinctIn = (column: ColumnSample) => new Set(filled(column)).size;
const lengthOf = (column: ColumnSample) => filled(column).join('').length / filled(column).length;
const namesOf = (columns: readonly ColumnSample[]) => columns.map(({ name }) => name);

/** Finds a single column. If there are several, prefers headings about the topic. */
function onlyOf(columns: readonly ColumnSample[], topic?: Topic): Finding {
  const about = columns.filter(({ name }) => topic !== undefined && isAbout(name, topic));
  const likely = about.length > 0 ? about : columns;
  return likely.length === 1 ? { columns: namesOf(likely) } : { choices: namesOf(likely) };
}

const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const wordsIn = (text: string) => text.split(/\s+/).length;

/** True of free text. Names of products, companies and jobs have fewer words and no full stop. */
function isSentence(text: string): boolean {
  if (!isInWords(text)) return false;
  const isEnded = /[.!?…。！？؟۔]["”»')\s\p{Extended_Pictographic}]*$/u.test(text);
  if (spaceless.test(text)) return text.length >= (isEnded ? 6 : 15);
  return wordsIn(text) >= (isEnded ? 3 : 6) && (isEnded || !/\d/.test(text));
}

/** True of names, and of other short texts in letters. */
const isNameLike = (text: string) =>
  /^\p{L}[\p{L}\p{M}\s.,'’·・-]*$/u.test(text) && text.length <= 50 && wordsIn(text) <= 5;

/** Numbers that count rows, items or percent are no ratings, unless the heading says so. */
function looksRated(column: ColumnSample): boolean {
  const { name } = column;
  const cells = filled(column);
  const scale = scaleOf(name, cells);
  if (!(shareLike('rating', cells, scale) >= minimumShare)) return false;
  if (isAbout(name, 'rating')) return true;
  const isCount = cells.length > 1 && cells.every((cell, i) => Number(cell) === Number(cells[0]) + i);
  const isFlag = cells.every((cell) => cell === '1' || cell.includes('%'));
  return !isCount && !isFlag && scale === undefined && !isAbout(name, 'other');
}

const looksDated = (column: ColumnSample, day: string) =>
  !isAbout(column.name, 'other') &&
  isMostly(column, (cell) => cell.length <= 40 && /\p{N}/u.test(cell) && !/^\d+$/.test(cell)) &&
  dateFormatsOf(filled(column), day) !== undefined;

/** Finds the longest text and others that are not much shorter, such as likes and dislikes. */
function textsIn(columns: readonly ColumnSample[]): Finding {
  const texts = columns.filter(
    (column) => !isAbout(column.name, 'noText') && shareOf(column, isSentence) >= 1 / 2,
  );
  const longest = Math.max(...texts.map(lengthOf));
  // A consent that is the same in all rows is not what somebody wrote.
  const isVaried = (column: ColumnSample) => distinctIn(column) > 1 || filled(column).length === 1;
  const long = texts.filter((column) => isVaried(column) && lengthOf(column) >= longest / 4);
  if (long.length > 0) return { columns: namesOf(long) };
  const others = columns.filter((column) => isMostly(column, isInWords));
  return { choices: namesOf(others.toSorted((a, b) => lengthOf(b) - lengthOf(a))) };
}

/** Returns the letters of a text in lower case without accents. */
const lettersIn = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\s-]/gu, '');

/** True if the addresses contain parts of the names in a column. */
function fitsAddresses({ cells }: ColumnSample, addresses: readonly string[]): boolean {
  const rows = cells.flatMap((cell, i) => {
    const mailbox = lettersIn(addresses[i]?.split('@')[0] ?? '');
    const words = lettersIn(cell).split(/[\s-]+/);
    return cell === '' || mailbox === ''
      ? []
      : [words.some((word) => word.length > 2 && mailbox.includes(word))];
  });
  return rows.filter(Boolean).length > rows.length / 3;
}

/** Finds the name of the person, by the headings or the addresses; first and last name are joined. */
function personIn(columns: readonly ColumnSample[], { addresses }: Context): Finding {
  const excluded: readonly Topic[] = ['other', 'noText', 'author.company'];
  const others = columns.filter(({ name }) => !excluded.some((topic) => isAbout(name, topic)));
  const names = others.filter(
    (column) => isMostly(column, isNameLike) && distinctIn(column) >= filled(column).length / 2,
  );
  const fitting = names.filter((column) => fitsAddresses(column, addresses));
  const about = names.filter(({ name }) => isAbout(name, 'author.name'));
  const known = about.length > 0 ? about : fitting;
  const whole = known.filter((column) => shareOf(column, (cell) => wordsIn(cell) > 1) >= 1 / 2);
  const sure = whole.filter((column) => fitting.includes(column));
  if (whole.length > 0) return onlyOf(sure.length > 0 ? sure : whole);
  const hasOther = about.length === 0 && names.some((column) => !known.includes(column));
  if (known.length > 0 && !hasOther) return { columns: namesOf(known) };
  const isAlone = names.length === 1 && addresses.length > 0;
  const likely = names.length > 0 ? names : others.filter((column) => isMostly(column, isInWords));
  return isAlone ? { columns: namesOf(names) } : { choices: namesOf(likely) };
}

/** The finders, in the order in which fields take their columns. */
const finders: Partial<Record<LineField, (columns: readonly ColumnSample[], context: Context) => Finding>> = {
  'author.email'(columns) {
    const own = columns.filter((column) => shareOf(column, isAddress) >= 1 / 2);
    // The address to which all mails were sent is nobody's.
    const varied = own.filter((column) => distinctIn(column) > 1);
    if (own.length > 0) return onlyOf(varied.length > 0 ? varied : own);
    return { choices: namesOf(columns.filter(({ cells }) => cells.some(isAddress))) };
  },
  rating: (columns) => onlyOf(columns.filter(looksRated), 'rating'),
  createdAt: (columns, { day }) =>
    onlyOf(
      columns.filter((column) => looksDated(column, day)),
      'createdAt',
    ),
  content: textsIn,
  'author.name': personIn,
  'author.company': (columns) =>
    onlyOf(
      columns.filter((column) => isAbout(column.name, 'author.company') && isMostly(column, isNameLike)),
    ),
};

/**
 * Finds the columns of fields that no heading names.
 * @param isSought true of the fields to find
 * @param columns those that no field uses
 */
export function findByValues(
  isSought: (field: LineField) => boolean,
  columns: readonly ColumnSample[],
  context: Context,
): Partial<Record<LineField, Finding>> {
  const found: Partial<Record<LineField, Finding>> = {};
  let free = columns.filter((column) => filled(column).length > 0);
  let { addresses } = context;
  for (const [name, find] of Object.entries(finders)) {
    const field = name as LineField; // a key of the table
    if (!isSought(field)) continue;
    const finding = find(free, { ...context, addresses });
    found[field] = finding;
    const taken = free.filter((column) => finding.columns?.includes(column.name));
    free = free.filter((column) => !taken.includes(column));
    if (field === 'author.email') addresses = taken[0]?.cells ?? [];
  }
  return found;
}
