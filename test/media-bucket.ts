/** A bucket in this process, whose calls need the rights of their actor and can fail. */
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { type Bucket, openBucket } from '../functions/media/bucket.ts';
import { localBucket } from '../lib/local-runner/bucket.ts';
import { memoryObjects, type ObjectStore } from '../lib/local-runner/object-store.ts';
import { localClientConfig } from '../lib/local-runner/settings.ts';
import type { ApiClient } from './api-client.ts';
import { actAs, assertMayCall } from './iam/acting.ts';

export const bucketDefinition = {
  name: 'media',
  cors: [{ AllowedMethods: ['POST'], AllowedOrigins: ['*'] }],
  lifecycle: [
    { prefix: 'in/', days: 1 },
    { prefix: 'm/', days: 1, tag: { key: 'draft', value: '1' } },
    { prefix: 'm/checkcheck', days: 1 },
  ],
};

export interface TestBucket {
  bucket: Bucket;
  store: ObjectStore;
  /** Milliseconds that the clock of the bucket is ahead. */
  clock: { aheadMs: number };
  /** The calls so far: `HEAD m/…`. */
  calls: string[];
  /**
   * Called before each call; returns a response instead of the bucket's, or throws. `forward` makes the call.
   */
  fault: (
    call: string,
    number: number,
    forward: () => Promise<Response>,
  ) => Promise<Response | undefined> | Response | undefined;
  fetch: (request: Request) => Promise<Response>;
  /** Posts a file with a signed form, as a browser does. */
  post(form: { url: string; fields: Record<string, string> }, file: Uint8Array): Promise<Response>;
  /** Returns the keys of its objects, sorted. */
  keys(): Promise<string[]>;
  /** Deletes what the lifecycle rules name. */
  expire(): Promise<void>;
}

/** @param endpoint the URL at which a test serves `fetch` */
export function testBucket(endpoint = 'http://bucket.localhost'): TestBucket {
  const { credentials, region } = localClientConfig('');
  const store = memoryObjects();
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const local = localBucket({ definition: bucketDefinition, store, region, credentials, now });
  const calls: string[] = [];
  const options = { name: bucketDefinition.name, endpoint, region, credentials, now: () => new Date(now()) };
  const send = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const call = `${request.method} ${pathname.replace('/media/', '')}${search}`;
    calls.push(call);
    const forward = async () => {
      assertMayCall(request);
      return local.fetch(request);
    };
    return (await test.fault(call, calls.length, forward)) ?? forward();
  };
  const bucket = openBucket(options, send, async () => {});
  const test: TestBucket = {
    bucket,
    store,
    clock,
    calls,
    fault: () => undefined,
    fetch: local.fetch,
    expire: local.expire,
    post({ url, fields }, file) {
      const key = String(fields.key);
      // S3 asks whether the signer may put the object.
      const signer = key.startsWith('in/f/') ? 'ServePages' : 'CreateTestimonial';
      actAs(signer, () => assertMayCall(new Request(url + key, { method: 'PUT' })));
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      body.append('file', new Blob([file as Uint8Array<ArrayBuffer>])); // of this process
      return local.fetch(new Request(url, { method: 'POST', body }));
    },
    keys: async () => (await store.list()).map(({ key }) => key).sort(),
  };
  return test;
}

/** Uploads a file as a client of the API does, by default a video. Returns the id of the upload. */
export async function uploadTo(
  bucket: TestBucket,
  api: Pick<ApiClient, 'call' | 'token'>,
  {
    kind = 'recording',
    type = 'video/mp4',
    file = mediaFile('h264-aac.mp4'),
    token = api.token,
  }: Partial<Record<'kind' | 'type' | 'token', string>> & { file?: Uint8Array } = {},
): Promise<string> {
  const { status, body } = await api.call({
    routeKey: 'POST /v1/uploads',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind, type, bytes: file.length }),
  });
  expect(status).toBe(201);
  expect((await bucket.post(body, file)).status).toBe(204);
  return body.upload;
}

/** Returns a file of test/fixtures/media. */
export function mediaFile(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`./fixtures/media/${name}`, import.meta.url)));
}
