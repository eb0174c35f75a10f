/** What review tools call the columns of their exports. */
import type { LineField } from './imported-line.ts';

const review = ['review', 'testimonial', 'feedback', ''];
const person = ['reviewer', 'author', 'customer', 'client', 'user', 'contact', 'your', ''];

const pairs = (first: readonly string[], second: readonly string[]) =>
  second.flatMap((end) => first.map((begin) => `${begin}${end}`));

const wordsIn = (text: string) => text.split(/\s+/);

/** The words for each field, the likeliest first: only letters and digits, in lower case. */
const familiar: Partial<Record<LineField, readonly string[]>> = {
  content: [
    ...pairs(review, wordsIn('text content body message')),
    ...wordsIn('review testimonial feedback yourreview yourtestimonial yourfeedback quote'),
    ...pairs(review, wordsIn('comment comments description')),
  ],
  'author.name': [
    ...pairs(person, wordsIn('fullname displayname name nickname username')),
    ...wordsIn('reviewer author customer client user by'),
  ],
  'author.email': pairs(person, wordsIn('email emailaddress mail')),
  'author.company': pairs(person, wordsIn('company companyname organization organisation employer')),
  rating: pairs(review, wordsIn('rating stars starrating score numberofstars ratingstars')),
  type: pairs(review, wordsIn('type mediatype')),
  tags: pairs(review, wordsIn('tags labels categories keywords')),
  status: pairs(review, wordsIn('status state')),
  createdAt: pairs(
    review,
    wordsIn(`date createdat created createdon datecreated createdate createdutc creationdate
      createtime submittedat submitted submissiondate submissiontime datesubmitted
      postedat dateposted publishedat publisheddate publishdate datepublished datetime timestamp time`),
  ),
};

// Where there is a text, they stand before it.
const titles = pairs(review, ['title', 'headline', 'subject', 'summary']);

/** The columns among some that look like a field, in the order in which they make it; none, where no one does. */
export function columnsLike(field: LineField, names: readonly string[]): string[] {
  const byWord = new Map(names.map((name) => [wordOf(name), name]));
  const first = (words: readonly string[]) => byWord.get(words.find((word) => byWord.has(word)) ?? '');
  const found = first(familiar[field] ?? []);
  const before = field === 'content' && found !== undefined ? first(titles) : undefined;
  if (found === undefined && field === 'author.name') {
    const parts = ['firstname', 'lastname'].map((part) => first(pairs(person, [part])));
    return parts.filter((part) => part !== undefined);
  }
  return [before, found].filter((name) => name !== undefined);
}

/** `Rating (1-5)` is `rating`. */
function wordOf(name: string): string {
  const word = name.replace(/\([^)]*\)/g, '').toLowerCase();
  return word.replace(/[^\p{L}\p{N}]/gu, '');
}
