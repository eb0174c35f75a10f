/** Requests the testimonials and the settings of a wall for the live element. */
import { ownOf } from '../stand-ins.ts';
import type { WallData } from './view.ts';

// A function responds within ten seconds.
const timeLimitMs = 15_000;
// Budgets are renewed every minute.
const longestWait = 60;

/** The origin of the service, from which this script was loaded. */
export const serviceOrigin = new URL(import.meta.url).origin;

/**
 * Requests a page of a wall. Retries once after the seconds in `Retry-After` if the service is busy (429 or
 * 503).
 * @param id the id of the wall
 * @param number the number of the page of testimonials
 * @param signal stops it
 */
export async function requestWall(
  id: string,
  number: number,
  signal: AbortSignal,
  isRetry = false,
): Promise<WallData> {
  const { response, body } = await send(
    `${serviceOrigin}/w/${encodeURIComponent(id)}.json?page=${number}`,
    signal,
  );
  const { ok, status, statusText, headers } = response;
  const seconds = +(headers.get('retry-after') ?? 1);
  if (!isRetry && (status === 429 || status === 503) && seconds <= longestWait) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return requestWall(id, number, signal, true);
  }
  if (ok) return body as WallData; // the format of the service
  // Errors of the service are in `error`; API Gateway's have a `message` at the top.
  const { message = statusText }: ErrorBody = ownOf(body.error ?? body);
  throw new Error(`${status} ${message}`);
}

interface ErrorBody {
  message?: string;
}

/**
 * Returns a response and its JSON, which is an empty object if there is none.
 * @throws an error that names the service and the reason, if it does not respond in time or cannot be reached
 */
async function send(url: string, signal: AbortSignal) {
  signal.throwIfAborted();
  const request = new AbortController();
  const stop = () => request.abort();
  signal.addEventListener('abort', stop);
  const timer = setTimeout(stop, timeLimitMs);
  let body: ErrorBody & { error?: ErrorBody } = {};
  try {
    const response = await fetch(url, { signal: request.signal });
    try {
      body = await response.json();
    } catch {
      request.signal.throwIfAborted();
    }
    return { response, body };
  } catch (cause) {
    const reason = `cannot be reached, or its corsOrigins do not include ${location.origin}.`;
    throw new Error(`${serviceOrigin} ${request.signal.aborted ? 'does not respond.' : reason}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}
