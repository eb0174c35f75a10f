/** The contract's client over HTTP, which honors Retry-After. */
import {
  type ApiRequest,
  parsedBody,
  path,
  responseText,
  type Send,
  type ServiceResponse,
} from './contract/requests.ts';

export interface HttpOptions {
  /** Without a trailing slash. */
  url: string;
  /** Aborts all requests. */
  signal: AbortSignal;
  sleep: (milliseconds: number) => Promise<unknown>;
  /** Called before a request waits. */
  onWait: (why: string, seconds: number) => void;
}

// API Gateway ends a function after 30 s
// (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
const longestResponseMs = 35_000;

// A used-up budget renews after a minute, and throttling ends after a second.
const usualWaits = 10;
const throttleSeconds = 1;

/**
 * Makes a client that retries a request if the response asks for it. Counts its requests and waits.
 * @param options `maxWaits` is the number of waits after which a request is not retried
 */
export function patientClient(
  sendOnce: Send,
  { sleep, onWait, maxWaits = usualWaits }: Pick<HttpOptions, 'sleep' | 'onWait'> & { maxWaits?: number },
): { send: Send; counts: { requests: number; waits: number } } {
  const counts = { requests: 0, waits: 0 };
  const send: Send = async (request) => {
    for (let waits = 0; ; waits += 1) {
      counts.requests += 1;
      const response = await sendOnce(request);
      const seconds = waits < maxWaits ? secondsToWait(response) : undefined;
      if (seconds === undefined) return response;
      counts.waits += 1;
      onWait(responseText(response), seconds);
      await sleep(seconds * 1000);
    }
  };
  return { send, counts };
}

export const httpClient = (options: HttpOptions) =>
  patientClient((request) => sendOnce(request, options), options);

async function sendOnce(
  { method = 'GET', path: at = path, query = '', headers = {}, body, bytes }: ApiRequest,
  { url, signal }: HttpOptions,
): Promise<ServiceResponse> {
  const response = await fetch(`${url}${at}${query === '' ? '' : `?${query}`}`, {
    method,
    headers,
    // For a string, fetch would add a Content-Type.
    ...(body !== undefined && { body: Buffer.from(body) }),
    ...(bytes && { body: Buffer.from(bytes) }),
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(longestResponseMs)]),
  });
  const { 'x-amzn-remapped-www-authenticate': renamed, ...others } = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers: { ...others, ...(renamed !== undefined && { 'www-authenticate': renamed }) },
    body: parsedBody(await response.text()),
  };
}

/** Returns the seconds to wait before a retry; undefined if there is no retry. */
function secondsToWait({
  status,
  headers: { 'retry-after': retryAfter },
}: ServiceResponse): number | undefined {
  if (status === 429 || (status === 503 && retryAfter !== undefined))
    return Number(retryAfter) || throttleSeconds;
  return undefined;
}
