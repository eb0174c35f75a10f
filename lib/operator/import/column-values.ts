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

const isShort = (text: string) => isInWords(text) && text.length <= 80 && wordsIn(text) <= 8;

/** Finds the rating by the heading. Without one, only stars from 1 to 5 are sure, if no other column can be the rating. */
function ratingIn(columns: readonly ColumnSample[]): Finding {
  const rated = columns.filter(
    (column) =>
      shareLike('rating', filled(column), scaleOf(column.name, filled(column)) ?? 10) >= minimumShare,
  );
  const about = rated.filter(({ name }) => isAbout(name, 'rating'));
  if (about.length > 0) return onlyOf(about);
  const others = rated.filter(({ name }) => !isAbout(name, 'other'));
  // They can also count rows or items, or be percentages of something else.
  const isUnsure = (column: ColumnSample) =>
    filled(column).some((cell) => Number(cell) > 5) ||
    filled(column).every((cell, i) => Number(cell) === i + 1) ||
    filled(column).every((cell) => cell === '1' || cell.includes('%'));
  return others.some(isUnsure) ? { choices: namesOf(others) } : onlyOf(others);
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

const isLatin = (text: string) => /\p{Script=Latin}/u.test(text);

/** Returns where the addresses contain parts of the names in a column; -1 for an address that does not. */
function placesIn({ cells }: ColumnSample, addresses: readonly string[]): number[] {
  return cells.flatMap((cell, i) => {
    const mailbox = lettersIn(addresses[i]?.split('@')[0] ?? '');
    if (cell === '' || mailbox === '') return [];
    const words = lettersIn(cell).split(/[\s-]+/);
    return Math.max(-1, ...words.map((word) => (word.length > 2 ? mailbox.indexOf(word) : -1)));
  });
}

/** Finds the name of the person, by the headings or the addresses; first and last name are joined. */
function personIn(columns: readonly ColumnSample[], { addresses }: Context): Finding {
  const excluded: readonly Topic[] = ['other', 'noText', 'author.company'];
  const others = columns.filter(({ name }) => !excluded.some((topic) => isAbout(name, topic)));
  const names = others.filter((column) => isMostly(column, isNameLike));
  if (names.length === 0) return { choices: namesOf(others.filter((column) => isMostly(column, isShort))) };
  const places = new Map(names.map((column) => [column, placesIn(column, addresses)]));
  const found = (column: ColumnSample) => places.get(column)?.filter((place) => place >= 0) ?? [];
  const place = (column: ColumnSample) =>
    found(column).reduce((sum, each) => sum + each, 0) / found(column).length;
  const fitting = names.filter((column) => found(column).length > (places.get(column)?.length ?? 0) / 3);
  const about = names.filter(({ name }) => isAbout(name, 'author.name'));
  const known = about.length > 0 ? about : fitting;
  const whole = known.filter((column) => shareOf(column, (cell) => wordsIn(cell) > 1) >= 1 / 2);
  const sure = whole.filter((column) => fitting.includes(column));
  const parts = known.toSorted((a, b) => place(a) - place(b));
  const [person = names] = [sure, whole, parts].filter(({ length }) => length > 0);
  // Addresses in Latin letters say nothing about names in other scripts.
  const isJudged = names.every((column) => fitting.includes(column) || isMostly(column, isLatin));
  const isAlone = names.length === 1 && addresses.length > 0;
  const fitsBest = known.length > 0 && whole.length > 0 === (known.length === 1);
  const isSure = about.length > 0 ? whole.length === 0 || person.length === 1 : fitsBest && isJudged;
  return isSure || isAlone ? { columns: namesOf(person) } : { choices: namesOf(names) };
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
  rating: ratingIn,
  createdAt: (columns, { day }) =>
    onlyOf(
      columns.filter((column) => looksDated(column, day)),
      'createdAt',
    ),
  content: textsIn,
  'author.name': personIn,
  'author.company': (columns) =>
    onlyOf(columns.filter((column) => isAbout(column.name, 'author.company') && isMostly(column, isShort))),
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
