/** The contract's client over HTTP, which honours Retry-After. */
import { type Answer, type ApiRequest, answerText, path, type Send } from '../contract/requests.ts';

export interface HttpOptions {
  /** Without a slash at its end. */
  url: string;
  /** Ends all requests. */
  signal: AbortSignal;
  sleep: (milliseconds: number) => Promise<unknown>;
  /** Told why and how long a request waits. */
  onWait: (why: string, seconds: number) => void;
}

// API Gateway gives a function up after 30 s (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
const longestAnswerMs = 35_000;

// A budget that is used up is there again after a minute, a throttle after a second.
const mostWaits = 10;
const throttleSeconds = 1;

/**
 * Makes a client that sends a request again, as long as the answer says when.
 * @returns how many requests were sent, too, and how many of them were asked to come again
 */
export function httpClient(options: HttpOptions): {
  send: Send;
  counts: { requests: number; waits: number };
} {
  const counts = { requests: 0, waits: 0 };
  const send: Send = async (request) => {
    for (let waits = 0; ; waits += 1) {
      counts.requests += 1;
      const answer = await sendOnce(request, options);
      const seconds = waits < mostWaits ? secondsToWait(answer) : undefined;
      if (seconds === undefined) return answer;
      counts.waits += 1;
      options.onWait(answerText(answer), seconds);
      await options.sleep(seconds * 1000);
    }
  };
  return { send, counts };
}

async function sendOnce(
  { method = 'GET', path: at = path, query = '', headers = {}, body }: ApiRequest,
  { url, signal }: HttpOptions,
): Promise<Answer> {
  const response = await fetch(`${url}${at}${query === '' ? '' : `?${query}`}`, {
    method,
    headers,
    // A text would get a Content-Type of its own.
    ...(body !== undefined && { body: Buffer.from(body) }),
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(longestAnswerMs)]),
  });
  const { 'x-amzn-remapped-www-authenticate': renamed, ...others } = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers: { ...others, ...(renamed !== undefined && { 'www-authenticate': renamed }) },
    body: parsed(await response.text()),
  };
}

/** How long a client has to wait before it comes again; undefined where it was not asked to. */
function secondsToWait({ status, headers: { 'retry-after': asked } }: Answer): number | undefined {
  if (status === 429 || (status === 503 && asked !== undefined)) return Number(asked) || throttleSeconds;
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
