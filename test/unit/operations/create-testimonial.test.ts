import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MediaClaim } from '../../../functions/domain/outcomes.ts';
import type { TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { ListMemory } from '../../../functions/testimonials/list-index/read/memory.ts';
import { updateIndex, wholeTail } from '../../../functions/testimonials/list-index/write/update-index.ts';
import { changeTestimonial } from '../../../functions/testimonials/operations/change-testimonial.ts';
import { createTestimonial } from '../../../functions/testimonials/operations/create-testimonial.ts';
import { eraseTestimonial } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { listTestimonials } from '../../../functions/testimonials/operations/list-testimonials.ts';
import { position } from '../../position.ts';
import { storedAt, input as usual } from '../../testimonials.ts';
import { around } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { Process } from '../../world/process.ts';
import { base } from '../../world/queries.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');
const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const input: TestimonialInput = { ...usual, rating: 5, tags: ['a', 'b'] };
const page = '0123456789abcdefABCDEF';
/** A create by a form. */
const form = { organization: 'acme', input, idempotencyKey: 'form key', form: page };

/** Returns stores, a clock to set, and a create in organization `acme`. */
function service() {
  const backend = inMemoryBackend();
  const clock = { afterMs: 0 };
  const calls: string[] = [];
  const watched = around(backend, (name, call) => {
    calls.push(name);
    return call();
  });
  const rows = async () => (await Array.fromAsync(backend.testimonials.from('acme', 0))).flat();
  const stored = async () => (await rows()).map((each) => each.testimonial);
  let random = 100_000_000_000;
  const deps = {
    ...watched,
    now: () => new Date(start + clock.afterMs),
    randomInt: () => {
      random += 1;
      return random;
    },
  };
  const requestOf = (idempotencyKey?: string, body: TestimonialInput = input) => ({
    organization: 'acme',
    input: body,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  const create = (...request: Parameters<typeof requestOf>) => createTestimonial(deps, requestOf(...request));
  /** Begins a create and pauses it before its first call. */
  const begin = (request: Parameters<typeof createTestimonial>[1] = requestOf()) =>
    new Process('create', backend).begin((stores) => createTestimonial({ ...deps, ...stores }, request));
  const list = (page = 1, limit = 100) =>
    listTestimonials({ ...backend, memory: new ListMemory() }, 'acme', { ...base, page, limit });
  return { backend, clock, calls, rows, stored, deps, requestOf, create, begin, list };
}

type Service = ReturnType<typeof service>;
type Step = 'reserveOrdinals' | 'claim' | 'insert';
interface Stop {
  step: Step;
  moment: 'before' | 'after';
  name: string;
}
const stopsAt = (...steps: Step[]): Stop[] =>
  steps.flatMap((step) =>
    (['before', 'after'] as const).map((moment) => ({ step, moment, name: `${moment} ${step}` })),
  );

/** Runs a create and stops it before or after a step. */
async function stop(process: Process, { step, moment }: Pick<Stop, 'step' | 'moment'>): Promise<void> {
  const before = process.calls.length;
  await process.runUntil(step);
  if (moment === 'after') await process.run(1);
  expect(process.calls.slice(before).includes(step)).toBe(moment === 'after');
  process.kill();
}

describe('a create stopped', () => {
  test.each(stopsAt('reserveOrdinals', 'insert'))(
    '$name, without a key, leaves one testimonial or none',
    async ({ name, ...where }) => {
      const { begin, create, list } = service();
      await stop(begin(), where);
      const written = name === 'after insert' ? 1 : 0;
      const { testimonials, total } = await list();
      expect(testimonials).toMatchObject(Array(written).fill(input));
      expect(total).toBe(written);
      await create();
      expect((await list()).total).toBe(written + 1);
    },
  );

  test.each(stopsAt('reserveOrdinals', 'claim', 'insert'))(
    '$name is completed exactly once by a retry with the same key',
    async ({ name, ...where }) => {
      const { begin, clock, deps, list, rows } = service();
      await stop(begin(form), where);
      expect((await list()).total).toBe(name === 'after insert' ? 1 : 0);
      clock.afterMs = hourMs;
      const { testimonial } = await createTestimonial(deps, form);
      expect(testimonial).toMatchObject({ ...input, status: 'pending' });
      expect(await createTestimonial(deps, form)).toEqual({ testimonial, replayed: true });
      expect(await list()).toMatchObject({ testimonials: [testimonial], total: 1 });
      // Consent was given when the testimonial was created, not when the request was first sent.
      expect(await rows()).toMatchObject([{ consent: { page, at: testimonial.createdAt } }]);
    },
  );

  test.each(stopsAt('reserveOrdinals', 'claim', 'insert'))(
    '$name and a retry with another body give one testimonial and one error',
    async ({ name, step, moment }) => {
      const { begin, create, list, requestOf } = service();
      await stop(begin(requestOf('k')), { step, moment });
      const isClaimed = step === 'insert' || name === 'after claim';
      const outcomes = [];
      for (const body of [{ ...input, rating: 1 }, input]) {
        outcomes.push(...(await Promise.allSettled([create('k', body)])));
      }
      const made = isClaimed ? ['rejected', 'fulfilled'] : ['fulfilled', 'rejected'];
      expect(outcomes.map(({ status }) => status)).toEqual(made);
      expect((await list()).total).toBe(1);
    },
  );
});

test('a create by a form stores the page and the time of consent, returns neither, and has its key on every page', async () => {
  const { create, deps, rows } = service();
  const { testimonial } = await createTestimonial(deps, form);
  expect(await rows()).toMatchObject([{ testimonial, consent: { page, at: testimonial.createdAt } }]);
  expect(JSON.stringify(testimonial)).not.toContain(page);
  const again = await createTestimonial(deps, { ...form, form: page.toLowerCase() });
  expect(again).toEqual({ testimonial, replayed: true });
  await create('another key');
  expect((await rows())[1]).not.toHaveProperty('consent');
});

describe('a create whose position holds another testimonial (rule 1)', () => {
  const other = (ordinal: number) =>
    storedAt(ordinal, { id: `test_999999999999${ordinal}`, content: "A stranger's words" });

  test.each([undefined, 'key'])(
    'reports the position, uses the next one, and returns its own testimonial, key %s',
    async (key) => {
      const { backend, stored, create, deps } = service();
      const told: unknown[] = [];
      Object.assign(deps, { onPositionTaken: (...place: unknown[]) => told.push(place) });
      await backend.testimonials.insert('acme', other(position(1)));
      await backend.testimonials.insert('acme', other(position(2)));
      const { testimonial, replayed } = await create(key);
      expect([ordinalOf(testimonial.id), testimonial.content, replayed]).toEqual([
        position(3),
        input.content,
        false,
      ]);
      expect(told).toEqual([1, 2].map((nth) => ['acme', position(nth)]));
      expect(await stored()).toHaveLength(3);
      if (key !== undefined) expect(await create(key)).toEqual({ testimonial, replayed: true });
    },
  );

  test('also uses the next position if the other testimonial was erased', async () => {
    const { backend, create } = service();
    await backend.testimonials.insert('acme', other(position(1)));
    await backend.testimonials.erase('acme', other(position(1)), {
      updateOrdinal: position(2),
      time: '2026-01-15T10:00:00.000Z',
    });
    expect(ordinalOf((await create()).testimonial.id)).toBe(position(2));
  });

  test('never returns the other testimonial for a key whose request stopped early', async () => {
    const { backend, create, deps } = service();
    const stopping = { ...backend.testimonials, insert: () => Promise.reject(new Error('stopped')) };
    const request = { organization: 'acme', input, idempotencyKey: 'key' };
    await expect(createTestimonial({ ...deps, testimonials: stopping }, request)).rejects.toThrow('stopped');
    await backend.testimonials.insert('acme', other(position(1)));
    const { testimonial } = await create('key');
    expect([ordinalOf(testimonial.id), testimonial.content]).toEqual([position(2), input.content]);
    expect((await create('key')).testimonial).toEqual(testimonial);
  });
});

test('ordinal order is createdAt order, even if the clock goes back (rule 1)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -dayMs, max: dayMs }), { maxLength: 20 }), async (times) => {
      const { stored, clock, create } = service();
      for (const time of times) {
        clock.afterMs = time;
        await create();
      }
      const created = (await stored()).map(({ createdAt }) => createdAt);
      expect(created).toEqual(created.toSorted());
    }),
  );
});

describe('with an idempotency key', () => {
  test('writes the key between the counter and the testimonial, and nothing for a repetition', async () => {
    const { calls, clock, create } = service();
    const first = await create('k');
    expect(calls.splice(0)).toEqual(['find', 'reserveOrdinals', 'claim', 'insert']);
    clock.afterMs = dayMs - 1000;
    expect(await create('k')).toEqual({ testimonial: first.testimonial, replayed: true });
    // The first finds the key, the second the testimonial.
    expect(calls).toEqual(['find', 'find']);
  });

  test('a repetition returns the current testimonial', async () => {
    const { backend, create } = service();
    const { testimonial } = await create('k');
    const now = () => new Date(start + 60_000);
    const change = { status: 'approved' } as const;
    const moderated = await changeTestimonial({ ...backend, now }, 'acme', testimonial.id, change);
    const { testimonial: found, replayed } = await create('k');
    expect(moderated).toMatchObject({ kind: 'done', testimonial: { ...found, status: 'approved' } });
    expect(replayed).toBe(true);
  });
});

describe('uploads that another request with the key used and deleted meanwhile', () => {
  const claim: MediaClaim = {
    named: {},
    verify: async () => ({ media: {} }),
    isGone: () => true,
    copy: async () => true,
    hasOthers: async () => false,
    keep: async () => {},
    discard: async () => {},
    remove: async () => {},
  };
  /** Creates with a key while another request with it and these words stores its testimonial. */
  const createBeside = ({ deps }: Service, words: string) => {
    const request = { organization: 'acme', idempotencyKey: 'k', media: claim };
    const verify = async () => {
      await createTestimonial(deps, { ...request, input: { ...input, content: words } });
      throw new Error('The upload is gone.');
    };
    return createTestimonial(deps, { ...request, input, media: { ...claim, verify } });
  };

  test('are not missed by a request with the same words', async () => {
    const beside = service();
    const { testimonial, replayed } = await createBeside(beside, input.content);
    expect(replayed).toBe(true);
    expect(await beside.stored()).toEqual([testimonial]);
  });

  test('fail a request with other words', async () => {
    await expect(createBeside(service(), 'These are other words.')).rejects.toThrow('The upload is gone.');
  });
});

describe('a key without its testimonial', () => {
  /**
   * Returns a service with such a key, one hour after its request paused and another testimonial was created.
   */
  async function serviceWithKeyLeft() {
    const all = service();
    const process = await all.begin(all.requestOf('k')).runUntil('insert');
    const { testimonial: next } = await all.create(undefined, { ...input, tags: [] });
    all.clock.afterMs = hourMs;
    return { ...all, process, next };
  }
  test('is completed by a repetition, at its own position', async () => {
    const { create, list, next } = await serviceWithKeyLeft();
    const { testimonial, replayed } = await create('k');
    expect({ ...testimonial, replayed }).toMatchObject({ ...input, status: 'pending', replayed: true });
    expect(testimonial.createdAt).toBe('2026-01-15T10:30:00.000Z');
    expect((await list()).testimonials).toEqual([testimonial, next]);
  });

  test.each(stopsAt('reserveOrdinals', 'claim', 'insert'))(
    'gets a new position and time, once, after the list index has passed its position, even if a repetition stopped $name',
    async ({ step, moment }) => {
      const left = await serviceWithKeyLeft();
      await updateIndex({ ...left.backend, now: left.deps.now }, 'acme', wholeTail);
      const replay = left.begin(left.requestOf('k'));
      // First it finds its position sealed.
      if (step === 'insert') await replay.runUntil('claim');
      await stop(replay, { step, moment });
      const answers = await Promise.all(Array.from({ length: 5 }, () => left.create('k')));
      const [first] = answers.map(({ testimonial }) => testimonial);
      expect(answers.map(({ testimonial }) => testimonial)).toEqual(Array(5).fill(first));
      expect(first).toMatchObject({ ...input, createdAt: '2026-01-15T11:30:00.000Z' });
      expect(await left.list()).toMatchObject({ testimonials: [left.next, first], total: 2 });
    },
  );

  test('gets another position once if its own was sealed, even while its first request continues', async () => {
    const { backend, process, stored, create, next } = await serviceWithKeyLeft();
    expect(await backend.testimonials.sealPosition('acme', position(1))).toBeUndefined();
    const answers = await Promise.all([create('k'), create('k'), create('k')]);
    await process.run();
    const [answer] = answers.map(({ testimonial }) => testimonial);
    expect(await stored()).toEqual([next, answer]);
    expect(answers.map(({ testimonial }) => testimonial)).toEqual(Array(3).fill(answer));
    expect(answer?.createdAt).toBe('2026-01-15T11:30:00.000Z');
  });
});

describe('a corrected form', () => {
  const corrected = { ...input, content: 'The same text without the typo.' };
  const formWith = (body: TestimonialInput) => ({
    organization: 'acme',
    input: body,
    idempotencyKey: 'form',
    isCorrectable: true as const,
  });

  test.each(['before', 'after'] as const)(
    'replaces the one that stopped %s it was stored only if it is not stored',
    async (moment) => {
      const { begin, deps, stored } = service();
      await stop(begin(formWith(input)), { step: 'insert', moment });
      const outcomes = await Promise.allSettled([createTestimonial(deps, formWith(corrected))]);
      const isReplaced = moment === 'before';
      expect(outcomes).toMatchObject(
        isReplaced
          ? [{ status: 'fulfilled', value: { replayed: false } }]
          : [{ status: 'rejected', reason: { name: 'IdempotencyKeyReused' } }],
      );
      expect(await stored()).toMatchObject([{ content: (isReplaced ? corrected : input).content }]);
      const again = createTestimonial(deps, formWith(corrected));
      await (isReplaced ? again : expect(again).rejects.toThrow('another body'));
      expect(await stored()).toHaveLength(1);
    },
  );

  test('is the only one, even while the first request continues', async () => {
    const { begin, deps, stored } = service();
    const first = await begin(formWith(input)).runUntil('insert');
    await createTestimonial(deps, formWith(corrected));
    await expect(first.run()).rejects.toThrow('another body');
    expect(await stored()).toMatchObject([{ content: corrected.content }]);
  });

  test('does not replace one that was erased', async () => {
    const { backend, deps, stored } = service();
    const { testimonial } = await createTestimonial(deps, formWith(input));
    await eraseTestimonial({ ...backend, now: deps.now }, 'acme', testimonial.id);
    await expect(createTestimonial(deps, formWith(corrected))).rejects.toThrow('another body');
    expect(await stored()).toEqual([]);
  });
});
