/** How other tools write the values of fields. Each form is one line here. */
import { decode } from 'html-entities';
import { statuses, testimonialTypes } from '../../../functions/domain/testimonial.ts';
import { isNearRating, type LineField } from './imported-line.ts';
import ratingWords from './rating-words.json' with { type: 'json' };
import statusWords from './status-words.json' with { type: 'json' };
import { plainDigits } from './times.ts';

const number = String.raw`(\d+(?:[.,]\d+)?)`;
const stars = 'stars?|sterne?n?|étoiles?|estrellas?|estrelas?|stell[ae]|ster(?:ren)?|点|점|つ星|[★⭐]\uFE0F?';
const whole = (form: string) => new RegExp(`^(?:${form})$`, 'iu');
const scaled = (rating: number, best: number) => (best === 5 ? rating : Math.max(1, (5 * rating) / best));

/** Forms of a rating, each with its conversion to a scale of 5. Plain numbers are on the scale of their column. */
const ratingForms: readonly [RegExp, (first: string, second: string, scale: number) => number][] = [
  [whole(number), (rating, _, scale) => scaled(Number(rating), scale)],
  [whole(`${number}[ -]*(?:${stars})`), Number],
  [
    whole(`${number} *(?:/|(?:out )?of|von|sur|de|di|van) *${number} *(?:${stars})?`),
    (rating, best) => scaled(Number(rating), Number(best)),
  ],
  [whole(`${number} *%`), (percent) => scaled(Number(percent), 100)],
  [whole(`((?:[★⭐🌟]\uFE0F?)+)[☆✩]*`), (signs) => Array.from(signs.replaceAll('\uFE0F', '')).length],
];

const wordOf = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');

/** Answers such as “very satisfied”, and the groups of the Net Promoter Score. */
const ratingOfWord = new Map(
  Object.entries(ratingWords).flatMap(([rating, words]) =>
    words.map((word) => [wordOf(word), Number(rating)]),
  ),
);
const maxRatingLength = 50;

/** Returns text unchanged if it is not a rating: the check rejects it later. */
function ratingOf(text: string, scale: number): number | string {
  if (text.length > maxRatingLength) return text;
  const plain = plainDigits(text);
  for (const [form, read] of ratingForms) {
    const [, first = '', second = ''] = form.exec(plain) ?? [];
    const rating = first === '' ? Number.NaN : read(first.replace(',', '.'), second.replace(',', '.'), scale);
    if (Number.isFinite(rating)) return Math.round(rating * 100) / 100;
  }
  return ratingOfWord.get(wordOf(plain).replace(/ stars?$/, '')) ?? text;
}

// A heading such as “Score (out of 10)”, “0–10” or “10点満点”.
const scaleInHeading =
  /(?:\bof|von|sur|de|di|van|из|bis|to|à|\/|[-–—~〜～]) *(\d+)\b|(\d+) *(?:点満点|段階|점 만점)/giu;
const scales = [5, 7, 10, 100];

/**
 * Returns the best of the plain numbers in a column of ratings: as its heading says it, or 10 if a fifth of them is above 5.
 * Undefined for a scale of 5.
 */
export function scaleOf(heading: string, cells: readonly string[]): number | undefined {
  const said = Array.from(heading.matchAll(scaleInHeading), ([, after, before]) => Number(after ?? before));
  const stated = scales.find((scale) => said.includes(scale));
  const numbers = cells.filter((cell) => /^\d+([.,]\d+)?$/.test(cell)).map((cell) => Number.parseFloat(cell));
  const above = numbers.filter((each) => each > 5 && each <= 10).length;
  const isOfTen = numbers.every((each) => each <= 10) && above >= numbers.length / 5 && above > 0;
  const scale = stated ?? (isOfTen || /\bnps\b|net promoter/i.test(heading) ? 10 : 5);
  return scale === 5 ? undefined : scale;
}

/** Other tools' words for a status. `hidden` means that someone decided against showing it. */
const statusOf = new Map(
  statuses.flatMap((status) => statusWords[status].map((word) => [wordOf(word), status])),
);

/** `Jane Doe <jane@example.com>` */
const nameWithAddress = /^([^<>()]*) ?[<(]([^\s@<>()]+@[^\s@<>()]+)[>)]$/;

/**
 * Converts the text of a cell to the value of a field.
 * @param ratingScale the best of ratings that are plain numbers
 */
export function fieldValue(field: LineField, text: string, tagSeparator = ',', ratingScale = 5): unknown {
  switch (field) {
    case 'tags':
      return text
        .split(tagSeparator)
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '');
    case 'author.email':
      return nameWithAddress.exec(text)?.[2] ?? text;
    case 'author.name':
      return nameWithAddress.exec(text)?.[1]?.trim() || text;
    case 'rating':
      return ratingOf(text, ratingScale);
    case 'status':
      return statusOf.get(wordOf(text)) ?? text.toLowerCase();
    case 'type':
      return text.toLowerCase();
    case 'updateOrdinal':
      return /^\d+$/.test(text) ? Number(text) : text;
    default:
      return text;
  }
}

export const isAddress = (text: string) => /^[^\s@]+@[^\s@]+$/.test(String(fieldValue('author.email', text)));
export const isInWords = (text: string) => /\p{L}/u.test(text) && !isAddress(text);

/** Tests whether a cell looks like a value of the field. Fields that are absent here are detected by column name only. */
const looksLike: Partial<Record<LineField, (text: string, scale: number) => boolean>> = {
  content: (text) => isInWords(text) && !isNearRating(ratingOf(text, 5)),
  'author.name': isInWords,
  'author.email': isAddress,
  'author.company': isInWords,
  rating: (text, scale) => isNearRating(ratingOf(text, scale)),
  type: (text) => testimonialTypes.some((type) => type === text.toLowerCase()),
  status: (text) => statusOf.has(wordOf(text)),
};

/** Returns the share of cells that look like a field's values; NaN without cells. */
export function shareLike(field: LineField, cells: readonly string[], scale = 5): number {
  return cells.filter((cell) => looksLike[field]?.(cell, scale) ?? true).length / cells.length;
}

/** Returns the separator of a column's tags: a comma if any cell contains one. */
export function tagSeparatorOf(cells: readonly string[]): string {
  return [',', ';', '|', '\n'].find((separator) => cells.some((cell) => cell.includes(separator))) ?? ',';
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
