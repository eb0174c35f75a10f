/** How other tools write the values of fields. Each form is one line here. */
import { decode } from 'html-entities';
import { statuses, testimonialTypes } from '../../../functions/domain/testimonial.ts';
import { isNearRating, type LineField } from './imported-line.ts';
import statusWords from './status-words.json' with { type: 'json' };

const number = String.raw`(\d+(?:[.,]\d+)?)`;
const stars = 'stars?|sterne?n?|étoiles?|estrellas?|estrelas?|stell[ae]|ster(?:ren)?|[★⭐]\uFE0F?';
const whole = (form: string) => new RegExp(`^(?:${form})$`, 'iu');
const numbers = ['one', 'two', 'three', 'four', 'five'];

/** Forms of a rating, each with its conversion to a scale of 5. */
const ratingForms: readonly [RegExp, (first: string, second: string) => number][] = [
  [whole(number), Number],
  [whole(`${number}[ -]*(?:${stars})`), Number],
  [
    whole(`${number} *(?:/|(?:out )?of|von|sur|de|di|van) *${number} *(?:${stars})?`),
    (rating, best) => (5 * Number(rating)) / Number(best),
  ],
  [whole(`${number} *%`), (percent) => Number(percent) / 20],
  [whole(`((?:[★⭐🌟]\uFE0F?)+)[☆✩]*`), (signs) => Array.from(signs.replaceAll('\uFE0F', '')).length],
  [whole(`(${numbers.join('|')})(?:[ _-]?stars?)?`), (word) => numbers.indexOf(word.toLowerCase()) + 1],
];

/** Returns text unchanged if it is not a rating: the check rejects it later. */
function ratingOf(text: string): number | string {
  for (const [form, read] of ratingForms) {
    const [, first = '', second = ''] = form.exec(text) ?? [];
    const rating = first === '' ? Number.NaN : read(first.replace(',', '.'), second.replace(',', '.'));
    if (Number.isFinite(rating)) return Math.round(rating * 100) / 100;
  }
  return text;
}

/** Other tools' words for a status. `hidden` means that someone decided against showing it. */
const statusOf = new Map(statuses.flatMap((status) => statusWords[status].map((word) => [word, status])));

/** Converts the text of a cell to the value of a field. */
export function fieldValue(field: LineField, text: string, tagSeparator: string): unknown {
  switch (field) {
    case 'tags':
      return text
        .split(tagSeparator)
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '');
    case 'rating':
      return ratingOf(text);
    case 'status':
      return statusOf.get(text.toLowerCase()) ?? text.toLowerCase();
    case 'type':
      return text.toLowerCase();
    case 'updateOrdinal':
      return /^\d+$/.test(text) ? Number(text) : text;
    default:
      return text;
  }
}

const isAddress = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);
const isInWords = (text: string) => /\p{L}/u.test(text) && !isAddress(text);

/** Tests whether a cell looks like a value of the field. Fields that are absent here are detected by column name only. */
const looksLike: Partial<Record<LineField, (text: string) => boolean>> = {
  content: (text) => isInWords(text) && !isNearRating(ratingOf(text)),
  'author.name': isInWords,
  'author.email': isAddress,
  'author.company': isInWords,
  rating: (text) => isNearRating(ratingOf(text)),
  type: (text) => testimonialTypes.some((type) => type === text.toLowerCase()),
  status: (text) => statusOf.has(text.toLowerCase()),
};

/** Returns the share of cells that look like a field's values; NaN without cells. */
export function shareLike(field: LineField, cells: readonly string[]): number {
  return cells.filter(looksLike[field] ?? (() => true)).length / cells.length;
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
