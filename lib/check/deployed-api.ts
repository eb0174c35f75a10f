/** The API of a deployment, as a client calls it that honours Retry-After. */
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';
import { shown } from './not-held.ts';

export interface ApiRequest {
  method?: string;
  path?: string;
  query?: string;
  token?: string;
  headers?: Record<string, string>;
  /** Text as it goes over the wire. */
  body?: string;
}

export interface Answer {
  /** `GET /v1/testimonials`. */
  routeKey: string;
  status: number;
  headers: Headers;
  /** Undefined where it is no JSON. */
  body: unknown;
  text: string;
}

export interface ApiOptions {
  url: string;
  /** The token of requests that name none. */
  token: string;
  /** Ends all requests. */
  signal: AbortSignal;
  sleep: (milliseconds: number) => Promise<unknown>;
  /** Told of each answer but those that asked to come again. */
  onAnswer: (answer: Answer) => void;
  /** Told why and how long a request waits. */
  onWait: (why: string, seconds: number) => void;
}

/** The path of both operations. */
export const { path } = createTestimonialContract;

// API Gateway gives a function up after 30 s (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
const longestAnswerMs = 35_000;

// A budget that is used up is there again after a minute, a throttle after a second.
const mostWaits = 10;
const throttleSeconds = 1;

export class DeployedApi {
  readonly #options: ApiOptions;
  /** Those that its requests had. */
  readonly idempotencyKeys = new Set<string>();
  /** How often a request was asked to come again. */
  waits = 0;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /** Creates a testimonial from a body that is made JSON. */
  create(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send({
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /** @param query as in `status=approved&page=2` */
  list(query = '', request: ApiRequest = {}): Promise<Answer> {
    return this.send({ query, ...request });
  }

  /**
   * Sends a request, and again as long as the answer says when.
   * @throws where nothing answers
   */
  async send(request: ApiRequest): Promise<Answer> {
    const { onAnswer, onWait, sleep } = this.#options;
    for (let waits = 0; ; waits += 1) {
      const answer = await this.#sendOnce(request);
      const seconds = waits < mostWaits ? secondsToWait(answer) : undefined;
      if (seconds === undefined) {
        onAnswer(answer);
        return answer;
      }
      this.waits += 1;
      onWait(answerText(answer), seconds);
      await sleep(seconds * 1000);
    }
  }

  async #sendOnce({ method = 'GET', path: at = path, query = '', token, headers = {}, body }: ApiRequest) {
    const { url, signal, token: usual } = this.#options;
    const key = headers['idempotency-key'];
    if (key !== undefined) this.idempotencyKeys.add(key);
    const sent = token ?? usual;
    const response = await fetch(`${url}${at}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: { ...(sent !== '' && { authorization: `Bearer ${sent}` }), ...headers },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(longestAnswerMs)]),
    });
    const text = await response.text();
    const { status, headers: answered } = response;
    return { routeKey: `${method} ${at}`, status, headers: answered, text, body: parsed(text) };
  }
}

/** An answer in a few words: its status, and what is wrong, with the id by which the log knows it. */
export function answerText({
  status,
  headers,
  body,
  text,
}: Pick<Answer, 'status' | 'headers' | 'body' | 'text'>) {
  const { error } = (body ?? {}) as { error?: { code?: unknown } }; // looked at with care
  const id = headers.get('x-request-id') ?? headers.get('apigw-requestid');
  const what = typeof error?.code === 'string' ? error.code : shown(text);
  return `${status} ${what}${id && status >= 500 ? ` (request ${id})` : ''}`;
}

/** How long a client has to wait before it comes again; undefined where it was not asked to. */
function secondsToWait({ status, headers }: Answer): number | undefined {
  const asked = headers.get('retry-after');
  if (status === 429 || (status === 503 && asked !== null)) return Number(asked) || throttleSeconds;
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
