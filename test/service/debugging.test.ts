import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { isolated, type ServiceProcess, startService } from './service-process.ts';

const origin = 'http://localhost:5173';
let service: ServiceProcess;
beforeAll(async () => {
  const context = ['-c', `corsOrigins=${origin}`];
  service = await startService(isolated(':memory:'), ['--inspect=127.0.0.1:0'], context);
});
// A process with a debugger attached does not end by itself.
afterAll(() => service.end('SIGKILL'));

const message = v.object({ method: v.optional(v.string()), params: v.optional(v.any()) });
const sourceMap = v.object({ sources: v.array(v.string()) });

test('a debugger reaches the bundled handler in its worker, with its source map', async () => {
  const address = /Debugger listening on (ws:\S+)/.exec(service.log())?.[1] ?? '';
  const socket = new WebSocket(address);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const parsed = new Promise<{ url: string; sourceMapURL: string }>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      const { method, params } = v.parse(message, JSON.parse(String(data)));
      if (method === 'NodeWorker.attachedToWorker') {
        const enable = JSON.stringify({ id: 1, method: 'Debugger.enable' });
        send(2, 'NodeWorker.sendMessageToWorker', { sessionId: params.sessionId, message: enable });
      }
      if (method === 'NodeWorker.receivedMessageFromWorker') {
        const inner = v.parse(message, JSON.parse(params.message));
        if (/asset\.\w+\/index\.mjs$/.test(inner.params?.url)) resolve(inner.params);
      }
    });
  });
  const send = (id: number, method: string, params: object) =>
    socket.send(JSON.stringify({ id, method, params }));
  send(1, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
  const answer = await fetch(`${service.url}/v1/testimonials`);
  expect(answer.status).toBe(401);
  const { url, sourceMapURL } = await parsed;
  socket.close();
  const mapUrl = new URL(sourceMapURL, url);
  const { sources } = v.parse(sourceMap, JSON.parse(await readFile(mapUrl, 'utf8')));
  const handler = new URL('../../functions/list-testimonials/handler.ts', import.meta.url);
  expect(sources.map((source) => new URL(source, mapUrl).href)).toContain(handler.href);
});

test('pages of an origin that the context names may call the API', async () => {
  const preflight = await fetch(`${service.url}/v1/testimonials`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
  expect(preflight.headers.get('access-control-allow-headers')).toBe(
    'Authorization,Content-Type,Idempotency-Key',
  );
});
