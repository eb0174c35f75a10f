/** What the headings of columns say: the names that review tools and people give to columns, and words in questions. */
import data from './column-names.json' with { type: 'json' };
import headingWords from './heading-words.json' with { type: 'json' };
import { type ColumnMap, type LineField, lineFields } from './imported-line.ts';

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
  const byWord = new Map([...columnsByWord(columns, wordOf), ...columnsByWord(columns, wholeWordOf)]);
  const named = (words: readonly string[]) => words.flatMap((word) => byWord.get(word) ?? []);
  const eachNamed = (words: readonly string[]) => named(words).map((name) => [name]);
  switch (field) {
    case 'content': {
      const title = named(titles).slice(0, 1);
      // Some tools ask several questions, such as what people like and what they dislike.
      const answers = columns.filter((name) => data.answers.some((word) => wordOf(name).startsWith(word)));
      const texts = eachNamed(familiar.content ?? []);
      return [...(answers.length > 1 ? [answers] : []), ...texts].map((text) =>
        isTestimonial(text) ? text : [...title, ...text],
      );
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

/** Columns whose words are the same, such as `From: (Name)` and `From: (Type)`, cannot be told apart. */
function columnsByWord(columns: readonly string[], toWord: (name: string) => string): [string, string][] {
  return [...Map.groupBy(columns, toWord)].flatMap(([word, [name = '', ...others]]) =>
    others.length > 0 ? [] : [[word, name]],
  );
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

/** True of the column of a review's title, which needs no heading above it. */
export function isTitle(column: string): boolean {
  return titles.includes(wordOf(column));
}

const isTestimonial = (columns: readonly string[] = []) =>
  columns.some((name) => wordOf(name).startsWith('testimonial'));

/** `Rating (1-5)` and `starRating` are `rating` and `starrating`, `reviewer.displayName` is `reviewerdisplayname`. */
function wordOf(name: string): string {
  return wholeWordOf(name.replace(/\([^()]*\)/g, ''));
}

/** `From: (Name)` is `fromname`. */
function wholeWordOf(name: string): string {
  return plainWords(name).replaceAll(' ', '');
}

/** Returns the words of a text in lower case without accents, with a space before and after each. */
function plainWords(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return ` ${plain.split(/[^\p{L}\p{N}]+/u).join(' ')} `;
}

type Topic = keyof typeof headingWords;

const spaceless = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const wordsOfTopic = new Map(
  Object.entries(headingWords).map(([topic, beginnings]) => [
    topic,
    beginnings.map((word) => {
      const plain = plainWords(word.trim());
      // The languages of East Asia put no space before a word. A space after a word stands for its end.
      if (spaceless.test(word)) return plain.trim();
      return word.endsWith(' ') ? plain : plain.trimEnd();
    }),
  ]),
);

/** True if a heading, which may be a whole question, has a word with one of the beginnings of a topic. */
export function isAbout(heading: string, topic: Topic): boolean {
  const words = plainWords(heading);
  return wordsOfTopic.get(topic)?.some((word) => words.includes(word)) ?? false;
}
