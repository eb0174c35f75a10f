/** Requests lists of testimonials and settings for the live wall. */
import type { PublishedListBody } from '../../list-testimonials/list-body.ts';
import { collect, namesOf, ownOf } from '../stand-ins.ts';
import { readSettings, type WallSettings, wallDefaults, wallParameters } from '../wall-settings.ts';

/** A page of testimonials; of a wall's page, also its settings. */
type List = PublishedListBody & { settings?: Record<string, string> };

// A function responds within ten seconds.
const timeLimitMs = 15_000;
// Budgets are renewed every minute.
const longestWait = 60;

/** The origin of the service, which this script came from. */
export const service = new URL(import.meta.url).origin;

/**
 * Returns the URL of a list by the attributes of a wall. With `page`, the service is the one that this script came from, unless `src`
 * names it.
 * @param base to which a relative `src` refers
 */
export function urlOf(attributes: Readonly<Record<string, string>>, number: number, base: string): URL {
  const { page, src, token } = attributes;
  const [api = ''] = src ? (/.*[^/]/.exec(src) ?? []) : [service];
  if (page) return new URL(`${api}/w/${encodeURIComponent(page)}.json?page=${number}`, base);
  if (!src || !token) throw new Error('The attribute page is missing, or src and token.');
  // With the token in the URL instead of a header, there is no preflight, and caches keep the responses of tokens apart.
  const query = `token=${encodeURIComponent(token)}&limit=&page=${number}`;
  const url = new URL(`${api}/v1/testimonials?${query}`, base);
  for (const name of wallParameters) {
    const value = attributes[name] || wallDefaults[name];
    if (value) url.searchParams.set(name, value);
  }
  return url;
}

/** Reads settings. The texts among them are JSON, which the response parses, because a page can replace JSON.parse. */
export async function settingsFrom(values: Readonly<Record<string, string>>): Promise<WallSettings> {
  const parsed = { ...values };
  try {
    if (values.texts) parsed.texts = await new Response(values.texts).json();
  } catch {
    // The reader says what is wrong.
  }
  return readSettings(parsed, warn);
}

/**
 * Requests a list: once more after the seconds in `Retry-After` if the service is busy (429 or 503), and with defaults in place of the
 * parameters that it refuses.
 * @param signal stops it
 */
export async function requestList(url: URL, signal: AbortSignal, isRetry = false): Promise<List> {
  const { response, body } = await send(url, signal);
  const { ok, status, statusText, headers } = response;
  const seconds = +(headers.get('retry-after') ?? 1);
  if (!isRetry && (status === 429 || status === 503) && seconds <= longestWait) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return requestList(url, signal, true);
  }
  if (ok) return checked(body as List); // as it is checked to be
  // The service's errors have `error`, API Gateway's own `message`. A 403 refuses the sort.
  const rules: Record<string, string> = status === 403 ? { sort: 'must be createdAt or rating' } : {};
  const { message = statusText, details = rules }: Refusal = ownOf(body.error ?? body);
  const broken = ownOf(details);
  const slips = collect(wallParameters, (name) =>
    broken[name] && (url.searchParams.get(name) ?? '') !== wallDefaults[name] ? name : undefined,
  );
  if (slips.length === 0) throw new Error(`${status} ${message}`);
  for (const name of slips) {
    warn(`${name} ${broken[name]}`);
    url.searchParams.set(name, wallDefaults[name]);
  }
  return requestList(url, signal);
}

interface Refusal {
  message?: string;
  details?: Record<string, string>;
}

/**
 * Returns a response and its JSON; an empty object if it has none.
 * @throws an error that names the service and the reason, if it does not respond in time or cannot be reached
 */
async function send(url: URL, signal: AbortSignal) {
  signal.throwIfAborted();
  const request = new AbortController();
  const stop = () => request.abort();
  signal.addEventListener('abort', stop);
  const timer = setTimeout(stop, timeLimitMs);
  let body: Refusal & { error?: Refusal } = {};
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
    throw new Error(`${url.origin} ${request.signal.aborted ? 'does not respond.' : reason}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Warns of a wrong attribute. */
export function warn(rule: unknown): void {
  console.warn(`testimonials-wall: ${rule}. The default is used.`);
}

/** Throws if a text of a list is none. Walls make elements from objects, so a text must be a text. */
function checked(list: List): List {
  const own = ownOf(list.settings);
  let texts: unknown[] = collect(namesOf(own), (name) => own[name]);
  for (const { id, content, author, tags, createdAt } of list.testimonials) {
    texts = [...texts, id, content, author.name, author.company ?? '', createdAt, ...tags];
  }
  for (const text of texts) {
    if (typeof text !== 'string') throw new Error(`Expected string but received ${typeof text}`);
  }
  return list;
}
