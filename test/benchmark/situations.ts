/** Measures lists where much has changed that the index does not have yet, where texts are long, and the dearest that a search finds. */
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { limits } from '../../functions/domain/testimonial.ts';
import { attemptEach } from '../../functions/operations/attempts.ts';
import { changeTestimonial } from '../../functions/operations/change-testimonial.ts';
import { ListMemory, listTestimonials } from '../../functions/operations/list-testimonials.ts';
import { type Cost, costMeter } from '../../functions/persistence/cost-meter.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { Dice } from '../../lib/operator/sample-data/generate-testimonials.ts';
import { knowing } from '../world/known-heads.ts';
import { generateTestimonials, tags, vocabularyOf } from '../zipf/generate-testimonials.ts';
import { type EmbeddedDynamoDb, engine, organization } from './engine.ts';
import { type MeasuredList, queryOf, queryOfPage } from './lists.ts';
import { loadIndexed } from './load.ts';
import { writeUnitsOf } from './write-units.ts';

/** A list by functions that know nothing, the index head alone, what there was before something changed, and all that there is. */
export interface Situation {
  what: string;
  list: string;
  size: number;
  cold: Cost;
  headKnown: Cost;
  /** Absent where nothing was asked before. */
  warm?: Cost;
  again: Cost;
}

export interface DearestList {
  query: string;
  matches: number;
  size: number;
  cost: Cost;
}

/** What a long text writes. */
export interface LongWrite {
  what: string;
  table: number;
  indexes: number;
}

const firstPage: MeasuredList = { name: 'approved, first page', query: 'status=approved' };
const besideChanges: MeasuredList[] = [
  firstPage,
  { name: 'approved, by rating, middle page', query: 'status=approved&sort=rating&page=middle' },
];
// What is asked of a function that has answered the first page.
const afterThat: MeasuredList[] = [
  { name: 'page 2 of it', query: 'status=approved&page=2' },
  { name: 'pending, first page', query: 'status=pending' },
  { name: 'approved with five stars, first page', query: 'status=approved&rating=5' },
];
const ofLongTexts: MeasuredList[] = [
  { name: 'page 5 of 25', query: 'page=5&limit=25' },
  { name: 'videos by updatedAt, 100', query: 'type=video&sort=updatedAt&limit=100' },
  { name: 'audio, five stars, by updatedAt, 100', query: 'type=audio&rating=5&sort=updatedAt&limit=100' },
];

const numbersOfChanges = [0, 1, 20, 100, 400, 2000];
const changesOneByOne = 20;
const longTexts = 600;
const manyWords = 54_000;
const wordsAText = 1000;

/** Lists by a function that has answered another of the same organization. */
export async function measureAfterAnother(database: EmbeddedDynamoDb, size: number): Promise<Situation[]> {
  const lister = listerOf(database);
  const results: Situation[] = [];
  for (const list of afterThat) {
    const memory = new ListMemory();
    await lister.list(firstPage, memory);
    const what = `asked after “${firstPage.name}”`;
    results.push({ what, size, ...(await lister.measure(list, memory)) });
  }
  return results;
}

/** Lists beside changes that no index update has taken up. */
export async function measureBesideChanges(
  database: EmbeddedDynamoDb,
  size: number,
  most: number,
): Promise<Situation[]> {
  const lister = listerOf(database);
  const table = database.open();
  const deps = { testimonials: testimonialStore(table), now: table.now };
  const ids = await lister.ids('status=pending&order=asc', most + changesOneByOne);
  const change = async (some: string[]) => {
    const items = some.map((id) => ({ id }));
    const { done } = await attemptEach(
      items,
      async () =>
        ({ id }) =>
          changeTestimonial(deps, organization, id, { status: 'rejected' }),
    );
    if (done.length < some.length) throw new Error(`${done.length} of ${some.length} were changed`);
  };
  const results: Situation[] = [];
  const memories = new Map(besideChanges.map((list) => [list, new ListMemory()]));
  for (const [list, memory] of memories) await lister.list(list, memory);
  let changed = 0;
  for (const number of numbersOfChanges.filter((each) => each <= most)) {
    await change(ids.slice(changed, number));
    changed = number;
    for (const [list, memory] of memories) {
      const what = `${number} ${number === 1 ? 'change' : 'changes'} outstanding`;
      results.push({ what, size, ...(await lister.measure(list, memory)) });
    }
    if (number !== changesOneByOne) continue;
    for (const [list, memory] of memories) {
      const each: Cost[] = [];
      for (let i = 0; i < changesOneByOne; i += 1) {
        changed += 1;
        await change(ids.slice(changed - 1, changed));
        each.push(await lister.list(list, memory));
      }
      const [median] = each.toSorted((a, b) => a.units - b.units).slice(changesOneByOne / 2);
      const { warm, ...measured } = await lister.measure(list, memory);
      const what = `a change before each list, ${changesOneByOne} and more outstanding`;
      const beside = median ?? warm;
      results.push({ what, size, ...measured, ...(beside && { warm: beside }) });
    }
  }
  return results;
}

/** Lists of long texts, and what such a text writes. */
export async function measureLongTexts(
  database: EmbeddedDynamoDb,
): Promise<{ lists: Situation[]; writes: LongWrite[] }> {
  const words: [number, number] = [2500, 2500];
  const generated = [...generateTestimonials(longTexts, { words, seed: 5 })];
  await loadIndexed(database.open(), organization, longTexts, () => {}, generated);
  const lister = listerOf(database);
  const what = `texts of ${limits.content.max.toLocaleString('en')} letters`;
  const lists: Situation[] = [];
  for (const list of ofLongTexts) lists.push({ what, size: longTexts, ...(await lister.measure(list)) });
  const created = generated.find(({ testimonial }) => testimonial.content.length === limits.content.max);
  if (!created) throw new Error('No text is as long as it can be');
  return { lists, writes: writesOf(created) };
}

/** A search for the beginning that many words have, each of which is in one text: what its organization pays for. */
export async function measureManyWords(database: EmbeddedDynamoDb): Promise<Situation> {
  const wordsIn = (text: number) =>
    Array.from(
      { length: wordsAText },
      (_, i) => `con${(text * wordsAText + i).toString(36).padStart(4, '0')}`,
    );
  const texts = manyWords / wordsAText;
  const generated = Array.from(generateTestimonials(texts, { seed: 6 }), (stored, i) => ({
    ...stored,
    testimonial: { ...stored.testimonial, content: wordsIn(i).join(' ') },
  }));
  await loadIndexed(database.open(), organization, texts, () => {}, generated);
  const list = { name: 'search=con', query: 'search=con' };
  const what = `${manyWords.toLocaleString('en')} words that begin so`;
  return { what, size: texts, ...(await listerOf(database).measure(list)) };
}

function writesOf(stored: StoredTestimonial): LongWrite[] {
  const { testimonial, updateOrdinal } = stored;
  const before: StoredTestimonial = { ...stored, testimonial: { ...testimonial, status: 'pending' } };
  const after: StoredTestimonial = {
    ...before,
    testimonial: { ...testimonial, status: 'approved', updatedAt: '2027-01-01T00:00:00.000Z' },
    updateOrdinal: updateOrdinal + 1_000_000,
    previousUpdateOrdinal: updateOrdinal,
    version: before.version + 1,
  };
  return [
    { what: 'created', ...writeUnitsOf(undefined, before) },
    { what: 'changed', ...writeUnitsOf(before, after) },
  ];
}

/** The dearest lists that a search by chance finds: of random ones the worst are varied. */
export async function findDearest(
  database: EmbeddedDynamoDb,
  size: number,
  tries: number,
): Promise<DearestList[]> {
  const lister = listerOf(database);
  const dice = new Dice(26);
  const found: (DearestList & { parts: Record<string, string> })[] = [];
  for (let i = 0; i < tries; i += 1) {
    const worst = found.slice(0, 5);
    const from = i % 3 > 0 && worst.length > 0 ? dice.oneOf(worst).parts : {};
    const parts = varied(from, dice);
    const query = new URLSearchParams(parts).toString().replaceAll('+', '%20');
    const cost = await lister.list({ query }, new ListMemory());
    found.push({ query: decodeURIComponent(query), matches: lister.total(), size, cost, parts });
    found.sort((a, b) => b.cost.units - a.cost.units);
    found.splice(20);
  }
  const shown = new Map(found.map(({ parts, ...each }) => [each.query, each]));
  return [...shown.values()].slice(0, 5);
}

/** One of its parameters is drawn anew, or more where it has none yet. */
function varied(parts: Record<string, string>, dice: Dice): Record<string, string> {
  const words = vocabularyOf('english');
  const someWord = () => words[Math.floor(words.length ** dice.random()) - 1] ?? 'the';
  const draw: Record<string, () => string> = {
    status: () => dice.oneOf(['', 'approved', 'pending', 'rejected']),
    type: () => dice.oneOf(['', 'text', 'video', 'audio']),
    rating: () => dice.oneOf(['', '1', '3', '4', '5']),
    tags: () => Array.from({ length: dice.between(0, 3) }, () => dice.oneOf(tags)).join(','),
    search: () =>
      Array.from({ length: dice.between(0, 2) }, () => someWord().slice(0, dice.between(1, 8))).join(' '),
    sort: () => dice.oneOf(['createdAt', 'updatedAt', 'rating']),
    order: () => dice.oneOf(['asc', 'desc']),
    page: () => dice.oneOf(['1', '2', 'middle', 'last']),
    limit: () => dice.oneOf(['1', '25', '100']),
  };
  const names = Object.keys(draw);
  const drawn = Object.keys(parts).length === 0 ? names : [dice.oneOf(names), dice.oneOf(names)];
  const next = { ...parts, ...Object.fromEntries(drawn.map((name) => [name, draw[name]?.() ?? ''])) };
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''));
}

/** Asks lists by functions that remember what they are given. */
function listerOf(database: EmbeddedDynamoDb) {
  const table = database.open();
  const meter = costMeter(table.client);
  const stores = { testimonials: testimonialStore(table), index: indexStore(table) };
  const resolving = engine(database);
  let total = 0;
  const list = async (asked: Pick<MeasuredList, 'query'>, memory: ListMemory): Promise<Cost> => {
    const resolved = await queryOf(asked, resolving.list);
    meter.reset();
    ({ total } = await listTestimonials({ ...stores, memory }, organization, resolved));
    return meter.cost();
  };
  return {
    list,
    total: () => total,
    /** @param memory of a function that was asked before */
    async measure(asked: MeasuredList, memory?: ListMemory): Promise<Omit<Situation, 'what' | 'size'>> {
      const knowsAll = new ListMemory();
      const cold = await list(asked, knowsAll);
      const { head } = knowsAll.of(organization);
      const headKnown = await list(asked, knowing(head ? [[organization, head]] : []));
      const warm = memory && { warm: await list(asked, memory) };
      return { list: asked.name, cold, headKnown, ...warm, again: await list(asked, memory ?? knowsAll) };
    },
    async ids(query: string, count: number): Promise<string[]> {
      const ids: string[] = [];
      for (let page = 1; ids.length < count; page += 1) {
        const { ids: found } = await resolving.list(
          queryOfPage({ query: `${query}&limit=100&page=${page}` }),
        );
        if (found.length === 0) break;
        ids.push(...found);
      }
      return ids.slice(0, count);
    },
  };
}
