/** Finds columns by their values, for files with unknown headings. */
import { isNamed, isReply, mentionsTopic, namesThings } from '../csv/column-names.ts';
import { dateFormatsOf } from './detect-date-format.ts';
import { cannotBeName, isAddress, isInWords, isNotRating, scaleOf, shareLike } from './field-values.ts';
import { type ColumnSample, type LineField, minimumShare } from './line-fields.ts';
import { timeReader } from './times.ts';

/** The columns of the first rows. */
type Samples = readonly ColumnSample[];
type Topic = Parameters<typeof mentionsTopic>[1];

/** The names of columns: either to use, joined if there are several, or to offer to a person as a choice. */
type Finding = { use: string[] } | { choose: string[] };

/** @param day the ISO 8601 date from which `3 days ago` counts */
type Finder = (columns: Samples, day: string) => Finding | undefined;

const namesOf = (columns: Samples) => columns.map(({ name }) => name);
const use = (columns: Samples): Finding => ({ use: namesOf(columns) });
/** Asks, even about a single column. */
const choose = (columns: Samples): Finding | undefined =>
  columns.length > 0 ? { choose: namesOf(columns) } : undefined;
const useTheOne = (columns: Samples) => (columns.length === 1 ? use(columns) : choose(columns));
const firstOf = (...lists: Samples[]) => lists.find(({ length }) => length > 0) ?? [];

const shareOf = ({ filled }: ColumnSample, test: (cell: string) => boolean) =>
  filled.filter(test).length / filled.length;
const areMost = (column: ColumnSample, test: (cell: string) => boolean) =>
  shareOf(column, test) >= minimumShare;
const lengthOf = ({ filled }: ColumnSample) => filled.join('').length / filled.length;
const areVaried = ({ filled }: ColumnSample) => new Set(filled).size > 1;
const isVariedOrLone = (column: ColumnSample) => areVaried(column) || column.filled.length === 1;
const about = (columns: Samples, topic: Topic) => columns.filter(({ name }) => mentionsTopic(name, topic));
const notAbout = (columns: Samples, ...topics: Topic[]) =>
  columns.filter(({ name }) => !topics.some((topic) => mentionsTopic(name, topic)));

const wordsIn = (text: string) => text.split(/\s+/).length;
// Scripts of languages without spaces between words. Korean has spaces.
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const isEnded = (text: string) => /[.!?…。！？؟۔]["”»')\s\p{Extended_Pictographic}]*$/u.test(text);

/** True for free text. Names of products, companies and jobs have fewer words and no full stop. */
export function isSentence(text: string): boolean {
  if (!isInWords(text)) return false;
  if (unspaced.test(text)) return text.length >= (isEnded(text) ? 6 : 15);
  return isEnded(text) ? wordsIn(text) >= 3 : wordsIn(text) >= 6 && !/\d/.test(text);
}

const isShort = (text: string) => isInWords(text) && text.length <= 80 && wordsIn(text) <= 8;
const isNameLike = (text: string) => isShort(text) && /^\p{L}[\p{L}\p{M}\s.,'’·・-]*$/u.test(text);
// A whole sentence with a date in it is the text of a testimonial.
const isDateLike = (text: string) =>
  text.length <= 100 && /\p{N}/u.test(text) && !/^\d+$/.test(text) && !(isEnded(text) && wordsIn(text) > 5);

const isTimestamp = (text: string) => /^1\d{9}(?:\d{3})?$/.test(text);
const isAmount = (text: string) => /^[\d.,]+$/.test(text);

/** The finders, in the order in which fields claim their columns. */
export const finders: readonly (readonly [LineField, Finder])[] = [
  ['author.email', addressIn],
  ['rating', ratingIn],
  ['createdAt', dateIn],
  ['content', textsIn],
  ['author.name', personIn],
  ['author.role', (columns) => shortTextsIn(columns, 'author.role')],
  ['author.company', (columns) => shortTextsIn(columns, 'author.company')],
];

function addressIn(columns: Samples): Finding | undefined {
  const mostlyAddresses = columns.filter((column) => shareOf(column, isAddress) >= 1 / 2);
  const some = columns.filter(({ filled }) => filled.some(isAddress));
  // An address that is the same in every row received the e-mails: it is not the author's. But two rows can
  // be by the same person.
  const isVaried = (column: ColumnSample) => areVaried(column) || column.filled.length < 3;
  return useTheOne(firstOf(mostlyAddresses.filter(isVaried), mostlyAddresses, some));
}

/**
 * Finds the rating by the heading. Without a heading, only stars from 1 to 5 are certain, if no other column
 * can be the rating.
 */
function ratingIn(columns: Samples): Finding | undefined {
  const rated = columns.filter(({ name, filled }) => {
    const scale = scaleOf(name, filled);
    // Numbers up to 10 count even on a scale of 5. Without a heading, `isUnsure` then asks.
    const share = shareLike('rating', filled, scale === 5 ? 10 : scale);
    return share >= minimumShare && !isNotRating(name, filled);
  });
  const named = about(rated, 'rating');
  const others = notAbout(rated, 'other', 'author.role');
  // The numbers can also count rows or items, or be percentages of something else.
  const isUnsure = ({ filled }: ColumnSample) =>
    filled.some((cell) => Number(cell) > 5) ||
    filled.every((cell, i) => Number(cell) === i + 1) ||
    filled.every((cell) => cell === '1' || cell.includes('%'));
  if (named.length > 0) return useTheOne(named);
  return others.some(isUnsure) ? choose(others) : useTheOne(others);
}

/**
 * Finds the date by the heading. If there are several dates, uses the one when a testimonial was finished.
 */
function dateIn(columns: Samples, day: string): Finding | undefined {
  const dates = datesIn(columns, day);
  // Next to a reply, the date of a response belongs to the reply. Alone, it belongs to an answer to a survey.
  const isReplied = columns.some((column) => isReply(column.name) && !dates.includes(column));
  const notReplies = isReplied ? dates.filter(({ name }) => !isReply(name)) : dates;
  const likely = firstOf(about(notReplies, 'createdAt'), notReplies, dates);
  const [first, ...others] = likely.toSorted((a, b) => byTime(a.name, b.name));
  if (!first) return choose(possibleDates(columns, day));
  const equal = others.filter(({ name }) => byTime(first.name, name) === 0);
  const [one] = [first, ...equal].map(({ filled }) => timesOf(filled, day));
  const isOne = equal.every(({ filled }) => timesOf(filled, day) === one);
  return isOne ? use([first]) : useTheOne([first, ...equal]);
}

/** Returns the columns of dates, except dates of something other than the testimonial. */
export function datesIn(columns: Samples, day: string): ColumnSample[] {
  return notAbout(columns, 'other', 'author.role', 'reply').filter((column) => areDates(column, day));
}

/**
 * Returns the columns from which a person must choose: the date of an order may be that of its testimonial,
 * and ids look like Unix seconds.
 */
function possibleDates(columns: Samples, day: string): ColumnSample[] {
  const seconds = notAbout(columns, 'other', 'reply').filter((column) => areMost(column, isTimestamp));
  const others = notAbout(columns, 'birth', 'reply').filter(
    (column) => areDates(column, day) && !areMost(column, isAmount),
  );
  return [...seconds, ...others];
}

const areDates = (column: ColumnSample, day: string) =>
  areMost(column, isDateLike) && dateFormatsOf(column.filled, day) !== undefined;

/** Returns the instants of dates, for comparing two columns. */
function timesOf(cells: readonly string[], day: string): string {
  const reader = timeReader(dateFormatsOf(cells, day)?.format);
  return cells.map((cell) => reader.millisecondsOf(cell)).join();
}

// The most important first.
const timesInHeadings: readonly (readonly [Topic, 1 | -1])[] = [
  ['update', -1],
  ['end', 1],
  ['submission', 1],
  ['utc', 1],
  ['start', -1],
];

/**
 * Compares two date headings for sorting. Prefers a heading that does not name an update; then a heading that
 * names the end, the submission or UTC; then a heading that does not name the start.
 */
export function byTime(a: string, b: string): number {
  const differences = timesInHeadings.map(
    ([topic, worth]) => worth * (Number(mentionsTopic(b, topic)) - Number(mentionsTopic(a, topic))),
  );
  return differences.find((difference) => difference !== 0) ?? 0;
}

const lastWordOf = (heading: string) =>
  heading
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.at(-1);

/**
 * True if another column repeats this text: the headings end with the same word, as in `text` and `original
 * text`, and the other column contains half of the sentences.
 */
function repeats(column: ColumnSample, other: ColumnSample): boolean {
  if (lastWordOf(column.name) !== lastWordOf(other.name)) return false;
  const sentences = new Set(column.filled.filter(isSentence));
  return sentences.intersection(new Set(other.filled)).size >= sentences.size / 2;
}

/** Finds the longest text, and joins others that are not much shorter, such as likes and dislikes. */
function textsIn(columns: Samples): Finding | undefined {
  const written = notAbout(columns, 'notTestimonial').filter(
    (column) => !isReply(column.name) && shareOf(column, isSentence) >= 1 / 2,
  );
  const texts = written.filter((column, i) => !written.slice(0, i).some((other) => repeats(column, other)));
  const longest = Math.max(...texts.map(lengthOf));
  // A text that is the same in every row, such as a consent, is not a testimonial.
  const long = texts.filter((column) => isVariedOrLone(column) && lengthOf(column) >= longest / 4);
  const others = columns.filter((column) => areMost(column, isInWords));
  return long.length > 0 ? use(long) : choose(others.toSorted((a, b) => lengthOf(b) - lengthOf(a)));
}

/**
 * Finds the author's name by the heading, or if no other column can be the name. Joins first and last name.
 */
function personIn(columns: Samples): Finding | undefined {
  const others = notAbout(columns, 'other', 'notTestimonial', 'author.role', 'author.company').filter(
    (column) => !namesThings(column.name) && !isReply(column.name) && shareOf(column, cannotBeName) < 1 / 2,
  );
  const names = others.filter((column) => areMost(column, isNameLike));
  const named = firstOf(
    about(names, 'author.name'),
    others.filter((column) => isNamed(column.name) && isVariedOrLone(column) && areMost(column, isShort)),
  );
  const areWhole = (column: ColumnSample) => shareOf(column, (cell) => wordsIn(cell) > 1) >= 1 / 2;
  const whole = named.filter(areWhole);
  if (named.length > 0) return whole.length > 0 ? useTheOne(whole) : use(named);
  // A value that is the same in every row, such as an app id, is not a name. Exceptions are a single
  // capitalized word, which can be a family name, and files with fewer than three rows.
  const own = names.filter(isVariedOrLone);
  const same = names.filter((column) => !isVariedOrLone(column));
  const family = same.filter((column) => column.filled.every((cell) => /^\p{Lu}[^\s.]*$/u.test(cell)));
  const few = same.filter(({ filled }) => filled.length < 3);
  const isClear = own.length === 1 && own.every(areWhole);
  // With only two rows, a whole name is as likely as a job title of several words.
  const likely = [...new Set([...family, ...(isClear ? few.filter(areWhole) : few)])];
  if (own.length === 1 && likely.length === 0) return use(own);
  const short = others.filter((column) => isVariedOrLone(column) && areMost(column, isShort));
  return choose(own.length > 0 ? [...own, ...likely] : [...short, ...few]);
}

/** Finds the author's job or company. Only a heading distinguishes these from other short texts. */
function shortTextsIn(columns: Samples, field: 'author.role' | 'author.company'): Finding | undefined {
  return useTheOne(
    about(columns, field).filter((column) => !isReply(column.name) && areMost(column, isShort)),
  );
}
