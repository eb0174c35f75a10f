/** A form that asks for media, its uploads and a bucket, as the service and S3 are for a browser. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { mediaFormCode } from '../../functions/serve-pages/bundle.ts';
import { mediaHeaders } from '../../functions/serve-pages/form-media.ts';
import { formPage, type ShownForm, thanksPage } from '../../functions/serve-pages/form-page.ts';
import { listen } from '../listen.ts';
import { viewOf } from '../unit/serve-pages/form-view.ts';

interface Upload {
  key: string;
  kind: string;
  type: string;
  bytes: Buffer;
}

/** Starts both on free ports. */
export async function startMediaService() {
  const code = await mediaFormCode();
  const state = {
    settings: {} as Record<string, string>,
    view: {} as Partial<ShownForm>,
    /** The requests for signed forms. */
    asked: [] as { key: string; kind: string; type: string; bytes: number }[],
    /** What has arrived in the bucket. */
    stored: [] as Upload[],
    /** The forms that arrived. */
    sent: [] as URLSearchParams[],
    /** What the bucket does with the next uploads instead of storing them. */
    mishaps: [] as ('lose' | 'expire' | 'wait' | 'wait and lose')[],
    /** Ends the upload that waits. */
    goOn: undefined as (() => void) | undefined,
    /** What the service responds with instead of a signed form. */
    refusal: undefined as [status: number, body: object] | undefined,
  };
  let keys = 0;

  async function respond(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '', origin);
    if (url.pathname === '/f/1/uploads') {
      const asked = JSON.parse(await text(request));
      if (state.refusal) {
        const [status, body] = state.refusal;
        return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      }
      state.asked.push(asked);
      const { key, kind, type } = asked;
      const form = {
        url: `${bucket}/`,
        fields: { 'Content-Type': type, key: `in/f/1/${key}/${kind}`, Policy: 'p' },
      };
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(form));
    }
    const typed = new URLSearchParams(request.method === 'POST' ? await text(request) : '');
    const shown = viewOf(state.settings, {
      url: `${origin}/f/1`,
      code,
      key: String(++keys).padStart(22, '0'),
      shownAt: 1_700_000_000_000,
      typed: new URLSearchParams(),
      ...state.view,
    });
    if (request.method === 'POST') {
      state.sent.push(typed);
      return response.writeHead(303, { location: '/f/1/thanks' }).end();
    }
    const isThanks = url.pathname === '/f/1/thanks';
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      ...mediaHeaders(code, shown.settings, bucket),
    });
    return response.end(String(isThanks ? thanksPage(shown) : formPage(shown)));
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
    // S3 ignores what follows the file.
    if (fields.at(-1)?.[0] !== 'file') return response.writeHead(400).end();
    state.stored.push({ key: submission, kind, type, bytes: Buffer.from(file, 'latin1') });
    return response.writeHead(204).end();
  }

  const origin = await listen(createServer(respond));
  const bucket = await listen(createServer(store));
  return { state, origin, bucket };
}
