/** The names that review tools and people give to columns. */
import data from './column-names.json' with { type: 'json' };
import { type LineField, lineFields } from './imported-line.ts';
import type { ColumnMap } from './map-columns.ts';

// All names are lower-case letters and digits without accents, most likely first.
const { people, otherNames, partsOfNames, emails, companies } = data;

const pairs = (first: readonly string[], second: readonly string[]) =>
  second.flatMap((end) => first.map((begin) => `${begin}${end}`));

/** Replaces `{review}` at the start of names with each word for a testimonial, or with nothing. */
const spelledOut = (names: readonly string[]) =>
  names.flatMap((name) =>
    name.startsWith('{review}') ? data.review.map((word) => name.replace('{review}', word)) : name,
  );

const familiar: Partial<Record<LineField, readonly string[]>> = Object.fromEntries(
  Object.entries(data.fields).map(([field, names]) => [field, spelledOut(names)]),
);

// These come before a bare `name`, which may be a product's, and a bare `customer`, which may be a number.
const names = pairs(people, data.personNames);

// A title goes before the text.
const titles = spelledOut(data.titles);

/**
 * Returns the columns that could be a field, most likely first. A field can use several columns, in their order.
 * @param mapped the columns of other fields
 */
export function columnsLike(field: LineField, columns: readonly string[], mapped: ColumnMap): string[][] {
  const byWord = new Map(columns.map((name) => [wordOf(name), name]));
  const named = (words: readonly string[]) => words.flatMap((word) => byWord.get(word) ?? []);
  const eachNamed = (words: readonly string[]) => named(words).map((name) => [name]);
  switch (field) {
    case 'content': {
      const [title] = named(titles);
      return eachNamed(familiar.content ?? []).map((text) => [
        ...(title !== undefined && !isTestimonial(text) ? [title] : []),
        ...text,
      ]);
    }
    case 'author.name': {
      const parts = ['', ...people].flatMap((person) =>
        partsOfNames.map((both) => named(both.map((part) => `${person}${part}`))),
      );
      const whole = parts.filter(({ length }) => length === 2);
      return [...eachNamed([...names, 'reviewer', 'author']), ...whole, ...eachNamed(otherNames)];
    }
    case 'author.email':
    case 'author.company': {
      // `Reviewer email` belongs to `Reviewer name`.
      const samePerson = people.filter((person) =>
        wordOf(mapped['author.name']?.[0] ?? '').startsWith(person),
      );
      if (field === 'author.email') return eachNamed(pairs([...samePerson, '', ...people], emails));
      // Next to a testimonial column, a title is the author's job.
      const isTitled = isTestimonial(mapped.content);
      return eachNamed([...pairs([...samePerson, '', ...people], companies), ...(isTitled ? ['title'] : [])]);
    }
    default:
      return eachNamed(familiar[field] ?? []);
  }
}

const familiarWords = new Set([
  ...lineFields.map(wordOf),
  ...Object.values(familiar).flat(),
  ...[...names, ...otherNames, ...partsOfNames.flat(), 'reviewer', 'author', ...titles],
  ...pairs(['', ...people], [...emails, ...companies]),
]);

/** Counts the cells that are familiar column names. */
export function familiarIn(cells: readonly string[]): number {
  return cells.filter((cell) => familiarWords.has(wordOf(cell))).length;
}

const isTestimonial = (columns: readonly string[] = []) =>
  columns.some((name) => wordOf(name).startsWith('testimonial'));

/** `Rating (1-5)` and `starRating` are `rating` and `starrating`, `reviewer.displayName` is `reviewerdisplayname`. */
function wordOf(name: string): string {
  const word = name.replace(/\([^()]*\)/g, '').normalize('NFD');
  return word.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}
