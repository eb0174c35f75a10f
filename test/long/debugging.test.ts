import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { testimonialBody } from '../api-client.ts';
import { isolated, jsonOf, type ServiceProcess, startService } from '../service/service-process.ts';

const origin = 'http://localhost:5173';
let service: ServiceProcess;
beforeAll(async () => {
  const context = ['-c', `corsOrigins=${origin}`, '-c', 'moderation=true'];
  service = await startService(isolated(':memory:'), ['--inspect=127.0.0.1:0'], context);
});
// A process with an attached debugger does not end by itself.
afterAll(() => service.end('SIGKILL'));

const message = v.object({ method: v.optional(v.string()), params: v.optional(v.any()) });
// The texts of the sources would be most of a bundle.
const sourceMap = v.strictObject({
  version: v.literal(3),
  sources: v.array(v.string()),
  mappings: v.string(),
  names: v.array(v.string()),
});

/** Returns the sources in the source map of a script. */
async function sourcesOf({ url, sourceMapURL }: { url: string; sourceMapURL: string }): Promise<string[]> {
  const mapUrl = new URL(sourceMapURL, url);
  const { sources } = v.parse(sourceMap, JSON.parse(await readFile(mapUrl, 'utf8')));
  return sources.map((source) => new URL(source, mapUrl).href);
}

test('a debugger reaches the bundled handler in its worker, with its source map', async () => {
  const [, address = ''] = /Debugger listening on (ws:\S+)/.exec(service.log()) ?? [];
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const send = (id: number, method: string, params: object) =>
    socket.send(JSON.stringify({ id, method, params }));
  const handler = new URL('../../functions/list-testimonials/handler.ts', import.meta.url).href;
  const reached = Promise.withResolvers<void>();
  socket.addEventListener('message', ({ data }) => {
    const { method, params } = v.parse(message, JSON.parse(String(data)));
    if (method === 'NodeWorker.attachedToWorker') {
      const enable = JSON.stringify({ id: 1, method: 'Debugger.enable' });
      send(2, 'NodeWorker.sendMessageToWorker', { sessionId: params.sessionId, message: enable });
    }
    if (method !== 'NodeWorker.receivedMessageFromWorker') return;
    const inner = v.parse(message, JSON.parse(params.message));
    // Each function has a worker with its bundle; that of the index function starts first.
    if (/asset\.\w+\/index\.mjs$/.test(inner.params?.url))
      sourcesOf(inner.params).then(
        (sources) => sources.includes(handler) && reached.resolve(),
        reached.reject,
      );
  });
  send(1, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
  expect((await fetch(`${service.url}/v1/testimonials`)).status).toBe(401);
  await reached.promise;
  socket.close();
});

test('pages of an origin in corsOrigins may call the API', async () => {
  const { headers } = await fetch(`${service.url}/v1/testimonials`, { headers: { origin } });
  expect(headers.get('access-control-allow-origin')).toBe(origin);
});

test('moderation=true adds its operations, documents them, and the printed token allows them', async () => {
  const { paths } = await jsonOf<{ paths: Record<string, object> }>(
    await fetch(`${service.url}/docs/openapi.json`),
  );
  expect(Object.keys(paths['/v1/testimonials/{id}'] ?? {})).toEqual(['get', 'patch', 'delete']);
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const ask = (method: string, path: string, body?: object) =>
    fetch(`${service.url}/v1/testimonials${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
  const { id } = await jsonOf<{ id: string }>(await ask('POST', '', testimonialBody()));
  const changed = await ask('PATCH', `/${id}`, { status: 'approved' });
  expect(await changed.json()).toMatchObject({ id, status: 'approved' });
  expect((await ask('DELETE', `/${id}`)).status).toBe(204);
  expect((await ask('GET', `/${id}`)).status).toBe(404);
});
