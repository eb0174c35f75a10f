/** The lists that are measured, by the parameters a client would send. */

import * as v from 'valibot';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { limits } from '../../functions/domain/testimonial.ts';
import { searchLimits } from '../../functions/domain/testimonial-filter.ts';
import { queryValues } from '../../functions/http/validate.ts';
import { listQuery } from '../../functions/list-testimonials/parameters.ts';
import { languages } from '../../lib/operator/sample-data/languages.ts';
import { rareTag, tags, vocabularyOf } from '../zipf/generate-testimonials.ts';

export interface MeasuredList {
  name: string;
  /** The query string; `page=middle` and `page=last` stand for these pages. */
  query: string;
  /** What it needs beyond one status and the first page; the comparison with the alternatives is about these. */
  kind: 'plain' | 'filtered' | 'deep';
  plotted?: true;
}

const english = (rank: number) => vocabularyOf('english')[rank - 1] ?? '';

/** Words by their rank in English, the most frequent first. */
const commonWord = english(1);
const rareWord = english(5000);
const twoWords = `${english(30)} ${english(90)}`;

/** The beginnings of that many letters that most words have. */
function widestBeginnings(letters: number): string[] {
  const words = new Map<string, number>();
  for (const word of Object.keys(languages).flatMap(vocabularyOf)) {
    const beginning = word.slice(0, letters);
    words.set(beginning, (words.get(beginning) ?? 0) + 1);
  }
  const widest = [...words].toSorted(([, a], [, b]) => b - a).map(([beginning]) => beginning);
  return widest.slice(0, searchLimits.words);
}

const mostTags = tags.slice(0, limits.tags.max).join(',');
const dearest = (letters: number) =>
  `status=approved&type=text&rating=1&tags=${mostTags}&search=${widestBeginnings(letters).join(' ')}`;

const everyFilter = 'status=approved&type=text&rating=4&tags=onboarding,support';

export const lists: MeasuredList[] = [
  { name: 'approved, first page', query: 'status=approved', kind: 'plain', plotted: true },
  { name: 'no filter, by rating, first page', query: 'sort=rating', kind: 'plain' },
  { name: 'no filter, by updatedAt, last page', query: 'sort=updatedAt&page=last', kind: 'deep' },
  { name: 'approved, by updatedAt, first page', query: 'status=approved&sort=updatedAt', kind: 'plain' },
  { name: 'approved, middle page', query: 'status=approved&page=middle', kind: 'deep' },
  { name: 'approved, last page', query: 'status=approved&page=last', kind: 'deep' },
  {
    name: 'approved, by rating, middle page',
    query: 'status=approved&sort=rating&page=middle',
    kind: 'deep',
  },
  {
    name: 'approved, by rating, last page',
    query: 'status=approved&sort=rating&page=last',
    kind: 'deep',
    plotted: true,
  },
  {
    name: 'approved, by updatedAt, middle page',
    query: 'status=approved&sort=updatedAt&page=middle',
    kind: 'deep',
    plotted: true,
  },
  {
    name: 'approved texts with four stars, by rating, middle page',
    query: 'status=approved&type=text&rating=4&sort=rating&page=middle',
    kind: 'deep',
  },
  {
    name: 'approved videos with four stars, by updatedAt, middle page',
    query: 'status=approved&type=video&rating=4&sort=updatedAt&page=middle',
    kind: 'deep',
  },
  {
    name: 'every filter, two tags, two words',
    query: `${everyFilter}&search=${twoWords}`,
    kind: 'filtered',
    plotted: true,
  },
  {
    name: 'every filter, two tags, two wide prefixes',
    query: `${everyFilter}&search=con pro`,
    kind: 'filtered',
  },
  { name: 'videos by updatedAt, first page', query: 'type=video&sort=updatedAt', kind: 'filtered' },
  { name: 'videos, last page', query: 'type=video&page=last', kind: 'filtered' },
  {
    name: 'audio with five stars, by updatedAt, 100 of them',
    query: 'type=audio&rating=5&sort=updatedAt&limit=100',
    kind: 'filtered',
  },
  { name: 'a common tag, middle page', query: 'tags=onboarding&page=middle', kind: 'filtered' },
  {
    name: 'a common tag, by updatedAt, middle page',
    query: 'tags=onboarding&sort=updatedAt&page=middle',
    kind: 'filtered',
  },
  {
    name: 'a common tag, by rating, middle page',
    query: 'tags=onboarding&sort=rating&page=middle',
    kind: 'filtered',
  },
  { name: `a common word (${commonWord})`, query: `search=${commonWord}`, kind: 'filtered', plotted: true },
  {
    name: 'a common word by rating, last page',
    query: `search=${commonWord}&sort=rating&page=last`,
    kind: 'filtered',
  },
  {
    name: 'a common word by updatedAt, first page',
    query: `search=${commonWord}&sort=updatedAt`,
    kind: 'filtered',
  },
  {
    name: 'a common word by updatedAt, middle page',
    query: `search=${commonWord}&sort=updatedAt&page=middle`,
    kind: 'deep',
    plotted: true,
  },
  { name: `a rare word (${rareWord})`, query: `search=${rareWord}`, kind: 'filtered' },
  { name: 'three letters (gut)', query: 'search=gut', kind: 'filtered' },
  { name: 'three letters of few words (viv)', query: 'search=viv', kind: 'filtered' },
  {
    name: 'three letters of many words (con)',
    query: 'search=con',
    kind: 'filtered',
    plotted: true,
  },
  { name: 'two letters (co)', query: 'search=co', kind: 'filtered' },
  { name: 'one letter (c)', query: 'search=c', kind: 'filtered' },
  { name: 'a tag that three have', query: `tags=${rareTag}`, kind: 'filtered', plotted: true },
  {
    name: 'every filter, 20 tags, 20 beginnings of two letters',
    query: dearest(2),
    kind: 'filtered',
  },
  {
    name: 'every filter, 20 tags, 20 beginnings of three letters',
    query: dearest(3),
    kind: 'filtered',
  },
  { name: 'nothing matches', query: 'search=qqqqqq', kind: 'filtered' },
];

/**
 * The query of a list, whose middle or last page depends on the total.
 * @param isAsked false for lists that are not to be asked, not even for their total
 */
export async function queryOf(
  { query: text }: MeasuredList,
  ask: (query: ListQuery) => Promise<{ total: number }>,
  isAsked: (first: ListQuery) => boolean = () => true,
): Promise<ListQuery | undefined> {
  const parse = (page: number) =>
    v.parse(listQuery, queryValues(text.replace(/page=(last|middle)/, `page=${page}`))).query;
  const first = parse(1);
  if (!isAsked(first)) return undefined;
  if (!/page=(last|middle)/.test(text)) return first;
  const last = Math.max(1, Math.ceil((await ask(first)).total / first.limit));
  return parse(text.includes('page=middle') ? Math.ceil(last / 2) : last);
}
