import { describe, expect, test } from '@jest/globals';
import { type ListQuery, NotReady } from '../../../functions/domain/list-query.ts';
import { NewerTerms } from '../../../functions/domain/outcomes.ts';
import { facetTerm, sinceOfFacet, termRules, textRules } from '../../../functions/domain/terms.ts';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import { emptyChunk } from '../../../functions/testimonials/list-index/bits/bitmap.ts';
import { encodePosting } from '../../../functions/testimonials/list-index/bits/posting-codec.ts';
import type { IndexHead } from '../../../functions/testimonials/list-index/index-store.ts';
import { planList } from '../../../functions/testimonials/list-index/read/plan.ts';
import {
  canAnswer,
  parseTermsVersion,
  termsVersion,
  writtenByUs,
} from '../../../functions/testimonials/list-index/terms-version.ts';
import { updateIndex, wholeTail } from '../../../functions/testimonials/list-index/write/update-index.ts';
import { newerVersionGraceMs, settledMs } from '../../../functions/timing.ts';
import { position } from '../../position.ts';
import { input } from '../../testimonials.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { approvedAmazing, base, expectRightLists, queries } from '../../world/races.ts';
import { createWorld } from '../../world/world.ts';

const { rules, unicode } = parseTermsVersion(termsVersion);
const older = `${rules}.${textRules - 1}/${unicode}`;
const newer = `${rules + 1}.${rules + 1}/${unicode}`;
const beforeTags = sinceOfFacet(facetTerm('tag', 'ux')) - 1;

test('no line of the rules ever changes, because existing indexes follow it', () => {
  expect(termRules.slice(0, 8)).toEqual([
    ['status', 'type', 'rating', 'texts'],
    ['texts'],
    ['texts'],
    ['texts'],
    ['tag'],
    ['texts'],
    ['texts'],
    ['texts'],
  ]);
  expect(['status=x', 'rating=1', 'tag=x', 'all'].map(sinceOfFacet)).toEqual([1, 1, 5, 1]);
});

test('the version of terms is the rules of facets, the rules of texts and Unicode', () => {
  expect(termsVersion).toMatch(/^\d+\.\d+\/\d/);
  expect(parseTermsVersion('5.4/17.0')).toEqual({ rules: 5, texts: 4, unicode: '17.0' });
  expect(parseTermsVersion('4/16.0')).toEqual({ rules: 4, texts: 4, unicode: '16.0' });
});

test('a version serves a facet from the rules that added it on, and texts only with the same rules of texts', () => {
  const facets = (since: number) => ({ rules: since, texts: false });
  expect([4, 5].map((since) => canAnswer('4.4/17.0', facets(since)))).toEqual([true, false]);
  const search = { rules: 1, texts: true };
  const versions = [older, `${rules + 1}.${textRules}/99.0`, newer, `${rules}.0/${unicode}`];
  expect(versions.map((terms) => canAnswer(terms, search))).toEqual([false, true, false, false]);
});

test('a version records that texts follow several rules, and nothing else', () => {
  expect(writtenByUs('1.1/9.0')).toBe('1.0/9.0');
  expect(writtenByUs(`1.${textRules}/9.0`)).toBe(`1.${textRules}/9.0`);
});

/** An organization that another version has indexed. */
async function indexedBy(terms: string) {
  const backend = inMemoryBackend();
  const world = await createWorld(backend);
  const statuses = ['approved', 'pending', 'rejected'] as const;
  for (let i = 0; i < 12; i += 1) {
    const { id } = await world.create({ ...input, rating: (i % 5) + 1, tags: [`tag-${i % 3}`] });
    await world.setStatus(id, statuses[i % 3] ?? 'pending');
  }
  await world.settle();
  const head = await backend.index.readHead('acme');
  if (!head) throw new Error('No head');
  await backend.index.replaceHead('acme', { ...head, terms });
  return { backend, world };
}

/** Filters that read texts. */
const isOfTexts: Record<keyof TestimonialFilter, boolean> = {
  status: false,
  type: false,
  rating: false,
  search: true,
  tags: true,
};
const asksForTexts = ({ filter }: ListQuery) =>
  Object.entries(isOfTexts).some(([name, is]) => is && name in filter);

describe('an index that another version made', () => {
  test.each<[string, string, (query: ListQuery) => boolean]>([
    ['by older rules of texts: lists by what people wrote', older, asksForTexts],
    ['by newer rules of texts: lists by what people wrote', newer, asksForTexts],
    ['by several rules of texts: lists by what people wrote', `${rules}.0/${unicode}`, asksForTexts],
    [
      'from before a facet: lists by that facet',
      `${beforeTags}.${textRules}/${unicode}`,
      (query) => planList(query).needs.rules > beforeTags,
    ],
    ['by newer Unicode alone: no lists', `${rules}.${textRules}/99.0`, () => false],
  ])('%s get a 503, and every other list is right', async (_, terms, isNotReady) => {
    const { world } = await indexedBy(terms);
    for (const query of queries) {
      if (isNotReady(query)) await expect(world.list(query)).rejects.toThrow(NotReady);
      else expect(await world.list(query)).toEqual(await world.expected(query));
    }
  });

  test('older: it is updated, and its head says that its texts follow several rules until a rebuild (rule 32)', async () => {
    const { world } = await indexedBy(older);
    await world.create(input);
    await world.settle();
    expect(await world.head()).toMatchObject({ indexed: position(14), terms: `${rules}.0/${unicode}` });
    await world.rebuild();
    expect(await world.head()).toMatchObject({ terms: termsVersion });
    await expectRightLists(world);
  });

  test('newer: nothing is written into it, and a rebuild by this version replaces it (rule 32)', async () => {
    const { backend, world } = await indexedBy(newer);
    await world.create(input);
    world.advance(settledMs);
    const keep = () => updateIndex({ ...backend, now: world.now }, 'acme', wholeTail);
    await expect(keep()).rejects.toThrow(NewerTerms);
    expect(await world.head()).toMatchObject({ indexed: position(13), terms: newer });
    await world.rebuild();
    await world.settle();
    expect(await world.head()).toMatchObject({ indexed: position(14), terms: termsVersion });
    await expectRightLists(world);
  });

  test('newer, and that version was rolled back: after ten minutes this version rebuilds it (rule 32)', async () => {
    const { world } = await indexedBy(newer);
    const [{ id = '' } = {}] = (await world.list(base)).testimonials;
    await world.erase(id);
    world.advance(newerVersionGraceMs - 1);
    await world.updateIndex();
    expect(await world.head()).toMatchObject({ terms: newer });
    expect(await world.head()).not.toHaveProperty('building');
    world.advance(1);
    await world.updateIndex();
    await world.settle();
    expect(await world.head()).toMatchObject({ terms: termsVersion });
    expect(await world.markers()).toEqual([]);
    expect(await world.differences()).toEqual([]);
    await expectRightLists(world);
  });

  test('keeps members of the head that this version does not know, at every level, through index updates', async () => {
    const { backend, world } = await indexedBy(termsVersion);
    const [{ id = '' } = {}] = (await world.list(base)).testimonials;
    await world.setStatus(id, 'rejected');
    await world.updateSettled();
    await world.leaveRebuild(newer, 20);
    await world.replaceHead(
      (head) =>
        ({
          ...head,
          ofTomorrow: 1,
          covered: head.covered.map((each) => ({ ...each, ofTomorrow: 2 })),
          building: head.building && Object.assign({}, head.building, { ofTomorrow: 3 }),
          replaced: { ofTomorrow: 4 },
        }) as IndexHead,
    ); // and more
    await world.setStatus(id, 'approved');
    expect(await world.updateSettled()).toMatchObject({ changes: 1 });
    expect(await backend.index.readHead('acme')).toMatchObject({
      ofTomorrow: 1,
      covered: [{ ofTomorrow: 2 }, {}],
      building: { ofTomorrow: 3 },
      replaced: { ofTomorrow: 4 },
    });
  });

  test('updates it while a list searches: the list also gets a 503 (rule 32)', async () => {
    const { backend, world } = await indexedBy(termsVersion);
    const work = world.works.list(approvedAmazing);
    const list = world.begin(work);
    await list.runUntil('readWords');
    // Writes and says so, as a version with other text rules would, after the list has read the head.
    const head = await world.head();
    if (!head) throw new Error('No head');
    const epoch = head.epoch + 1;
    await backend.index.replaceHead('acme', { ...head, epoch, terms: `${rules}.0/${unicode}` });
    const ref = { posting: { kind: 'word', word: 'amazed' } as const, chunk: 0 };
    const bytes = encodePosting(emptyChunk());
    await backend.index.writePosting('acme', head.generation, ref, { bytes, fence: epoch });
    await expect(list.run()).rejects.toThrow(NotReady);
  });
});
