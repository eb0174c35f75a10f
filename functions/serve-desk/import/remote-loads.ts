/** Loads over HTTP: each call is a step that is sent again until the desk has answered it. */
import type { CheckedLoad, ComparedLines, Load, LoadLine, LoadStatus, Work } from '../../domain/loads.ts';
import type { ImportStep, RefusedStep, StepAnswers } from '../parts/import-step.ts';

/** An answer that no repetition changes, with a sentence for the person at the desk. */
class StepFailed extends Error {
  override name = 'StepFailed';
}

interface Connection {
  /** The URL of the desk's steps. */
  url: string;
  /** Called when the desk does not answer, and with `undefined` once it does again. */
  onTrouble: (text: string | undefined) => void;
  /** Aborted when the person stops the import. */
  signal: AbortSignal;
}

/** Finds the import of a file that has begun and not ended. */
export async function begunImport(hash: string, connection: Connection): Promise<LoadStatus | undefined> {
  const { begun } = (await answerOf({ step: 'find', hash }, connection)) as StepAnswers['find']; // the desk answers so
  return begun;
}

/**
 * Opens loads at the desk.
 * @param told what people call the file, and how it is read
 */
export function remoteLoads(connection: Connection, told: Required<Pick<LoadStatus, 'title' | 'reading'>>) {
  return {
    async open(name: string, hash: string): Promise<Load> {
      const { signal } = connection;
      const send = async <Kind extends ImportStep['step']>(
        kind: Kind,
        members: object = {},
      ): Promise<StepAnswers[Kind]> =>
        // The desk answers so.
        (await answerOf({ step: kind, name, hash, ...told, ...members }, connection)) as StepAnswers[Kind];
      const { id, at, earlier } = await send('open');
      const compare: Load['compare'] = async (lines, { progress }, { before } = {}) => {
        progress(before?.repeated.length ?? 0, 0, 'compared');
        return send('compare', { lines, ...(before && { before }) });
      };
      return {
        id,
        at,
        ...(earlier && { earlier }),
        compare,
        async check(lines, { asNew = false }, work) {
          const compared = earlier ? undefined : await compareAll(compare, lines, work);
          const ofLines = { id, lines, asNew, ...(compared && { compared }) };
          const { result } = await send('check', ofLines);
          const store: CheckedLoad['store'] = async (which, { progress }) => {
            for (;;) {
              signal.throwIfAborted();
              const answer = await send('store', { ...ofLines, which });
              if ('result' in answer) return answer.result;
              const { done, total, phase } = answer.progress;
              progress(done, total, phase);
            }
          };
          return { result, store };
        },
      };
    },
  };
}

async function compareAll(
  compare: Load['compare'],
  lines: readonly LoadLine[],
  work: Pick<Work, 'progress'>,
): Promise<readonly number[]> {
  let before: ComparedLines | undefined;
  do before = await compare(lines, work, before && { before });
  while (before.next !== undefined);
  return before.repeated;
}

const firstWaitMs = 1000;
const longestWaitMs = 15_000;
// Another window may hold the load for two minutes after it was closed.
const waitingReasons: readonly string[] = ['busy', 'taken over'];

/** Sends a step until the desk answers it. */
async function answerOf(step: object, { url, onTrouble, signal }: Connection): Promise<unknown> {
  const sent = await packed(step);
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    signal.throwIfAborted();
    const answer = await fetch(url, {
      method: 'POST',
      body: sent,
      headers: { 'content-type': 'application/gzip' },
      signal,
    }).catch(() => undefined);
    // Without JSON, the answer was cut off, or is not of the desk.
    const body = await answer?.json().catch(() => undefined);
    signal.throwIfAborted();
    if (answer?.ok && body !== undefined) {
      onTrouble(undefined);
      return body;
    }
    const status = answer?.ok === false ? answer.status : 0;
    const said = (body ?? {}) as Partial<RefusedStep & { problem: string }>; // the desk answers so
    if (said.problem !== undefined) throw new StepFailed(said.problem);
    if (said.refused && !waitingReasons.includes(said.refused.why)) throw new StepFailed(said.refused.text);
    onTrouble(said.refused?.text ?? troubleText(status));
    // Others than the desk may name a date.
    const retryAfter = (Number(answer?.headers.get('retry-after')) || 0) * 1000;
    await new Promise((resolve) => setTimeout(resolve, Math.max(retryAfter, waitMs)));
  }
}

function troubleText(status: number): string {
  if (status === 401 || status === 403)
    return 'Your session has ended. Sign in again in another tab: this page goes on by itself.';
  if (status === 413)
    throw new StepFailed('This file is too large for this page. Split it, and import the parts.');
  if (status === 429) return 'The desk is busy. This page goes on by itself within a minute.';
  if (status >= 400) return 'The desk did not answer properly. This page tries again by itself.';
  return 'There is no connection to the desk. This page goes on by itself.';
}

async function packed(step: object): Promise<Blob> {
  const text = new Blob([JSON.stringify(step)]);
  return new Response(text.stream().pipeThrough(new CompressionStream('gzip'))).blob();
}
