/** A service of forms and uploads and a bucket, which respond to a browser as the service and S3 do. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import type { FrameLocator, Page } from 'playwright-core';
import * as v from 'valibot';
import { testimonialInput } from '../../functions/domain/testimonial.ts';
import { isBlank } from '../../functions/domain/visible-text.ts';
import type { ErrorDetails } from '../../functions/http/api-error.ts';
import { describeIssues } from '../../functions/http/validate.ts';
import { embedScript, formCode, mediaFormCode } from '../../functions/serve-pages/bundle.ts';
import { mediaHeaders } from '../../functions/serve-pages/form-media.ts';
import { formPage, type ShownForm, thanksPage } from '../../functions/serve-pages/form-page.ts';
import { policyOf } from '../../functions/serve-pages/html-page.ts';
import { listen } from '../listen.ts';
import { viewOf } from '../unit/serve-pages/form-view.ts';

/** The values that someone types into a form. */
export const valid = {
  content: 'They answered within the hour, and it works.',
  'author.name': 'Jane Doe',
  'author.email': 'jane@example.com',
};

/** Fills in a form, and agrees. */
export async function fillForm(
  page: Page | FrameLocator,
  fields: Record<string, string> = valid,
): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name="${name}"]`).fill(value);
  await page.locator('[name=consent]').check();
}

/** Returns the broken rules of a form, in the API's words. */
export function errorsOf(sent: URLSearchParams): ErrorDetails {
  const field = (name: string) => (isBlank(sent.get(name) ?? '') ? undefined : sent.get(name));
  const optional = { role: field('author.role'), company: field('author.company') };
  const typed = Object.fromEntries(Object.entries(optional).filter(([, value]) => value));
  const { issues = [] } = v.safeParse(testimonialInput, {
    content: field('content'),
    type: 'text',
    author: { name: field('author.name'), email: field('author.email'), ...typed },
  });
  return { ...describeIssues(issues), ...(!sent.has('consent') && { consent: 'is required' }) };
}

interface Upload {
  key: string;
  kind: string;
  type: string;
  bytes: Buffer;
}

/** The next response of the service, and the requests that have arrived. */
const newState = () => ({
  settings: {} as Record<string, string>,
  view: {} as Partial<ShownForm> & { title?: string },
  /** The forms that arrived. */
  sent: [] as URLSearchParams[],
  /** True if the responses to forms are lost. */
  losesResponses: false,
  /** The requests for signed forms. */
  asked: [] as { key: string; kind: string; type: string; bytes: number }[],
  /** The response instead of a signed form. */
  refusal: undefined as [status: number, body: object] | undefined,
  /** The uploads that have arrived in the bucket. */
  stored: [] as Upload[],
  /** The bucket's responses to the next uploads, which it does not store. */
  mishaps: [] as ('lose' | 'expire' | 'wait' | 'wait and lose')[],
  /** Ends the upload that waits. */
  goOn: undefined as (() => void) | undefined,
});

/** Starts both on free ports. */
export async function startFormService() {
  const [code, mediaCode, embed] = await Promise.all([formCode(), mediaFormCode(), embedScript()]);
  const state = newState();
  let keys = 0;

  async function respond(request: IncomingMessage, response: ServerResponse) {
    const { pathname } = new URL(request.url ?? '', origin);
    response.setHeader('access-control-allow-origin', '*');
    if (pathname === '/embed.js') return response.setHeader('content-type', 'text/javascript').end(embed);
    if (pathname === '/elsewhere') return response.end('<!doctype html><title>Elsewhere</title>');
    if (pathname === '/f/1/uploads') {
      const asked = JSON.parse(await text(request));
      response.setHeader('content-type', 'application/json');
      if (state.refusal) {
        const [status, body] = state.refusal;
        return response.writeHead(status).end(JSON.stringify(body));
      }
      state.asked.push(asked);
      const { key, kind, type } = asked;
      const fields = { 'Content-Type': type, key: `in/f/1/${key}/${kind}`, Policy: 'p' };
      return response.end(JSON.stringify({ url: `${bucket}/`, fields }));
    }
    const shown = viewOf(state.settings, {
      url: `${origin}/f/1`,
      code: state.settings.ask ? mediaCode : code,
      key: String(++keys).padStart(22, '0'),
      shownAt: 1_700_000_000_000 + keys,
      typed: new URLSearchParams(),
      ...state.view,
    });
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache', // as the service sends
      'content-security-policy': policyOf(shown.code),
      ...mediaHeaders(shown.code, shown.settings, bucket),
    };
    if (request.method !== 'POST') {
      const page = pathname.endsWith('/thanks') ? thanksPage(shown) : formPage(shown);
      return response.writeHead(200, headers).end(String(page));
    }
    const typed = new URLSearchParams(await text(request));
    state.sent.push(typed);
    if (state.losesResponses) return request.socket.destroy();
    const errors = errorsOf(typed);
    if (Object.keys(errors).length === 0) return response.writeHead(303, { location: '/f/1/thanks' }).end();
    const key = typed.get('key') ?? '';
    const refused = formPage({ ...shown, key, typed, errors, notice: 'invalid' });
    return response.writeHead(200, headers).end(String(refused));
  }

  async function store(request: IncomingMessage, response: ServerResponse) {
    // A browser repeats a request by itself if a connection that it used before is lost.
    response.setHeader('connection', 'close');
    if (request.method === 'OPTIONS') {
      const allowed = { 'access-control-allow-origin': '*', 'access-control-allow-methods': 'POST' };
      return response.writeHead(200, allowed).end();
    }
    const mishap = state.mishaps.shift();
    if (mishap === 'lose') return request.socket.destroy();
    const body = await buffer(request);
    const [, boundary = ''] = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '') ?? [];
    if (mishap?.startsWith('wait')) {
      await new Promise<void>((resolve) => {
        state.goOn = resolve;
      });
      state.goOn = undefined;
    }
    if (mishap === 'wait and lose') return request.socket.destroy();
    response.setHeader('access-control-allow-origin', '*');
    if (mishap === 'expire') return response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    const parts = body.toString('latin1').split(`--${boundary}`).slice(1, -1);
    const fields = parts.map((part) => {
      const [, name = '', value = ''] = /name="([^"]+)"[\s\S]*?\r\n\r\n([\s\S]*)\r\n$/.exec(part) ?? [];
      return [name, value] as const;
    });
    const { key = '', 'Content-Type': type = '', file = '' } = Object.fromEntries(fields);
    const [, , , submission = '', kind = ''] = key.split('/');
    // S3 ignores all fields after the file.
    if (fields.at(-1)?.[0] !== 'file') return response.writeHead(400).end();
    state.stored.push({ key: submission, kind, type, bytes: Buffer.from(file, 'latin1') });
    return response.writeHead(204).end();
  }

  const origin = await listen(createServer(respond));
  const bucket = await listen(createServer(store));
  function reset(): void {
    Object.assign(state, newState());
  }
  return { state, origin, bucket, reset };
}
