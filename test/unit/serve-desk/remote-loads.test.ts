/** Steps over a bad network: what is sent again, after which wait, and what ends an import. */
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { remoteLoads } from '../../../functions/serve-desk/import-worker/remote-loads.ts';

const { fetch, setTimeout } = globalThis;
let waits: number[] = [];
beforeEach(() => {
  waits = [];
  // All waits end at once.
  globalThis.setTimeout = Object.assign((work: () => void, milliseconds: number) => {
    waits.push(milliseconds);
    return setTimeout(work, 0);
  }, setTimeout);
});
afterEach(() => {
  Object.assign(globalThis, { fetch, setTimeout });
});

const told = { title: 'reviews.csv', mapping: '{}' };
const noWork = { progress: () => {} };
const silent = { url: '/step', onWaiting: () => {}, signal: new AbortController().signal };
const open = (connection: Parameters<typeof remoteLoads>[0]) =>
  remoteLoads(connection).open('a'.repeat(64), 'b'.repeat(64), told);

type Step = Record<string, unknown> & { step: string };

/** Answers each step by its content. */
function answerSteps(answerTo: (step: Step) => object | undefined): void {
  globalThis.fetch = async (_, init) => {
    const packed = await new Response(init?.body as Blob).arrayBuffer();
    return Response.json(answerTo(JSON.parse(gunzipSync(packed).toString())));
  };
}

const opened = { id: 'aaaa', at: '2026-01-15T10:00:00.000Z' };
const good = () => Response.json(opened);
const refused = (why: string) => Response.json({ refused: { why, text: `It is ${why}.` } }, { status: 409 });
const cutOff = () => new Response('{"id":"aa');

type Answer = () => Response | Promise<Response>;

/** Opens a load, whose requests get these answers, one after the other. */
async function openWith(...responses: Answer[]) {
  const reasons: (string | undefined)[] = [];
  let sent = 0;
  globalThis.fetch = async () => {
    const response = responses[sent];
    sent += 1;
    if (!response) throw new Error('too many requests');
    return response();
  };
  const onWaiting = (text: string | undefined) => void reasons.push(text);
  const outcome = await open({ ...silent, onWaiting })
    .then(({ id }) => id)
    .catch((error: unknown) => Object(error).message);
  return { outcome, sent, reasons };
}

const connection = 'There is no connection to the desk. This page continues automatically.';

test.each<[string, Answer, string]>([
  ['no answer', () => Promise.reject(new TypeError('Failed to fetch')), connection],
  ['an answer that was cut off', cutOff, connection],
  ['the page of a hotel', () => new Response('<h1>Welcome</h1>'), connection],
  [
    'a broken gateway',
    () => new Response('Bad Gateway', { status: 502 }),
    'The desk did not respond properly. This page tries again automatically.',
  ],
  [
    'an ended session',
    () => new Response('<h1>Sign in</h1>', { status: 401 }),
    'Your session has ended. Sign in again in another tab. This page then continues automatically.',
  ],
  ['another window', () => refused('busy'), 'It is busy.'],
  ['a window that took over', () => refused('taken over'), 'It is taken over.'],
])('a step is sent again after %s, and says why meanwhile', async (_, response, reason) => {
  const { outcome, sent, reasons } = await openWith(response, response, good);
  expect({ outcome, sent, reasons }).toEqual({
    outcome: 'aaaa',
    sent: 3,
    reasons: [reason, reason, undefined],
  });
  expect(waits).toEqual([1000, 2000]);
});

test.each([404, 400, 422, 500])('a desk that answers %i for good ends the import', async (status) => {
  const { outcome, sent } = await openWith(
    ...Array.from({ length: 13 }, () => () => new Response('', { status })),
  );
  expect(outcome).toMatch(/^The import failed\. Stored testimonials are kept/);
  expect(sent).toBe(13);
});

test('waits grow up to a quarter of a minute', async () => {
  await openWith(...Array.from({ length: 6 }, () => cutOff), good);
  expect(waits).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
});

test.each([
  ['30', [30_000]],
  ['0', [1000]],
  ['Wed, 21 Oct 2026 07:28:00 GMT', [1000]],
])('a busy desk that names %s is asked again after that, and not at once', async (retryAfter, expected) => {
  const busy = () => new Response('', { status: 429, headers: { 'retry-after': retryAfter } });
  const { outcome, reasons } = await openWith(busy, good);
  expect(outcome).toBe('aaaa');
  expect(reasons).toEqual([
    'The desk has reached its request limit. This page continues automatically within a minute, or after midnight UTC if the daily limit is reached.',
    undefined,
  ]);
  expect(waits).toEqual(expected);
});

test.each<[string, Answer, string]>([
  ['a problem', () => Response.json({ problem: 'It is wrong.' }, { status: 422 }), 'It is wrong.'],
  ['another import', () => refused('other load'), 'It is other load.'],
  [
    'a role that was taken away',
    () => new Response('<h1>Something went wrong</h1>', { status: 403 }),
    'This import is not allowed. Only owners can import files. Reload this page to see whether you are still an owner.',
  ],
  [
    'a file that is too large',
    () => new Response('', { status: 413 }),
    'This file is too large for this page. Split it, and import the parts.',
  ],
])('%s ends the import', async (_, response, why) => {
  expect(await openWith(response)).toMatchObject({ outcome: why, sent: 1 });
  expect(waits).toEqual([]);
});

test.each(['a fetch', 'a wait'])('an import that is stopped during %s sends nothing more', async (during) => {
  const stop = new AbortController();
  let sent = 0;
  globalThis.fetch = async () => {
    sent += 1;
    if (during === 'a fetch') stop.abort();
    throw new TypeError('Failed to fetch');
  };
  const onWaiting = () => during === 'a wait' && stop.abort();
  await expect(open({ ...silent, onWaiting, signal: stop.signal })).rejects.toThrow('abort');
  expect(sent).toBe(1);
});

test.each([
  ['all', { repeated: 2, repeatedInFile: 1 }],
  ['only new', { repeated: 0, twice: 0 }],
] as const)(
  'a result of several steps is that of the check, with what the last step stored: %s',
  async (which, duplicates) => {
    const result = { rejected: [], good: 4, repeated: 2, repeatedInFile: 1, wasLoaded: false, stored: 0 };
    // The last step finds its lines stored, by a step whose response was lost.
    const last = { ...result, repeated: 0, twice: 0, wasLoaded: true, stored: 1 };
    const progress = { done: 3, total: 4, phase: 'stored' };
    const responses: Record<string, object[]> = {
      open: [opened],
      compare: [{ repeated: [1], next: 7 }, { repeated: [1, 2] }, { repeated: [1, 2] }],
      check: [{ result }],
      store: [{ progress }, { result: last }],
    };
    answerSteps(({ step }) => responses[step]?.shift());
    const phases: string[] = [];
    const work = {
      progress: (...[done, , phase]: [number, number, string]) => void phases.push(`${phase} ${done}`),
    };
    const checked = await (await open(silent)).check([], {}, work);
    expect(await checked.store(which, work)).toEqual({ ...last, ...duplicates, wasLoaded: false });
    expect(phases.slice(-2)).toEqual(['compared 0', 'stored 3']);
  },
);

test('a load that began on another day keeps its time: only a new one says when it was checked', async () => {
  const begun = { id: 'aaaa', state: 'storing', at: '2026-01-01T10:00:00.000Z', done: 1, count: 2 };
  const result = { rejected: [] };
  for (const [earlier, says] of [
    [undefined, true],
    [begun, false],
  ] as const) {
    const sent: Step[] = [];
    answerSteps((step) => {
      sent.push(step);
      if (step.step === 'open') return { ...opened, ...(earlier && { earlier }) };
      return step.step === 'compare' ? { repeated: [] } : { result };
    });
    const checked = await (await open(silent)).check([], {}, noWork);
    await checked.store('all', noWork);
    const checks = sent.filter(({ step }) => step === 'check' || step === 'store');
    expect(checks.map((step) => 'at' in step)).toEqual([says, says]);
  }
});
