/**
 * Reads the values of fields in the formats of other tools. The forms of ratings are in ratings.json, the
 * words for a status in status-words.json.
 */
import { decode } from 'html-entities';
import { statuses, testimonialTypes } from '../domain/testimonial.ts';
import { isBlank } from '../domain/visible-text.ts';
import { isNearRating, type LineField } from './line-fields.ts';
import ratings from './ratings.json' with { type: 'json' };
import statusWords from './status-words.json' with { type: 'json' };
import { plainDigits } from './times.ts';

/** Forms of a rating: a number and the maximum. If the form has no maximum, the column's applies. */
const ratingForms = ratings.forms.map(({ form, best }) => {
  const pattern = form.replaceAll('{number}', ratings.number).replaceAll('{star}', ratings.star);
  return { form: new RegExp(`^(?:${pattern})$`, 'iu'), best };
});
const starSigns = /^((?:[★⭐🌟]\uFE0F?)+)[☆✩]*$/u;

const answerKey = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');

/** Answers such as “very satisfied”, and the groups of the Net Promoter Score. */
const ratingOfWord = new Map(
  Object.entries(ratings.words).flatMap(([stars, words]) =>
    words.map((word) => [answerKey(word), Number(stars)]),
  ),
);
const maxRatingLength = 50;

/** Returns the text unchanged if it is not a rating. The check rejects it later. */
function ratingOf(text: string, scale: number): number | string {
  if (text.length > maxRatingLength) return text;
  // Nearly all ratings are a digit.
  if (scale === 5 && /^[1-5]$/.test(text)) return Number(text);
  const plain = plainDigits(text).replace(starSigns, (_, filledStars) =>
    String(Array.from(filledStars.replaceAll('\uFE0F', '')).length),
  );
  for (const { form, best = scale } of ratingForms) {
    const [, rating = '', of = String(best)] = form.exec(plain) ?? [];
    const [number = 0, most = 0] = [rating, of].map((each) => Number(each.replace(',', '.')));
    // 0 of 10 is the worst rating. 0 of 5 is not a rating, and the check rejects it.
    const stars = most === 5 ? number : Math.max(1, (5 * number) / most);
    if (rating !== '' && Number.isFinite(stars)) return Math.round(stars * 100) / 100;
  }
  return ratingOfWord.get(answerKey(plain).replace(/ stars?$/, '')) ?? text;
}

const scaleInHeading = new RegExp(ratings.scaleInHeading, 'giu');
const tenInHeading = new RegExp(ratings.tenInHeading, 'iu');

/**
 * Returns the maximum of a rating column: the maximum in its heading; 10 if at least a fifth of the numbers
 * is above 5 and none is above 10; otherwise 5. A single number above 5, next to three others, is a mistake,
 * which the check rejects.
 */
export function scaleOf(heading: string, cells: readonly string[]): number {
  const statedScales = Array.from(heading.matchAll(scaleInHeading), ([, after, before]) =>
    Number(after ?? before),
  );
  const stated = ratings.scales.find((scale) => statedScales.includes(scale));
  const numbers = cells.filter((cell) => /^\d+([.,]\d+)?$/.test(cell)).map((cell) => Number.parseFloat(cell));
  const above = numbers.filter((each) => each > 5).length;
  const isMistake = above === 1 && numbers.length > 3;
  const isOfTen =
    above > 0 && !isMistake && above >= numbers.length / 5 && numbers.every((each) => each <= 10);
  return stated ?? (isOfTen || tenInHeading.test(heading) ? 10 : 5);
}

const meaningOfNumber = /(\d+) ?[=:] ?([\p{L} ]+)/gu;

/**
 * True if a heading says that low numbers are good, such as `1 = very good`. The import reads 5 as the best
 * rating.
 */
export function isReversed(heading: string): boolean {
  const meanings = Array.from(heading.matchAll(meaningOfNumber), ([, number, word = '']) => ({
    number: Number(number),
    stars: ratingOfWord.get(answerKey(word.trim())),
  }));
  return meanings.some(({ number, stars }) => number === 1 && stars !== undefined && stars > 3);
}

/** Other tools' words for a status. `hidden` means that someone decided not to show the testimonial. */
const statusOf = new Map(
  statuses.flatMap((status) => statusWords[status].map((word) => [answerKey(word), status])),
);

/**
 * Returns the status of a yes or no in a column such as `hidden` or `spam`. Returns other words unchanged.
 */
export function statusIfHidden(text: string): string {
  const status = statusOf.get(answerKey(text));
  return status === undefined ? text : status === 'pending' ? 'approved' : 'rejected';
}

const strictness: readonly string[] = ['approved', 'pending', 'rejected'];

/** Returns the strictest of several statuses: rejected and approved together are rejected. */
export function strictestOf(texts: readonly string[]): string {
  const found = texts.map((text) => statusOf.get(answerKey(text)) ?? text);
  const unknown = found.find((text) => !strictness.includes(text));
  return unknown ?? found.toSorted((a, b) => strictness.indexOf(b) - strictness.indexOf(a))[0] ?? '';
}

/** True for zeros and ones, which are not stars unless the heading says so. */
function areFlags(heading: string, cells: readonly string[]): boolean {
  const isFlag = (cell: string) => /^[01](?:[.,]0)?$/.test(cell);
  return cells.every(isFlag) && cells.some((cell) => cell.startsWith('0')) && scaleOf(heading, cells) === 5;
}

/** True for numbers that are not a rating, or whose scale is reversed. */
export function isNotRating(heading: string, cells: readonly string[]): boolean {
  return areFlags(heading, cells) || isReversed(heading);
}

// In Notion, a company can be a link to its page: `Acme (https://www.notion.so/Acme-0123)`. In exports with
// files, the link names the file.
const link =
  / (?:\((?:https?:\/\/[^\s()]+|[^()]+\.(?:md|csv|html))\)|<https?:\/\/[^\s<>]+>|\[https?:\/\/[^\s[\]]+\])(?=, |$)/g;
/** A link in Markdown: `[Acme](https://acme.example)`. */
const markdownLink = /\[([^[\]]+)\]\((?:https?:\/\/|mailto:)[^\s()]+\)/g;
const withoutLinks = (text: string) =>
  /[)>\]]$/.test(text) ? text.replace(markdownLink, '$1').replace(link, '').trim() || text : text;

/** `[Jane Doe](mailto:jane@example.com)`, also with a subject. */
const linkedAddress = /\]\(mailto:([^\s()?]+)[^\s()]*\)$/;
/** `Jane Doe <jane@example.com>` */
const nameWithAddress = /^([^<>()]*) ?[<(]([^\s@<>()]+@[^\s@<>()]+)[>)]$/;

function addressOf(text: string): string {
  const linked = linkedAddress.exec(text)?.[1];
  if (linked !== undefined) return linked;
  const plain = withoutLinks(text);
  return (nameWithAddress.exec(plain)?.[2] ?? plain).replace(/^mailto:/i, '');
}

/**
 * Converts the text of a cell to the value of a field.
 * @param ratingScale the maximum of ratings that are plain numbers
 */
export function fieldValue(field: LineField, text: string, tagSeparator = ',', ratingScale = 5): unknown {
  switch (field) {
    case 'tags':
      return tagsOf(text.split(tagSeparator));
    case 'author.email':
      return addressOf(text);
    case 'author.name': {
      const plain = withoutLinks(text);
      return nameWithAddress.exec(plain)?.[1]?.trim() || plain;
    }
    case 'author.company':
    case 'author.role':
      return withoutLinks(text);
    case 'rating':
      return ratingOf(text, ratingScale);
    case 'status':
      return statusOf.get(answerKey(text)) ?? text.toLowerCase();
    case 'type':
      return text.toLowerCase();
    case 'updateOrdinal':
      return /^\d+$/.test(text) ? Number(text) : text;
    default:
      return text;
  }
}

export const isAddress = (text: string) => /^[^\s@]+@[^\s@]+$/.test(String(fieldValue('author.email', text)));
const id = /^(?=.*\d)(?:[0-9a-f-]{6,}|[a-z]{1,3}[-_]?\d+)$/i;
const verified = /v[eé]rifi/i;
// The path of a resource in an API, such as `places/abc/reviews/1`, or a URL.
const path = /^[^\s/]*\/\S*\/\S*$/;
/**
 * True for texts that cannot be a name: yes and no, answers such as “very satisfied”, ids, paths, and
 * “Verified Buyer”.
 */
export const cannotBeName = (text: string) =>
  id.test(text) ||
  path.test(text) ||
  verified.test(text) ||
  statusOf.has(answerKey(text)) ||
  ratingOfWord.has(answerKey(text));
export const isInWords = (text: string) => /\p{L}/u.test(text) && !isAddress(text);

/**
 * Tests whether a cell looks like a value of the field. Fields without a test are detected by column name
 * only.
 */
const looksLike: Partial<Record<LineField, (text: string, scale: number) => boolean>> = {
  content: (text) => isInWords(text) && !isNearRating(ratingOf(text, 5)),
  'author.name': (text) => isInWords(text) && !cannotBeName(text),
  'author.email': isAddress,
  'author.company': isInWords,
  'author.role': isInWords,
  rating: (text, scale) => isNearRating(ratingOf(text, scale)),
  type: (text) => testimonialTypes.some((type) => type === text.toLowerCase()),
  status: (text) => statusOf.has(answerKey(text)),
};

/** Returns the share of cells that look like values of a field; NaN if there are no cells. */
export function shareLike(field: LineField, cells: readonly string[], scale = 5): number {
  return cells.filter((cell) => looksLike[field]?.(cell, scale) ?? true).length / cells.length;
}

export function tagsOf(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((text) => !isBlank(text));
}

const tagSeparators = [',', ';', '|', '\n'];

/** Returns the separator of a column's tags: a comma if any cell contains one. */
export function tagSeparatorOf(cells: readonly string[]): string {
  return tagSeparators.find((separator) => cells.some((cell) => cell.includes(separator))) ?? ',';
}

/** Returns the cell for a list: joined by commas, or as JSON if a comma would split an item. */
export function cellOfList(items: readonly string[]): string {
  const areSplit = items.some((item) => tagSeparators.some((separator) => item.includes(separator)));
  return areSplit ? JSON.stringify(items) : items.join(',');
}

/** Returns the list that a cell contains as JSON. */
export function listIn(cell: string): string[] | undefined {
  if (!/^\[\s*["\]]/.test(cell)) return undefined;
  try {
    const list: unknown = JSON.parse(cell);
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}

const breaks = /<(?:br|hr)\b[^<>]*>\n?/gi;
const paragraphs = /<\/?(?:p|div|h[1-6]|blockquote|ul|ol|table)\b[^<>]*>/gi;
const items = /<\/?(?:li|tr)\b[^<>]*>/gi;
const otherTags = /<\/?(?:a|b|big|em|font|i|img|pre|s|small|span|strong|sub|sup|tbody|td|th|u)\b[^<>]*>/gi;

/** Converts HTML to text: breaks become newlines, HTML tags are removed, entities are decoded. */
export function textOfHtml(html: string): string {
  if (!/[<&]/.test(html)) return html;
  const text = html
    .replace(breaks, '\n')
    .replace(paragraphs, '\n\n')
    .replace(items, '\n')
    .replace(otherTags, '');
  const plain = decode(text, { scope: 'strict' });
  if (plain === html) return html;
  return plain
    .replaceAll('\u00A0', ' ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
