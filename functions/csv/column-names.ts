/**
 * The meaning of column headings, in files of any format: the names that review tools and people give to
 * columns, and the words of questions.
 */

import { fieldPaths } from '../domain/fields.ts';
import columnNames from './column-names.json' with { type: 'json' };
import headingTopics from './heading-topics.json' with { type: 'json' };

// All names are lower-case letters and digits without accents, most likely first.
const fields: Readonly<Record<string, readonly string[]>> = columnNames.fields;

/**
 * Replaces the variables in names:
 *
 * | Variable | Replaced with |
 * |---|---|
 * | `{review}` | each word for a testimonial, or nothing |
 * | `{person}` | each word for the author |
 * | `{own}` | each word for the author, or nothing |
 *
 * A plus separates the names of columns that belong together.
 * @param samePerson words for the author that come first
 * @param sameReview words for a testimonial whose names come before all others
 */
function spelledOut(
  names: readonly string[],
  samePerson: readonly string[] = [],
  sameReview: readonly string[] = [],
): string[][] {
  const own = [...samePerson, '', ...columnNames.people];
  const withReview = (name: string, words: readonly string[]) =>
    name.includes('{review}') ? words.map((word) => name.replace('{review}', word)) : [];
  const spelled = names.flatMap((name) => {
    if (name.includes('{own}')) return own.map((word) => name.replaceAll('{own}', word));
    if (name.includes('{person}')) return columnNames.people.map((word) => name.replace('{person}', word));
    return name.includes('{review}') ? withReview(name, columnNames.review) : name;
  });
  const first = names.flatMap((name) => withReview(name, sameReview));
  return [...first, ...spelled].map((name) => name.split('+'));
}

const titles = spelledOut(columnNames.titles).flat();
const hiding = spelledOut(columnNames.hiding).flat();

/**
 * Returns the columns that could be a field, most likely first. A field can use several columns, in their
 * order.
 * @param mapped the columns of the other fields
 */
export function columnsLike(
  field: string,
  columns: readonly string[],
  mapped: Readonly<Record<string, readonly string[] | undefined>>,
): string[][] {
  const byKey = new Map([...columnsByKey(columns, headingKey), ...columnsByKey(columns, wholeHeadingKey)]);
  const named = (words: readonly string[]) => words.flatMap((word) => byKey.get(word) ?? []);
  // `Reviewer email` belongs to `Reviewer name`.
  const person = headingKey(mapped['author.name']?.[0] ?? '');
  const samePerson = columnNames.people.filter((word) => person.startsWith(word));
  // `Review date` belongs to `Review content`, and `Comment date` to the merchant's comment.
  const text = headingKey(mapped.content?.at(-1) ?? '');
  const sameReview = columnNames.review.filter((word) => word !== '' && text.startsWith(word));
  const names = fields[field] ?? [];
  // WordPress has `date` and `date_gmt`.
  const inUtc =
    field === 'createdAt' ? ['utc', 'gmt'].flatMap((zone) => names.map((name) => name + zone)) : [];
  const candidates = spelledOut([...names, ...inUtc], samePerson, sameReview).flatMap((words) => {
    const parts = named(words);
    return parts.length === words.length ? [parts] : [];
  });
  if (field === 'status') return withHiding(candidates, columns.filter(isHiding));
  // Next to a testimonial column, a title is the author's job.
  if (field === 'author.role' && isTestimonial(mapped.content)) return [...candidates, named(['title'])];
  if (field !== 'content') return candidates;
  // Some tools ask several questions, such as what people like and dislike. A title precedes the text.
  const answers = columns.filter((name) =>
    columnNames.answers.some((word) => headingKey(name).startsWith(word)),
  );
  const texts = answers.length > 1 ? [answers, ...candidates] : candidates;
  return texts.map((text) => (isTestimonial(text) ? text : [...named(titles).slice(0, 1), ...text]));
}

/**
 * Returns, for each status candidate, its columns joined with the hiding columns (such as `spam`), then its
 * columns alone. The hiding columns alone come last.
 */
function withHiding(statuses: readonly string[][], columns: readonly string[]): string[][] {
  if (columns.length === 0) return [...statuses];
  return [...statuses.flatMap((status) => [[...status, ...columns], status]), [...columns]];
}

/**
 * Leaves out columns with the same key, such as `From: (Name)` and `From: (Type)`, because nothing tells them
 * apart.
 */
function columnsByKey(columns: readonly string[], keyOf: (name: string) => string): [string, string][] {
  return [...Map.groupBy(columns, keyOf)].flatMap(([key, [name = '', ...others]]) =>
    others.length > 0 ? [] : [[key, name]],
  );
}

const familiarWords = new Set([
  ...fieldPaths.map(headingKey),
  ...titles,
  ...hiding,
  ...Object.values(fields).flatMap((names) => spelledOut(names).flat()),
]);

/** Counts the cells that are familiar column names. */
export function countFamiliarNames(cells: readonly string[]): number {
  return cells.filter((cell) => familiarWords.has(headingKey(cell))).length;
}

/**
 * True for the column of a review's title. If several columns make up a text, each part begins with its
 * heading, except a title.
 */
export function isTitle(column: string): boolean {
  return titles.includes(headingKey(column));
}

/** True for a column in which a yes means that the testimonial is hidden, such as `hidden` or `is_spam`. */
export function isHiding(column: string): boolean {
  return hiding.includes(headingKey(column));
}

const isTestimonial = (columns: readonly string[] = []) =>
  columns.some((name) => headingKey(name).startsWith('testimonial'));

/**
 * `Rating (1-5)` and `starRating` are `rating` and `starrating`, `reviewer.displayName` is
 * `reviewerdisplayname`.
 */
function headingKey(name: string): string {
  return wholeHeadingKey(name.replace(/\([^()]*\)/g, ''));
}

/** `From: (Name)` is `fromname`. */
function wholeHeadingKey(name: string): string {
  return plainWords(name).replaceAll(' ', '');
}

/**
 * Returns the words of a text in lower case without accents, `camelCase` split, with a space before and after
 * each.
 */
function plainWords(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase();
  return ` ${plain.split(/[^\p{L}\p{M}\p{N}]+/u).join(' ')} `;
}

// Languages without a space before a word.
const spaceless = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * True if a heading, which may be a whole question, has a word that begins like a word of a topic. A space in
 * the topic's word marks the end of a whole word. Topics are fields, parts of dates (`end`, `utc`), and:
 *
 * | Topic | Headings of |
 * |---|---|
 * | `other` | things other than testimonials, such as products and orders |
 * | `notTestimonial` | texts other than testimonials, such as consents and internal notes |
 * | `notPerson` | things whose name is not a person's |
 * | `reply` | the merchant's replies to a testimonial |
 * | `response` | a reply, or an answer to a survey |
 */
export function mentionsTopic(heading: string, topic: keyof typeof headingTopics): boolean {
  const words = plainWords(heading);
  return headingTopics[topic].some((word) => words.includes(spaceless.test(word) ? word : ` ${word}`));
}

/** True for a heading whose last word ends in `name`, such as `profile_name` or `nickname`. */
export function isNamed(heading: string): boolean {
  return plainWords(heading).endsWith('name ');
}

// A longer heading is a question, such as whether a customer liked a quick reply.
const hasWords = (heading: string, most: number) => plainWords(heading).trim().split(' ').length <= most;
const possessivePattern = / (?:your|ihre|deine|votre|ta|tu|su|sua|tua|vostra|uw|jouw) /;

/** True for a heading such as `user_name`. A column of whole names is a better choice. */
export function isUserName(heading: string): boolean {
  return headingKey(heading).endsWith('username');
}

const recipientPattern = / (?:to|an|au|aux|al|alla|ao|aan) /;

/**
 * True for a heading of the merchant's replies. `Your response` and `Customer comment` are not among them.
 */
export function isReply(heading: string): boolean {
  if (mentionsTopic(heading, 'customer') && !recipientPattern.test(plainWords(heading))) return false;
  const isResponse = mentionsTopic(heading, 'response') && !possessivePattern.test(plainWords(heading));
  return hasWords(heading, 5) && (mentionsTopic(heading, 'reply') || isResponse);
}

/** True for a heading such as `App name` or `recommendation_type`, whose column names things, not people. */
export function namesThings(heading: string): boolean {
  return hasWords(heading, 3) && mentionsTopic(heading, 'notPerson');
}
