/** Requests lists of testimonials for the live wall. */
import type { PublishedListBody } from '../../list-testimonials/list-body.ts';
import { wallDefaults, wallParameters } from '../wall-settings.ts';

/** A page of testimonials; of a wall's page, also its settings. */
type List = PublishedListBody & { settings?: Record<string, string> };

// A function responds within ten seconds.
const timeLimitMs = 15_000;
// Budgets are renewed every minute.
const longestWait = 60;

/**
 * Requests a list: once more after the seconds in `Retry-After` if the service is busy (429 or 503), and with defaults in place of the
 * parameters that it refuses.
 * @param signal stops it
 */
export async function requestList(url: URL, signal: AbortSignal, isRetry = false): Promise<List> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)]);
  const response = await fetch(url, { signal: limited }).catch((cause: Error) => {
    signal.throwIfAborted();
    const reason = `cannot be reached, or its corsOrigins do not include ${location.origin}.`;
    throw new Error(`${url.origin} ${cause.name === 'TimeoutError' ? 'does not respond.' : reason}`, {
      cause,
    });
  });
  const seconds = Number(response.headers.get('retry-after') ?? 1);
  if (!isRetry && [429, 503].includes(response.status) && seconds <= longestWait) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return requestList(url, signal, true);
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return checked(body);
  // The service's errors have `error`, API Gateway's own `message`. A 403 refuses the sort.
  const rules: Record<string, string> =
    response.status === 403 ? { sort: 'must be createdAt or rating' } : {};
  const refusal: { message?: string; details?: typeof rules } = body.error ?? body;
  const { message = response.statusText, details = rules } = refusal;
  const slips = wallParameters.filter(
    (name) => details[name] && (url.searchParams.get(name) ?? '') !== wallDefaults[name],
  );
  if (slips.length === 0) throw new Error(`${response.status} ${message}`);
  for (const name of slips) {
    warn(`${name} ${details[name]}`);
    url.searchParams.set(name, wallDefaults[name]);
  }
  return requestList(url, signal);
}

/** Warns of a wrong attribute. */
export function warn(rule: unknown): void {
  console.warn(`testimonials-wall: ${rule}. The default is used.`);
}

/** Throws if a text of a list is none. Walls make elements from objects, so a text must be a text. */
function checked(list: List): List {
  const texts = list.testimonials.flatMap(({ id, content, author, tags, createdAt }) => [
    ...[id, content, author.name, author.company ?? '', createdAt, ...tags],
  ]);
  for (const text of [...texts, ...Object.values(list.settings ?? {})]) {
    if (typeof text !== 'string') throw new Error(`Expected string but received ${typeof text}`);
  }
  return list;
}
