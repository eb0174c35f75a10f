/** The desk of the local service, by the link that `npm start -- -c desk=true` prints. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { type RunningService, runService } from '../../lib/local-runner/run.ts';
import { readSettings } from '../../lib/local-runner/settings.ts';
import { isolated } from '../service/service-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'testimonials-desk-service-'));
let service: RunningService;
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<RunningService> {
  service = await runService(readSettings(isolated(folder)), {
    context: { pages: 'false', media: 'false' },
    log: () => {},
  });
  return service;
}

/** Opens the link as a browser does, and returns the queue. */
async function queueBy({ deskLink = '' }: RunningService): Promise<{ status: number; text: string }> {
  const [address = '', secret = ''] = deskLink.split('#');
  // An IP address can be no relying party of passkeys.
  const { origin, hostname } = new URL(address);
  expect(hostname).toBe('localhost');
  expect((await fetch(address)).status).toBe(200);
  const opened = await fetch(address, {
    method: 'POST',
    body: new URLSearchParams({ invitation: secret }),
    headers: { origin },
    redirect: 'manual',
  });
  const [cookie = ''] = String(opened.headers.getSetCookie()).split(';');
  const queue = await fetch(`${origin}${opened.headers.get('location')}`, { headers: { cookie } });
  return { status: queue.status, text: await queue.text() };
}

test('the link of each start opens a queue with pending testimonials, for the same person', async () => {
  const first = await queueBy(await start());
  expect(first.status).toBe(200);
  expect(first.text).toContain('Amazing product! It saved our team two days a week.');
  await service.stop();
  const second = await queueBy(await start());
  expect(second.text).toContain('3 pending');
  const icon = /href="([^"]*icon\.svg)"/.exec(second.text)?.[1];
  expect((await fetch(`${service.url}${icon}`)).headers.get('cache-control')).toContain('immutable');
});
