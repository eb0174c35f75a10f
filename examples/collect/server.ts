/** Serves a form that collects testimonials, and keeps the API's token for it. It needs nothing but Node.js 24. */
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { KeptForms } from './kept-forms.ts';
import { type Field, formPage, notFoundPage, notices, thanksPage, type View } from './page.ts';

const styleSheet = readFileSync(new URL('./collect.css', import.meta.url), 'utf8');

export interface CollectOptions {
  /** The address of the API. */
  url: string;
  /** A token that may do nothing but create: `testimonials:write`. */
  token: string;
  /** The number of tries while a person waits, the time limit of each, and the pause between them. */
  tries?: number;
  timeoutMs?: number;
  pauseMs?: number;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Receives lines for the operator, without any text of people. */
  log?: (line: string) => void;
}

/** Returns a server that shows the form and sends testimonials to the API. */
export function createServer({ log = console.error, now = Date.now, ...options }: CollectOptions): Server {
  const kept = new KeptForms(now);
  const api = { tries: 3, timeoutMs: 5000, pauseMs: 300, ...options };
  const server = createHttpServer(async (request, response) => {
    const answer = await answerTo(request).catch((error: Error): Answer => {
      log(`A request failed: ${error.message}`);
      return { status: 500, content: formPage({ notice: notices.incomplete }) };
    });
    const { status = 200, type = 'text/html', location, cache = 'no-store', content } = answer;
    response.writeHead(status, {
      ...securityHeaders,
      ...(location && { location }),
      'content-type': `${type}; charset=utf-8`,
      'cache-control': cache,
    });
    response.end(content);
  });
  // Slower requests are ended.
  server.requestTimeout = 60_000;
  return server;

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const [path, query] = request.url?.split('?') ?? [];
    switch (`${method} ${path}`) {
      case 'GET /':
        return shown({});
      case 'GET /again':
        return shown(
          kept.find(new URLSearchParams(query).get('form') ?? '') ?? { notice: notices.forgotten },
        );
      // Another address than the form's, which browsers would otherwise no longer keep (RFC 9111, section 4.4).
      case 'POST /send':
        return submit(await readForm(request));
      case 'GET /send':
        return { status: 303, location: '/', content: '' };
      case 'GET /thanks':
        return { content: thanksPage };
      case 'GET /collect.css':
        return { type: 'text/css', cache: 'no-cache', content: styleSheet };
      default:
        return { status: 404, content: notFoundPage };
    }
  }

  // A page in response to the POST would be sent again on a reload and on Back.
  function again(view: View): Answer {
    return { status: 303, location: `/again?form=${kept.keep(view)}`, content: '' };
  }

  async function submit(form: URLSearchParams | undefined): Promise<Answer> {
    if (!form) return again({ notice: notices.tooLarge });
    const key = form.get('key') ?? '';
    // Only keys of the form: others could belong to other clients of the organization.
    if (!keyPattern.test(key)) return again({ form, notice: notices.incomplete });

    const { status, error, reason } = await create(api, form, key);
    if (status === 201) return { status: 303, location: '/thanks', content: '' };
    // The testimonial with this key has arrived. The changed text is another one and needs its own key.
    if (error?.code === 'idempotency_key_reused') return again({ form, notice: notices.alreadySent });
    // Nothing was created, so the corrected form can use the key.
    if (status === 422) return again({ form, key, notice: notices.invalid, errors: error?.details ?? {} });
    // Perhaps only the response was lost. With the same key, the testimonial is created once.
    log(`A testimonial could not be sent: ${reason}`);
    return again({ form, key, notice: notices.notSent });
  }
}

/** Lets the browser keep the page for Back, so that a form sent again has the same key. */
function shown(view: View): Answer {
  return { cache: 'private, no-cache', content: formPage(view) };
}

interface Answer {
  status?: number;
  type?: string;
  location?: string;
  cache?: string;
  content: string;
}

const securityHeaders = {
  // Only the page, its style sheet and its form, and no frames, in which another page could cover it.
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

// Twice the longest testimonial of the API in the letters that need most bytes in a form.
const mostBytes = 256 * 1024;

/** Returns the fields of a request; undefined if it is too large. Reads to its end, as browsers expect. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= mostBytes) chunks.push(chunk);
  }
  return size <= mostBytes ? new URLSearchParams(Buffer.concat(chunks).toString()) : undefined;
}

const keyPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Outcome {
  /** The API's status; 502 if it cannot be reached. */
  status: number;
  error?: { code?: string; details?: Record<string, string>; requestId?: string } | undefined;
  /** For the log. */
  reason: string;
}

/** Creates a testimonial. Each try has the same key, so that it is created once even if a response is lost. */
async function create(
  { url, token, tries, timeoutMs, pauseMs }: Required<Omit<CollectOptions, 'log' | 'now'>>,
  form: URLSearchParams,
  key: string,
): Promise<Outcome> {
  const body = JSON.stringify(testimonialOf(form));
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const once = async (): Promise<Outcome> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const address = `${url.replace(/\/$/, '')}/v1/testimonials`;
    const answer = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'error' });
    const error = errorOf(await answer.text());
    const { status } = answer;
    return { status, error, reason: `the API answers ${status}, request ${error?.requestId ?? 'unknown'}` };
  };
  for (let tried = 1; ; tried += 1) {
    const outcome = await once().catch(
      (error: Error): Outcome => ({ status: 502, reason: String(error.cause ?? error) }),
    );
    if (tried === tries || (outcome.status < 500 && outcome.status !== 429)) return outcome;
    await pause(pauseMs);
  }
}

/** Returns the error of the API; undefined if its form is not the documented one. */
function errorOf(text: string): Outcome['error'] {
  try {
    return JSON.parse(text).error;
  } catch {
    return undefined;
  }
}

/** Returns the typed testimonial without blank fields. The API checks the rules. */
function testimonialOf(form: URLSearchParams): object {
  const typed = (field: Field) => form.get(field)?.trim() || undefined;
  const author = {
    name: typed('author.name'),
    email: typed('author.email'),
    company: typed('author.company'),
  };
  const rating = typed('rating');
  return { content: typed('content'), author, rating: rating && Number(rating), type: 'text' };
}

if (import.meta.main) {
  const { TESTIMONIALS_URL = '', TESTIMONIALS_TOKEN = '' } = process.env;
  // A port of its own: PORT is that of the API on this machine.
  const { COLLECT_PORT = '8080', COLLECT_HOST = '127.0.0.1' } = process.env;
  const missing = [
    /^https?:\/\//.test(TESTIMONIALS_URL) ? [] : 'TESTIMONIALS_URL, the address of the API',
    TESTIMONIALS_TOKEN ? [] : 'TESTIMONIALS_TOKEN, a token with the permission testimonials:write',
    /^\d+$/.test(COLLECT_PORT) && Number(COLLECT_PORT) < 65_536 ? [] : 'COLLECT_PORT, a number below 65,536',
  ].flat();
  if (missing.length > 0) {
    console.error(`Please set ${missing.join('; and ')}.`);
    process.exit(1);
  }
  const server = createServer({ url: TESTIMONIALS_URL, token: TESTIMONIALS_TOKEN });
  server.on('error', ({ message }) => {
    console.error(`The server cannot start: ${message}. COLLECT_PORT sets another port.`);
    process.exit(1);
  });
  server.listen(Number(COLLECT_PORT), COLLECT_HOST, () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : COLLECT_PORT;
    console.log(`The form is at http://${COLLECT_HOST}:${port}`);
  });
}
