/** The lists that are measured, by the parameters a client would send. */
import { rareTag, vocabularyOf } from '../../lib/sample-data/generate-testimonials.ts';

export interface MeasuredList {
  name: string;
  /** The query string; `page=middle` and `page=last` stand for these pages. */
  query: string;
  /** What it needs beyond one status and the first page; the comparison with the alternatives is about these. */
  kind: 'plain' | 'filtered' | 'deep';
}

const english = (rank: number) => vocabularyOf('english')[rank - 1] ?? '';

/** Words by their rank in English, the most frequent first. */
const commonWord = english(1);
const rareWord = english(5000);
const twoWords = `${english(30)} ${english(90)}`;

const everyFilter = 'status=approved&type=text&rating=4&tags=onboarding,support';

export const lists: MeasuredList[] = [
  { name: 'approved, first page', query: 'status=approved', kind: 'plain' },
  { name: 'no filter, by rating, first page', query: 'sort=rating', kind: 'plain' },
  { name: 'approved, by updatedAt, first page', query: 'status=approved&sort=updatedAt', kind: 'plain' },
  { name: 'approved, last page', query: 'status=approved&page=last', kind: 'deep' },
  {
    name: 'approved, by rating, middle page',
    query: 'status=approved&sort=rating&page=middle',
    kind: 'deep',
  },
  { name: 'approved, by rating, last page', query: 'status=approved&sort=rating&page=last', kind: 'deep' },
  { name: 'approved, by updatedAt, page 40', query: 'status=approved&sort=updatedAt&page=40', kind: 'deep' },
  { name: 'every filter, two tags, two words', query: `${everyFilter}&search=${twoWords}`, kind: 'filtered' },
  {
    name: 'every filter, two tags, two wide prefixes',
    query: `${everyFilter}&search=con pro`,
    kind: 'filtered',
  },
  { name: 'videos by updatedAt, first page', query: 'type=video&sort=updatedAt', kind: 'filtered' },
  { name: `a common word (${commonWord})`, query: `search=${commonWord}`, kind: 'filtered' },
  { name: `a rare word (${rareWord})`, query: `search=${rareWord}`, kind: 'filtered' },
  { name: 'a rare prefix of three letters (gut)', query: 'search=gut', kind: 'filtered' },
  { name: 'the widest prefix of three letters (con)', query: 'search=con', kind: 'filtered' },
  { name: 'two letters (co)', query: 'search=co', kind: 'filtered' },
  { name: 'one letter (c)', query: 'search=c', kind: 'filtered' },
  { name: 'a tag that three have', query: `tags=${rareTag}`, kind: 'filtered' },
  { name: 'nothing matches', query: 'search=qqqqqq', kind: 'filtered' },
];
