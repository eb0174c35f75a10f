import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MediaClaim } from '../../../functions/domain/outcomes.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import type { CreateOptions } from '../../../functions/testimonials/operations/create-testimonial.ts';
import { position } from '../../position.ts';
import { storedAt, input as usual } from '../../testimonials.ts';
import { type Backend, interceptCalls } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { Process } from '../../world/process.ts';
import { base } from '../../world/queries.ts';
import { createWorld } from '../../world/world.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const input = { ...usual, rating: 5, tags: ['a', 'b'] };
const page = '0123456789abcdefABCDEF';
const key = { idempotencyKey: 'k' };
const form = { ...key, form: page };

/** An organization, and creates whose outcomes are returned whole. */
async function service(besides: Partial<Backend> & { onPositionTaken?: (...place: unknown[]) => void } = {}) {
  const world = await createWorld(inMemoryBackend());
  const calls: string[] = [];
  const watched = interceptCalls(world.backend, (name, call) => {
    calls.push(name);
    return call();
  });
  const { create } = world.on({ ...watched, ...besides }, world.now);
  /** Begins a create and pauses it before its first call. */
  const begin = (options: CreateOptions = {}) =>
    new Process('create', world.backend).begin((stores) =>
      world.on(stores, world.now).create(input, options),
    );
  const list = () => world.list({ ...base, page: 1, limit: 100 });
  const stored = async () => (await world.stored()).map(({ testimonial }) => testimonial);
  return { ...world, calls, create, begin, list, rows: world.stored, stored };
}

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
      const { begin, create, list } = await service();
      await stop(begin(), where);
      const written = name === 'after insert' ? 1 : 0;
      const { testimonials, total } = await list();
      expect(testimonials).toMatchObject(Array(written).fill(input));
      expect(total).toBe(written);
      await create(input);
      expect((await list()).total).toBe(written + 1);
    },
  );

  test.each(stopsAt('reserveOrdinals', 'claim', 'insert'))(
    '$name is completed exactly once by a retry with the same key',
    async ({ name, ...where }) => {
      const { begin, advance, create, list, rows } = await service();
      await stop(begin(form), where);
      expect((await list()).total).toBe(name === 'after insert' ? 1 : 0);
      advance(hourMs);
      const { testimonial } = await create(input, form);
      expect(testimonial).toMatchObject({ ...input, status: 'pending' });
      expect(await create(input, form)).toEqual({ testimonial, replayed: true });
      expect(await list()).toMatchObject({ testimonials: [testimonial], total: 1 });
      // Consent was given when the testimonial was created, not when the request was first sent.
      expect(await rows()).toMatchObject([{ consent: { page, at: testimonial.createdAt } }]);
    },
  );

  test.each(stopsAt('reserveOrdinals', 'claim', 'insert'))(
    '$name and a retry with another body give one testimonial and one error',
    async ({ name, step, moment }) => {
      const { begin, create, list } = await service();
      await stop(begin(key), { step, moment });
      const isClaimed = step === 'insert' || name === 'after claim';
      const outcomes = [];
      for (const body of [{ ...input, rating: 1 }, input]) {
        outcomes.push(...(await Promise.allSettled([create(body, key)])));
      }
      const made = isClaimed ? ['rejected', 'fulfilled'] : ['fulfilled', 'rejected'];
      expect(outcomes.map(({ status }) => status)).toEqual(made);
      expect((await list()).total).toBe(1);
    },
  );
});

test('a create by a form stores the page and the time of consent, returns neither, and has its key on every page', async () => {
  const { create, rows } = await service();
  const { testimonial } = await create(input, form);
  expect(await rows()).toMatchObject([{ testimonial, consent: { page, at: testimonial.createdAt } }]);
  expect(JSON.stringify(testimonial)).not.toContain(page);
  const again = await create(input, { ...form, form: page.toLowerCase() });
  expect(again).toEqual({ testimonial, replayed: true });
  await create(input, { idempotencyKey: 'another key' });
  expect((await rows())[1]).not.toHaveProperty('consent');
});

describe('a create whose position holds another testimonial (rule 1)', () => {
  const other = (ordinal: number) =>
    storedAt(ordinal, { id: `test_999999999999${ordinal}`, content: "A stranger's words" });

  test.each([{}, key])(
    'reports the position, uses the next one, and returns its own testimonial, with %j',
    async (options) => {
      const told: unknown[] = [];
      const { backend, stored, create } = await service({ onPositionTaken: (...place) => told.push(place) });
      await backend.testimonials.insert('acme', other(position(1)));
      await backend.testimonials.insert('acme', other(position(2)));
      const { testimonial, replayed } = await create(input, options);
      expect([ordinalOf(testimonial.id), testimonial.content, replayed]).toEqual([
        position(3),
        input.content,
        false,
      ]);
      expect(told).toEqual([1, 2].map((nth) => ['acme', position(nth)]));
      expect(await stored()).toHaveLength(3);
      if (options === key) expect(await create(input, key)).toEqual({ testimonial, replayed: true });
    },
  );

  test('also uses the next position if the other testimonial was erased', async () => {
    const { backend, create } = await service();
    await backend.testimonials.insert('acme', other(position(1)));
    await backend.testimonials.erase('acme', other(position(1)), {
      updateOrdinal: position(2),
      time: '2026-01-15T10:00:00.000Z',
    });
    expect(ordinalOf((await create(input)).testimonial.id)).toBe(position(2));
  });

  test('never returns the other testimonial for a key whose request stopped early', async () => {
    const { backend, begin, create } = await service();
    await stop(begin(key), { step: 'insert', moment: 'before' });
    await backend.testimonials.insert('acme', other(position(1)));
    const { testimonial } = await create(input, key);
    expect([ordinalOf(testimonial.id), testimonial.content]).toEqual([position(2), input.content]);
    expect((await create(input, key)).testimonial).toEqual(testimonial);
  });
});

test('ordinal order is createdAt order, even if the clock goes back (rule 1)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -dayMs, max: dayMs }), { maxLength: 20 }), async (times) => {
      const { stored, clock, create } = await service();
      const start = clock.time;
      for (const time of times) {
        clock.time = start + time;
        await create(input);
      }
      const created = (await stored()).map(({ createdAt }) => createdAt);
      expect(created).toEqual(created.toSorted());
    }),
  );
});

describe('with an idempotency key', () => {
  test('writes the key between the counter and the testimonial, and nothing for a repetition', async () => {
    const { calls, advance, create } = await service();
    const first = await create(input, key);
    expect(calls.splice(0)).toEqual(['find', 'reserveOrdinals', 'claim', 'insert']);
    advance(dayMs - 1000);
    expect(await create(input, key)).toEqual({ testimonial: first.testimonial, replayed: true });
    // The first finds the key, the second the testimonial.
    expect(calls).toEqual(['find', 'find']);
  });

  test('a repetition returns the current testimonial', async () => {
    const { create, setStatus, stored } = await service();
    const { testimonial } = await create(input, key);
    await setStatus(testimonial.id, 'approved');
    const [current] = await stored();
    expect(current).toMatchObject({ status: 'approved' });
    expect(await create(input, key)).toEqual({ testimonial: current, replayed: true });
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
  const createBeside = async (words: string) => {
    const { create, stored } = await service();
    const verify = async () => {
      await create({ ...input, content: words }, { ...key, media: claim });
      throw new Error('The upload is gone.');
    };
    const outcome = await create(input, { ...key, media: { ...claim, verify } });
    return { ...outcome, stored: await stored() };
  };

  test('are not missed by a request with the same words', async () => {
    const { testimonial, replayed, stored } = await createBeside(input.content);
    expect({ replayed, stored }).toEqual({ replayed: true, stored: [testimonial] });
  });

  test('fail a request with other words', async () => {
    await expect(createBeside('These are other words.')).rejects.toThrow('The upload is gone.');
  });
});

describe('a key without its testimonial', () => {
  /**
   * Returns a service with such a key, one hour after its request paused and another testimonial was created.
   */
  async function serviceWithKeyLeft() {
    const all = await service();
    const process = await all.begin(key).runUntil('insert');
    const { testimonial: next } = await all.create({ ...input, tags: [] });
    all.advance(hourMs);
    return { ...all, process, next };
  }
  test('is completed by a repetition, at its own position', async () => {
    const { create, list, next } = await serviceWithKeyLeft();
    const { testimonial, replayed } = await create(input, key);
    expect({ ...testimonial, replayed }).toMatchObject({ ...input, status: 'pending', replayed: true });
    expect(testimonial.createdAt).toBe('2026-01-15T10:00:00.000Z');
    expect((await list()).testimonials).toEqual([testimonial, next]);
  });

  test.each(stopsAt('reserveOrdinals', 'claim', 'insert'))(
    'gets a new position and time, once, after the list index has passed its position, even if a repetition stopped $name',
    async ({ step, moment }) => {
      const left = await serviceWithKeyLeft();
      await left.updateIndex();
      const replay = left.begin(key);
      // First it finds its position sealed.
      if (step === 'insert') await replay.runUntil('claim');
      await stop(replay, { step, moment });
      const responses = await Promise.all(Array.from({ length: 5 }, () => left.create(input, key)));
      const [first] = responses.map(({ testimonial }) => testimonial);
      expect(responses.map(({ testimonial }) => testimonial)).toEqual(Array(5).fill(first));
      expect(first).toMatchObject({ ...input, createdAt: '2026-01-15T11:00:00.000Z' });
      expect(await left.list()).toMatchObject({ testimonials: [left.next, first], total: 2 });
    },
  );

  test('gets another position once if its own was sealed, even while its first request continues', async () => {
    const { backend, process, stored, create, next } = await serviceWithKeyLeft();
    expect(await backend.testimonials.sealPosition('acme', position(1))).toBeUndefined();
    const responses = await Promise.all([create(input, key), create(input, key), create(input, key)]);
    await process.run();
    const [response] = responses.map(({ testimonial }) => testimonial);
    expect(await stored()).toEqual([next, response]);
    expect(responses.map(({ testimonial }) => testimonial)).toEqual(Array(3).fill(response));
    expect(response?.createdAt).toBe('2026-01-15T11:00:00.000Z');
  });
});

describe('a corrected form', () => {
  const corrected = { ...input, content: 'The same text without the typo.' };
  const correctable = { ...key, isCorrectable: true } as const;

  test.each(['before', 'after'] as const)(
    'replaces the one that stopped %s it was stored only if it is not stored',
    async (moment) => {
      const { begin, create, stored } = await service();
      await stop(begin(correctable), { step: 'insert', moment });
      const outcomes = await Promise.allSettled([create(corrected, correctable)]);
      const isReplaced = moment === 'before';
      expect(outcomes).toMatchObject(
        isReplaced
          ? [{ status: 'fulfilled', value: { replayed: false } }]
          : [{ status: 'rejected', reason: { name: 'IdempotencyKeyReused' } }],
      );
      expect(await stored()).toMatchObject([{ content: (isReplaced ? corrected : input).content }]);
      const again = create(corrected, correctable);
      await (isReplaced ? again : expect(again).rejects.toThrow('another body'));
      expect(await stored()).toHaveLength(1);
    },
  );

  test('is the only one, even while the first request continues', async () => {
    const { begin, create, stored } = await service();
    const first = await begin(correctable).runUntil('insert');
    await create(corrected, correctable);
    await expect(first.run()).rejects.toThrow('another body');
    expect(await stored()).toMatchObject([{ content: corrected.content }]);
  });

  test('does not replace one that was erased', async () => {
    const { erase, create, stored } = await service();
    const { testimonial } = await create(input, correctable);
    await erase(testimonial.id);
    await expect(create(corrected, correctable)).rejects.toThrow('another body');
    expect(await stored()).toEqual([]);
  });
});
