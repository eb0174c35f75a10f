/** Finds columns by their values, for files whose headings nobody foresaw. */
import { isAbout } from '../../../functions/csv/column-names.ts';
import { isAddress, isInWords, scaleOf, shareLike } from './field-values.ts';
import type { LineField } from './imported-line.ts';
import type { ColumnSample } from './map-columns.ts';
import { dateFormatsOf, minimumShare } from './times.ts';

type Columns = readonly ColumnSample[];
type Topic = Parameters<typeof isAbout>[1];

/**
 * Returns alternatives, each with the columns to join. If there are several, someone has to choose; an empty one stands for none.
 * @param day from which `3 days ago` counts, an ISO 8601 date
 */
type Finder = (columns: Columns, day: string) => string[][];

const each = (columns: Columns) => columns.map(({ name }) => [name]);
const joined = (columns: Columns) => [columns.map(({ name }) => name)];
const unsure = (columns: Columns) => (columns.length > 0 ? [...each(columns), []] : []);
const firstOf = (...lists: Columns[]) => lists.find(({ length }) => length > 0) ?? [];

const shareOf = ({ filled }: ColumnSample, test: (cell: string) => boolean) =>
  filled.filter(test).length / filled.length;
const areMost = (column: ColumnSample, test: (cell: string) => boolean) =>
  shareOf(column, test) >= minimumShare;
const lengthOf = ({ filled }: ColumnSample) => filled.join('').length / filled.length;
const areVaried = ({ filled }: ColumnSample) => new Set(filled).size > 1;
const about = (columns: Columns, topic: Topic) => columns.filter(({ name }) => isAbout(name, topic));
const notAbout = (columns: Columns, ...topics: Topic[]) =>
  columns.filter(({ name }) => !topics.some((topic) => isAbout(name, topic)));

const wordsIn = (text: string) => text.split(/\s+/).length;
const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** True of free text. Names of products, companies and jobs have fewer words and no full stop. */
function isSentence(text: string): boolean {
  if (!isInWords(text)) return false;
  const isEnded = /[.!?…。！？؟۔]["”»')\s\p{Extended_Pictographic}]*$/u.test(text);
  if (spaceless.test(text)) return text.length >= (isEnded ? 6 : 15);
  return wordsIn(text) >= (isEnded ? 3 : 6) && (isEnded || !/\d/.test(text));
}

const isShort = (text: string) => isInWords(text) && text.length <= 80 && wordsIn(text) <= 8;
const isNameLike = (text: string) => isShort(text) && /^\p{L}[\p{L}\p{M}\s.,'’·・-]*$/u.test(text);
const isDateLike = (text: string) => text.length <= 40 && /\p{N}/u.test(text) && !/^\d+$/.test(text);

/** The finders, in the order in which fields take their columns. */
export const finders: readonly (readonly [LineField, Finder])[] = [
  ['author.email', addressIn],
  ['rating', ratingIn],
  ['createdAt', dateIn],
  ['content', textsIn],
  ['author.name', personIn],
  ['author.role', (columns) => shortTextsIn(columns, 'author.role')],
  ['author.company', (columns) => shortTextsIn(columns, 'author.company')],
];

function addressIn(columns: Columns): string[][] {
  const own = columns.filter((column) => shareOf(column, isAddress) >= 1 / 2);
  const some = columns.filter(({ filled }) => filled.some(isAddress));
  // The address to which all mails were sent is nobody's. Two rows can also be by the same person.
  const isOwn = (column: ColumnSample) => areVaried(column) || column.filled.length < 3;
  return each(firstOf(own.filter(isOwn), own, some));
}

/** Finds the rating by the heading. Without one, only stars from 1 to 5 are sure, if no other column can be the rating. */
function ratingIn(columns: Columns): string[][] {
  const rated = columns.filter(
    ({ name, filled }) => shareLike('rating', filled, scaleOf(name, filled) ?? 10) >= minimumShare,
  );
  const named = about(rated, 'rating');
  const others = notAbout(rated, 'other', 'author.role');
  // They can also count rows or items, or be percentages of something else.
  const isUnsure = ({ filled }: ColumnSample) =>
    filled.some((cell) => Number(cell) > 5) ||
    filled.every((cell, i) => Number(cell) === i + 1) ||
    filled.every((cell) => cell === '1' || cell.includes('%'));
  return named.length > 0 ? each(named) : others.some(isUnsure) ? unsure(others) : each(others);
}

function dateIn(columns: Columns, day: string): string[][] {
  const dates = notAbout(columns, 'other', 'author.role').filter(
    (column) => areMost(column, isDateLike) && dateFormatsOf(column.filled, day) !== undefined,
  );
  return each(firstOf(about(dates, 'createdAt'), dates));
}

/** Finds the longest text, and joins others that are not much shorter, such as likes and dislikes. */
function textsIn(columns: Columns): string[][] {
  const texts = notAbout(columns, 'noText').filter((column) => shareOf(column, isSentence) >= 1 / 2);
  const longest = Math.max(...texts.map(lengthOf));
  // A text that is the same in all rows, such as a consent, is no testimonial.
  const isOwn = (column: ColumnSample) => areVaried(column) || column.filled.length === 1;
  const long = texts.filter((column) => isOwn(column) && lengthOf(column) >= longest / 4);
  const others = columns.filter((column) => areMost(column, isInWords));
  return long.length > 0 ? joined(long) : unsure(others.toSorted((a, b) => lengthOf(b) - lengthOf(a)));
}

/** Finds the name of the person by the heading, or if no other column can be the name. Joins first and last name. */
function personIn(columns: Columns): string[][] {
  const others = notAbout(columns, 'other', 'noText', 'author.role', 'author.company');
  const names = others.filter((column) => areMost(column, isNameLike));
  const named = about(names, 'author.name');
  const whole = named.filter((column) => shareOf(column, (cell) => wordsIn(cell) > 1) >= 1 / 2);
  if (named.length > 0) return whole.length > 0 ? each(whole) : joined(named);
  if (names.length === 1) return each(names);
  const short = others.filter((column) => areMost(column, isShort));
  return unsure(firstOf(names, short));
}

/** Finds the author's job or company, which only a heading tells from other short texts. */
function shortTextsIn(columns: Columns, field: 'author.role' | 'author.company'): string[][] {
  return each(about(columns, field).filter((column) => areMost(column, isShort)));
}
