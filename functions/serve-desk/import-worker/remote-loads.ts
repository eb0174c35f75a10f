/**
 * Loads over HTTP. Each call is a step, which is sent again until the desk responds. At the desk,
 * pages/files-page.ts receives a step, parts/import-step.ts reads it, and parts/import-work.ts carries it out
 * with functions/testimonials/loads.ts.
 */
import {
  areEqual,
  type CheckedLoad,
  type ComparedLines,
  type Load,
  type LoadDescription,
  type LoadLine,
  type LoadStatus,
  type WorkCallbacks,
} from '../../domain/loads.ts';
import { maxStepBytes, maxUnpackedStepBytes } from '../parts/import-limits.ts';
import type { RefusedStep, StepRequest, StepResponses } from '../parts/import-step.ts';

/** A response that repetition cannot change, with a sentence for the person at the desk. */
class StepFailed extends Error {
  override name = 'StepFailed';
}

interface Connection {
  /** The URL of the desk's steps. */
  url: string;
  /** Called with a text when the desk does not respond, and with `undefined` when it responds again. */
  onWaiting: (text: string | undefined) => void;
  /** Aborted when the person stops the import. */
  signal: AbortSignal;
}

/** Finds the import of a file that has begun to store lines but has not ended. */
export async function importToContinue(
  hash: string,
  connection: Connection,
): Promise<LoadStatus | undefined> {
  // The format of the desk's response.
  const { unended } = (await sendStep({ step: 'find', hash }, connection)) as StepResponses['find'];
  return unended;
}

type LoadStep = Exclude<StepRequest['step'], 'find'>;
/** The members of a step, except those that describe the file. */
type StepMembers<Kind extends LoadStep> = Omit<
  Extract<StepRequest, { step: Kind }>,
  'step' | 'fingerprint' | 'hash' | keyof LoadDescription
>;

/** Opens loads at the desk. */
export function remoteLoads(connection: Connection) {
  return {
    async open(fingerprint: string, hash: string, description: LoadDescription): Promise<Load> {
      const { signal } = connection;
      const send = async <Kind extends LoadStep>(
        kind: Kind,
        members: StepMembers<Kind>,
      ): Promise<StepResponses[Kind]> =>
        // The format of the desk's response.
        (await sendStep(
          { step: kind, fingerprint, hash, ...description, ...members },
          connection,
        )) as StepResponses[Kind];
      const { id, at, earlier } = await send('open', {});
      /** Compares in steps, because a request has no time to compare within the check. */
      const findStored = async (
        lines: readonly LoadLine[],
        { progress }: Pick<WorkCallbacks, 'progress'>,
      ) => {
        // A load that has begun keeps the lines that it left out.
        if (earlier) return undefined;
        let comparedSoFar: ComparedLines | undefined;
        do {
          progress(0, 0, 'compared');
          comparedSoFar = await send('compare', { lines, ...(comparedSoFar && { before: comparedSoFar }) });
        } while (comparedSoFar.next !== undefined);
        return comparedSoFar.repeated;
      };
      return {
        id,
        at,
        ...(earlier && { earlier }),
        // `onlyNew` is never set: the person chooses with a button, and `store` is called with that choice.
        async check(lines, { asNew = false }, work) {
          work.progress(0, 0, 'compared');
          const alreadyStored = await findStored(lines, work);
          const checkRequest = {
            id,
            lines,
            asNew,
            ...(!earlier && { at }),
            ...(alreadyStored && { compared: alreadyStored }),
          };
          const { result } = await send('check', checkRequest);
          const rejected = result.rejected.map(({ index }) => index);
          const store: CheckedLoad['store'] = async (which, { progress }) => {
            // The person agreed to these duplicates only.
            const alreadyStoredNow = await findStored(lines, { progress });
            if (!areEqual(alreadyStoredNow ?? [], alreadyStored ?? [])) throw new StepFailed(changedText);
            for (;;) {
              signal.throwIfAborted();
              const response = await send('store', { ...checkRequest, rejected, which });
              if ('result' in response) {
                // The last step does not know about earlier steps, which may have stored lines.
                const { wasLoaded, repeated, repeatedInFile } = result;
                return {
                  ...response.result,
                  wasLoaded,
                  ...(which === 'all' && { repeated, repeatedInFile }),
                };
              }
              const { done, total, phase } = response.progress;
              progress(done, total, phase);
            }
          };
          return { result, store };
        },
      };
    },
  };
}

const changedText =
  'The testimonials here have changed since this file was checked. Nothing was stored. Check the file again.';

const firstWaitMs = 1000;
const longestWaitMs = 15_000;
// A rollout or a throttled table lasts no longer than these retries.
const maxErrors = 12;
// Statuses that are worth a retry: the person signs in again, another window finishes, the budget renews.
const waitingStatuses: readonly number[] = [401, 409, 429];
// Another window may hold the load for two minutes after it was closed.
const waitingReasons: readonly string[] = ['busy', 'taken over'];

type ResponseBody = Partial<RefusedStep & { problem: string }>;

/** Sends a step until the desk responds to it. */
async function sendStep(step: object, { url, onWaiting, signal }: Connection): Promise<unknown> {
  const request = await compressed(step);
  let errors = 0;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    signal.throwIfAborted();
    const response = await fetch(url, {
      method: 'POST',
      body: request,
      headers: { 'content-type': 'application/gzip' },
      signal,
    }).catch(() => undefined);
    // The connection can end in the middle of a response. An error can be a page.
    const body = await response?.json().then(
      (value) => value as ResponseBody, // the format of the desk's response
      () => undefined,
    );
    signal.throwIfAborted();
    if (response?.ok && body) {
      onWaiting(undefined);
      return body;
    }
    const status = response?.ok ? 0 : (response?.status ?? 0);
    if (status >= 400 && !waitingStatuses.includes(status)) errors += 1;
    const failure = failureOf(status, body) ?? (errors > maxErrors ? brokenText : undefined);
    if (failure !== undefined) throw new StepFailed(failure);
    onWaiting(body?.refused?.text ?? waitingText(status));
    // A proxy may send a date in `Retry-After`.
    const retryAfter = (Number(response?.headers.get('retry-after')) || 0) * 1000;
    await new Promise((resolve) => setTimeout(resolve, Math.max(retryAfter, waitMs)));
  }
}

const tooLargeText = 'This file is too large for this page. Split it, and import the parts.';
const brokenText =
  'The import failed. Stored testimonials are kept. Choose the same file again later to continue.';

/** Returns the text for an error that a retry cannot solve; undefined for any other error. */
function failureOf(status: number, body: ResponseBody | undefined): string | undefined {
  if (body?.problem !== undefined) return body.problem;
  if (body?.refused) return waitingReasons.includes(body.refused.why) ? undefined : body.refused.text;
  if (status === 403)
    return 'This import is not allowed. Only owners can import files. Reload this page to see whether you are still an owner.';
  return status === 413 ? tooLargeText : undefined;
}

function waitingText(status: number): string {
  if (status === 401)
    return 'Your session has ended. Sign in again in another tab. This page then continues automatically.';
  if (status === 429)
    return 'The desk has reached its request limit. This page continues automatically within a minute, or after midnight UTC if the daily limit is reached.';
  if (status >= 400) return 'The desk did not respond properly. This page tries again automatically.';
  return 'There is no connection to the desk. This page continues automatically.';
}

async function compressed(step: object): Promise<Blob> {
  const text = new Blob([JSON.stringify(step)]);
  const sent = await new Response(text.stream().pipeThrough(new CompressionStream('gzip'))).blob();
  if (text.size > maxUnpackedStepBytes || sent.size > maxStepBytes) throw new StepFailed(tooLargeText);
  return sent;
}
