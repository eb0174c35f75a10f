/** The S3 bucket that stores photos and recordings: its calls, retries and errors. */
import { setTimeout as sleep } from 'node:timers/promises';
import { callTimeoutMs, requestTries } from '../timing.ts';
import { type Signer, type SigningOptions, signerOf } from './signing.ts';

export interface BucketObject {
  bytes: number;
  type: string;
  /** Changes with the bytes. */
  etag: string;
  /** The metadata of the object, by name. */
  metadata: Record<string, string>;
}

/** A copy, and the ETag that its source must have. */
export interface DraftCopy extends Pick<BucketObject, 'etag' | 'type' | 'metadata'> {
  from: string;
  to: string;
}

export type Bucket = ReturnType<typeof openBucket>;

/** The object of a call was changed or deleted. */
export class ObjectChanged extends Error {
  override name = 'ObjectChanged';
}

/** The tag of a draft. A lifecycle rule of the bucket names it. */
export const draftTag = { key: 'draft', value: '1' } as const;

/** Long, because copying 100 MB takes seconds. */
const copyTimeoutMs = 8000;

/** Sends a signed request. */
export type Send = (request: Request) => Promise<Response>;

/** Opens a bucket. Retries of its calls last as long as a client waits. */
export function openBucket(
  options: SigningOptions,
  send: Send = (request) => fetch(request),
  wait: (milliseconds: number) => Promise<unknown> = sleep,
) {
  const signer = signerOf(options);
  const call = callsOf(signer, send, wait);

  /** Returns undefined if the object does not exist. */
  async function find(key: string): Promise<BucketObject | undefined> {
    const response = await call('HEAD', key);
    if (isAbsent(response)) return undefined;
    throwUnless(response, 200);
    return objectOf(response.headers);
  }

  return {
    ...signer,
    find,

    /**
     * Reads a range of an object; `to` is exclusive.
     * @throws {ObjectChanged} if it has another ETag or is gone
     */
    async read(key: string, { from, to, etag }: { from: number; to: number; etag: string }) {
      const response = await call('GET', key, { range: `bytes=${from}-${to - 1}`, 'if-match': etag });
      if (isAbsent(response) || response.status === 412) throw new ObjectChanged(key);
      throwUnless(response, 206);
      return new Uint8Array(await response.arrayBuffer());
    },

    /**
     * Copies an object as a draft. The bucket deletes a draft within two days unless `keep` follows.
     * @returns false if the destination exists
     * @throws {ObjectChanged} if the source has another ETag or is gone
     */
    async copyAsDraft({ from, to, etag, type, metadata }: DraftCopy): Promise<boolean> {
      const response = await call(
        'PUT',
        to,
        copyHeaders(signer, { from, etag, type, metadata }),
        copyTimeoutMs,
      );
      // S3 may begin a response before a copy fails, and then reports the error in its body.
      const body = await response.text();
      if (response.status === 200 && body.includes('<ETag>')) return true;
      if (response.status !== 412 && !isAbsent(response)) throwUnless(response, 200);
      if (await find(to)) return false;
      throw new ObjectChanged(from);
    },

    /** Turns a draft into a permanent object. Does nothing if the object is gone. */
    async keep(key: string): Promise<void> {
      const response = await call('DELETE', `${key}?tagging`);
      // A missing right looks like a missing object.
      if (!isAbsent(response) || (await find(key))) throwUnless(response, 204);
    },

    /** Deletes an object. Does nothing if it does not exist. */
    async remove(key: string): Promise<void> {
      throwUnless(await call('DELETE', key), 204);
    },
  };
}

/**
 * Returns the function that calls a bucket. It retries after a status of 500 or more, and after 409: another
 * call has changed the object of a condition (ConditionalRequestConflict).
 */
function callsOf({ signCall }: Signer, send: Send, wait: (milliseconds: number) => Promise<unknown>) {
  return async (
    method: string,
    key: string,
    headers: Record<string, string> = {},
    timeoutMs = callTimeoutMs,
  ): Promise<Response> => {
    for (let tries = 1; ; tries += 1) {
      const signed = await signCall(method, key, headers);
      const isLast = tries === requestTries;
      try {
        const response = await send(new Request(signed, { signal: AbortSignal.timeout(timeoutMs) }));
        const mayPass = response.status >= 500 || response.status === 409;
        if (!mayPass || isLast) return response;
      } catch (error) {
        if (isLast) throw new Error(`The bucket does not respond to ${method}`, { cause: error });
      }
      await wait(Math.random() * 50 * 2 ** tries);
    }
  };
}

function copyHeaders({ name }: Signer, { from, etag, type, metadata }: Omit<DraftCopy, 'to'>) {
  const texts = Object.entries(metadata).map(([text, value]) => [`x-amz-meta-${text}`, value]);
  return {
    'x-amz-copy-source': `/${name}/${from}`,
    'x-amz-copy-source-if-match': etag,
    'x-amz-metadata-directive': 'REPLACE',
    'x-amz-tagging-directive': 'REPLACE',
    'x-amz-tagging': `${draftTag.key}=${draftTag.value}`,
    'content-type': type,
    // A copy never replaces another copy, because its testimonial may already be stored.
    'if-none-match': '*',
    ...Object.fromEntries(texts),
  };
}

/** Opens the bucket that the environment names. Returns undefined if the deployment has no media. */
export function bucketOf(
  environment: Record<string, string | undefined>,
  now: () => Date,
): Bucket | undefined {
  const { MEDIA_BUCKET: name, AWS_REGION: region = '', AWS_ENDPOINT_URL_S3: endpoint } = environment;
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = environment;
  if (!name) return undefined;
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
  return openBucket({ name, region, endpoint, credentials, now });
}

/** Without the right to list, S3 responds 403 for an object that does not exist. */
const isAbsent = ({ status }: Response) => status === 404 || status === 403;

function throwUnless({ status }: Response, expected: number): void {
  if (status !== expected) throw new Error(`The bucket responds with ${status} instead of ${expected}`);
}

function objectOf(headers: Headers): BucketObject {
  const texts = [...headers].filter(([name]) => name.startsWith('x-amz-meta-'));
  return {
    bytes: Number(headers.get('content-length')),
    type: headers.get('content-type') ?? '',
    etag: headers.get('etag') ?? '',
    metadata: Object.fromEntries(texts.map(([name, value]) => [name.slice('x-amz-meta-'.length), value])),
  };
}
