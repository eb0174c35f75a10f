/**
 * `npm run test:explore -- --mutants`: removes a rule of docs/protocol.md from the stores and explores one
 * scenario that needs it, for at most MUTANT_SECONDS. Prints the number of schedules until a counterexample,
 * or that none was found.
 */

import type {
  IndexHead,
  IndexStore,
  StoredBits,
} from '../../functions/testimonials/list-index/index-store.ts';
import type { TestimonialStore } from '../../functions/testimonials/model/testimonial-store.ts';
import type { Backend } from '../world/backend.ts';
import type { MemoryBucket } from '../world/memory-bucket.ts';
import { Counterexample, costs, Exploration } from './exploration.ts';
import { scenarios } from './scenarios.ts';

export interface Mutant {
  /** A rule of docs/protocol.md, or the order of calls in docs/adr/0032-media-in-one-bucket.md. */
  rule: number | 'media';
  /** The wrong behaviour of the stores. */
  without: string;
  /** The name of a scenario that needs the rule. */
  scenario: string;
  weaken: (stores: Backend) => Backend;
}

const changing =
  (change: (store: TestimonialStore) => Partial<TestimonialStore>) =>
  (stores: Backend): Backend => ({
    ...stores,
    testimonials: { ...stores.testimonials, ...change(stores.testimonials) },
  });

const indexing =
  (change: (store: IndexStore) => Partial<IndexStore>) =>
  (stores: Backend): Backend => ({ ...stores, index: { ...stores.index, ...change(stores.index) } });

const keeping =
  (change: (bucket: MemoryBucket) => Partial<MemoryBucket>) =>
  (stores: Backend): Backend =>
    stores.bucket ? { ...stores, bucket: { ...stores.bucket, ...change(stores.bucket) } } : stores;

/** Replaces heads by wrong ones. */
const replacing = (change: (next: IndexHead, current: IndexHead) => IndexHead) =>
  indexing((index) => ({
    async replaceHead(organization, next) {
      const current = await index.readHead(organization);
      return index.replaceHead(organization, current ? change(next, current) : next);
    },
  }));

type Posting = Parameters<IndexStore['writePosting']>[3];

/** Writes wrong postings, derived from the stored ones. */
const writing = (
  name: 'writePosting' | 'replaceSummary',
  change: (next: Posting, current: Posting | undefined) => Posting | 'not written',
) =>
  indexing((index) => ({
    async [name](
      ...[organization, generation, ref, posting, options]: Parameters<IndexStore['writePosting']>
    ) {
      const [current] = await index.readPostings(organization, generation, [ref]);
      const next = change(posting, current);
      return next === 'not written' || index[name](organization, generation, ref, next, options);
    },
  }));

const unlessRight = (next: Posting, current: Posting | undefined) =>
  current && Buffer.compare(current.bytes, next.bytes) === 0 ? 'not written' : next;

const withoutEpochs = (found: StoredBits[]) => found.map((each) => ({ ...each, epoch: 0 }));

export const mutants: Mutant[] = [
  {
    rule: 2,
    without: 'an index update passes a free position without sealing it',
    scenario: 'create, create, index update',
    weaken: changing(({ find }) => ({ sealPosition: find })),
  },
  {
    rule: 3,
    without: 'a change is not announced',
    scenario: 'change a pending, index update, index update',
    weaken: changing(() => ({ putChangeMarkers: async () => {} })),
  },
  {
    rule: 4,
    without: 'an index update does not raise the version',
    scenario: 'change a pending, index update, index update',
    weaken: changing(() => ({ sealVersion: async () => true })),
  },
  {
    rule: 4,
    without: 'a change is made to any version',
    scenario: 'change a pending, index update, index update',
    weaken: changing(({ find, writeChange }) => ({
      async writeChange(organization, previous, next) {
        const current = await find(organization, previous.ordinal);
        return current
          ? writeChange(organization, current, { ...next, version: current.version + 1 })
          : false;
      },
    })),
  },
  {
    rule: 6,
    without: 'the marker does not keep the former tags',
    scenario: 'untag a ux, index update, index update',
    weaken: changing(({ putChangeMarkers }) => ({
      putChangeMarkers: (organization, markers) =>
        putChangeMarkers(
          organization,
          markers.map(({ formerFacets: _, ...marker }) => marker),
        ),
    })),
  },
  {
    rule: 7,
    without: 'bits do not name their epoch',
    scenario: 'change a pending, index update, lists',
    weaken: indexing(({ readTerm, readWords, readPostings }) => ({
      readTerm: async (...asked) => withoutEpochs(await readTerm(...asked)),
      readWords: async (...asked) => withoutEpochs(await readWords(...asked)),
      readPostings: async (...asked) =>
        (await readPostings(...asked)).map((each) => each && { ...each, epoch: 0 }),
    })),
  },
  {
    rule: 8,
    without: 'a posting refuses no lower epoch',
    scenario: 'change a pending, index update, index update',
    weaken: writing('writePosting', (next, current) => ({
      ...next,
      fence: Math.max(next.fence, current?.fence ?? 0),
    })),
  },
  {
    rule: 9,
    without: 'a posting with the right bits is not written',
    scenario: 'change a pending, index update, index update',
    weaken: writing('writePosting', unlessRight),
  },
  {
    rule: 11,
    without: 'a summary is written over any version',
    scenario: 'change a pending, index update, index update',
    weaken: writing('replaceSummary', (next, current) => ({ ...next, fence: (current?.fence ?? 0) + 1 })),
  },
  {
    rule: 11,
    without: 'a summary that is right is not written',
    scenario: 'change a rejected, change a approved, index update, index update, after an index update',
    weaken: writing('replaceSummary', unlessRight),
  },
  {
    rule: 13,
    without: 'a write replaces a head of any revision',
    scenario: 'change a pending, index update, index update',
    weaken: replacing((next, { revision }) => ({ ...next, revision })),
  },
  {
    rule: 15,
    without: 'covered markers are deleted at once',
    scenario: 'change a pending, index update, lists',
    weaken: replacing((next) => ({ ...next, covered: next.covered.map((each) => ({ ...each, seenAt: 0 })) })),
  },
  {
    rule: 18,
    without: 'a step does not announce how far it will write',
    scenario: 'create, index update, index update',
    weaken: replacing(({ reach: _, ...next }) => next),
  },
  {
    rule: 21,
    without: 'an old generation is deleted at once',
    scenario: 'rebuild, index update, lists, after an index update',
    weaken: replacing((next) => ({ ...next, ...(next.replaced && { replaced: { seenAt: 0 } }) })),
  },
  {
    rule: 23,
    without: 'markers count as covered after the switch',
    scenario: 'change a pending, rebuild, index update, wait 16 s, index update',
    weaken: replacing((next, { generation, covered }) =>
      next.generation === generation ? next : { ...next, covered },
    ),
  },
  {
    rule: 25,
    without: 'the epoch of the head does not continue that of the rebuild',
    scenario:
      'change a pending, rebuild of 10 bits writePosting twice, index update, arrive, after an index update',
    weaken: replacing((next, { generation, epoch }) =>
      next.generation === generation ? next : { ...next, epoch },
    ),
  },
  {
    rule: 27,
    without: 'an erasure keeps no texts',
    scenario: 'erase a, index update, index update',
    weaken: changing(() => ({ putErasureTexts: async () => {} })),
  },
  {
    rule: 46,
    without: 'the head names no step that may still write, and a step that fails keeps no texts',
    scenario: 'index update, erase c, wait 12 s, index update',
    weaken: (stores) =>
      changing(({ putErasureTexts }) => ({
        putErasureTexts: (organization, texts) =>
          putErasureTexts(
            organization,
            texts.filter(({ version }) => version > 0),
          ),
      }))(replacing(({ writing: _, ...next }) => next)(stores)),
  },
  {
    rule: 29,
    without: 'any epoch deletes a posting',
    scenario: 'create, erase c, index update, index update, after an index update',
    weaken: indexing((index) => ({
      deletePosting: (organization, generation, ref) =>
        index.deletePosting(organization, generation, ref, Number.POSITIVE_INFINITY),
    })),
  },
  {
    rule: 30,
    without: 'the head does not say that a testimonial was erased',
    scenario: 'erase c, index update, index update',
    weaken: replacing(({ hasErased: _, ...next }) => next),
  },
  {
    rule: 'media',
    without: 'a copy replaces another one',
    scenario: 'try to submit, replace the upload, try to submit',
    weaken: keeping(({ copyAsDraft, remove }) => ({
      async copyAsDraft(copy) {
        await remove(copy.to);
        return copyAsDraft(copy);
      },
    })),
  },
  {
    rule: 'media',
    without: 'a copy is made of any bytes',
    scenario: 'try to submit, replace the upload, try to submit',
    weaken: keeping(({ find, copyAsDraft }) => ({
      copyAsDraft: async (copy) => copyAsDraft({ ...copy, etag: (await find(copy.from))?.etag ?? copy.etag }),
    })),
  },
  {
    rule: 'media',
    without: 'a stored testimonial does not make its copies last',
    scenario: 'submit, stream, stream',
    weaken: keeping(() => ({ keep: async () => {} })),
  },
  {
    rule: 'media',
    without: 'an erasure or a failed attempt leaves its copies',
    scenario: 'try to submit, erase the submission, stream',
    weaken: keeping(({ remove }) => ({
      remove: async (key) => (key.startsWith('in/') ? remove(key) : undefined),
    })),
  },
];

/**
 * Explores a mutant; returns the counterexample and the number of schedules until then, or undefined if there
 * is none.
 */
export async function exploreMutant(
  { scenario: name, weaken }: Mutant,
  limits: { schedules?: number; until?: number },
): Promise<{ schedules: number; found: string } | undefined> {
  const scenario = scenarios.find((each) => each.name === name);
  if (!scenario) throw new Error(`No scenario is called ${name}`);
  const exploration = new Exploration({ ...scenario, weaken });
  try {
    await exploration.play({ cost: costs.twoAnywhere, ...limits });
    return undefined;
  } catch (error) {
    if (!(error instanceof Counterexample)) throw error;
    return { schedules: exploration.schedules, found: error.message };
  }
}

/** @param only the rule whose mutants are explored, such as `7` or `media`; all by default */
export async function exploreMutants(only?: string): Promise<void> {
  console.log('| Rule | Without it | Found after |\n|--:|---|--:|');
  for (const mutant of mutants.filter(({ rule }) => only === undefined || String(rule) === only)) {
    const until = Date.now() + Number(process.env.MUTANT_SECONDS ?? '300') * 1000;
    const result = await exploreMutant(mutant, { until });
    console.log(`| ${mutant.rule} | ${mutant.without} | ${result?.schedules ?? 'nothing was found'} |`);
    if (result && process.env.MUTANT_TRACES) console.log(result.found.slice(0, 1500));
  }
}
