/** The lists that are measured, by the parameters a client would send. */

import * as v from 'valibot';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { limits } from '../../functions/domain/testimonial.ts';
import { searchLimits } from '../../functions/domain/testimonial-filter.ts';
import { queryValues } from '../../functions/http/validate.ts';
import { listQuery } from '../../functions/list-testimonials/parameters.ts';
import languages from '../../lib/operator/sample-data/languages.json' with { type: 'json' };
import { rareTag, tags, vocabularyOf } from '../zipf/generate-testimonials.ts';

export interface MeasuredList {
  name: string;
  /** The query string; `page=middle` and `page=last` stand for these pages. */
  query: string;
}

const english = (rank: number) => vocabularyOf('english')[rank - 1] ?? '';

/** Words by their rank in English, the most frequent first. */
const commonWord = english(1);
const rareWord = english(5000);
const twoWords = `${english(30)} ${english(90)}`;

/** Returns the word beginnings of a given length that most words have. */
function widestBeginnings(letters: number): string[] {
  const words = new Map<string, number>();
  for (const word of Object.keys(languages).flatMap(vocabularyOf)) {
    const beginning = word.slice(0, letters);
    words.set(beginning, (words.get(beginning) ?? 0) + 1);
  }
  const widest = [...words].toSorted(([, a], [, b]) => b - a).map(([beginning]) => beginning);
  return widest.slice(0, searchLimits.words);
}

const maxTags = tags.slice(0, limits.tags.max).join(',');
const dearest = (letters: number) =>
  `status=approved&type=text&rating=1&tags=${maxTags}&search=${widestBeginnings(letters).join(' ')}`;

const everyFilter = 'status=approved&type=text&rating=4&tags=onboarding,support';

/** In the order of the tables. */
const rows: [name: string, query: string][] = [
  ['approved, first page', 'status=approved'],
  ['no filter, by rating, first page', 'sort=rating'],
  ['no filter, by updatedAt, last page', 'sort=updatedAt&page=last'],
  ['approved, by updatedAt, first page', 'status=approved&sort=updatedAt'],
  ['approved, middle page', 'status=approved&page=middle'],
  ['approved, last page', 'status=approved&page=last'],
  ['approved, by rating, middle page', 'status=approved&sort=rating&page=middle'],
  ['approved, by rating, last page', 'status=approved&sort=rating&page=last'],
  ['approved, by updatedAt, middle page', 'status=approved&sort=updatedAt&page=middle'],
  [
    'approved texts with four stars, by rating, middle page',
    'status=approved&type=text&rating=4&sort=rating&page=middle',
  ],
  [
    'approved videos with four stars, by updatedAt, middle page',
    'status=approved&type=video&rating=4&sort=updatedAt&page=middle',
  ],
  ['every filter, two tags, two words', `${everyFilter}&search=${twoWords}`],
  ['every filter, two tags, two wide prefixes', `${everyFilter}&search=con pro`],
  ['videos by updatedAt, first page', 'type=video&sort=updatedAt'],
  ['videos, last page', 'type=video&page=last'],
  ['audio with five stars, by updatedAt, 100 of them', 'type=audio&rating=5&sort=updatedAt&limit=100'],
  ['a common tag, middle page', 'tags=onboarding&page=middle'],
  ['a common tag, by updatedAt, middle page', 'tags=onboarding&sort=updatedAt&page=middle'],
  ['a common tag, by rating, middle page', 'tags=onboarding&sort=rating&page=middle'],
  [`a common word (${commonWord})`, `search=${commonWord}`],
  ['a common word by rating, last page', `search=${commonWord}&sort=rating&page=last`],
  ['a common word by updatedAt, first page', `search=${commonWord}&sort=updatedAt`],
  ['a common word by updatedAt, middle page', `search=${commonWord}&sort=updatedAt&page=middle`],
  [`a rare word (${rareWord})`, `search=${rareWord}`],
  ['a rare word by updatedAt', `search=${rareWord}&sort=updatedAt`],
  ['three letters (gut)', 'search=gut'],
  ['three letters of few words (viv)', 'search=viv'],
  ['three letters of many words (con)', 'search=con'],
  ['two letters (co)', 'search=co'],
  ['one letter (c)', 'search=c'],
  ['a tag that three have', `tags=${rareTag}`],
  ['every filter, 20 tags, 20 beginnings of two letters', dearest(2)],
  ['every filter, 20 tags, 20 beginnings of three letters', dearest(3)],
  ['nothing matches', 'search=qqqqqq'],
];
export const lists = rows.map(([name, query]): MeasuredList => ({ name, query }));

/** Parses the query of a list; a middle or last page becomes the given page. */
function queryOfPage({ query }: Pick<MeasuredList, 'query'>, page = 1): ListQuery {
  return v.parse(listQuery, queryValues(query.replace(/page=(last|middle)/, `page=${page}`))).query;
}

/** Parses the query of a list, and finds its middle or last page by asking for the total. */
export async function queryOf(
  list: Pick<MeasuredList, 'query'>,
  ask: (query: ListQuery) => Promise<{ total: number }>,
): Promise<ListQuery> {
  const first = queryOfPage(list);
  if (!/page=(last|middle)/.test(list.query)) return first;
  const last = Math.max(1, Math.ceil((await ask(first)).total / first.limit));
  return queryOfPage(list, list.query.includes('page=middle') ? Math.ceil(last / 2) : last);
}
