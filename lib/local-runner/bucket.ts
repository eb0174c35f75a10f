/** Emulates the parts of S3 that media need, and refuses the requests that S3 refuses. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { AwsV4Signer } from 'aws4fetch';
import { serveOnLoopback } from '../serve-on-loopback.ts';
import { folderObjects, memoryObjects, type ObjectFacts, type ObjectStore } from './object-store.ts';
import { localClientConfig } from './settings.ts';
import type { TemplateBucket } from './template.ts';

export interface LocalBucketOptions {
  /** The rules of the bucket in the template. */
  definition: TemplateBucket;
  store: ObjectStore;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Returns false until the lifecycle rules apply. By default they always apply. */
  isExpiring?: () => boolean;
}

type Answering = (request: Request, key: string) => Promise<Response>;

/** The errors of S3, by code. */
const statuses = {
  AccessDenied: 403,
  InvalidAccessKeyId: 403,
  SignatureDoesNotMatch: 403,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  MalformedPOSTRequest: 400,
  NoSuchKey: 404,
  MethodNotAllowed: 405,
  PreconditionFailed: 412,
  InvalidRange: 416,
  NotImplemented: 501,
} as const;

class S3Error extends Error {
  readonly code: keyof typeof statuses;

  constructor(code: keyof typeof statuses, message: string = code) {
    super(message);
    this.code = code;
  }
}

const dayMs = 24 * 60 * 60 * 1000;

/** A local bucket. `fetch` responds to a request with the bucket in its path. */
export function localBucket(options: LocalBucketOptions) {
  const { definition, store, now = Date.now, isExpiring = () => true } = options;
  const expired = ({ key, tags, modified }: ObjectFacts) =>
    isExpiring() &&
    definition.lifecycle.some(({ prefix, tag, days }) => {
      // S3 rounds the end up to the next midnight UTC.
      const end = Math.ceil((modified + days * dayMs) / dayMs) * dayMs;
      return key.startsWith(prefix) && (!tag || tags[tag.key] === tag.value) && now() >= end;
    });

  /** Deletes the objects that have expired according to the lifecycle rules. */
  async function expire(): Promise<void> {
    for (const object of await store.list()) if (expired(object)) await store.remove(object.key);
  }

  const objectAt = async (key: string) => {
    const object = await store.get(key);
    if (!object || expired(object.facts)) throw new S3Error('NoSuchKey');
    return object;
  };

  const methods: Record<string, Answering> = {
    HEAD: async (request, key) => read(request, await objectAt(key)),
    GET: async (request, key) => read(request, await objectAt(key)),
    PUT: async (request, key) => {
      const source = request.headers.get('x-amz-copy-source');
      if (source === null) throw new S3Error('NotImplemented', 'The local bucket only copies');
      const from = await objectAt(source.replace(`/${definition.name}/`, ''));
      const wanted = request.headers.get('x-amz-copy-source-if-match');
      if (wanted !== null && wanted !== from.facts.etag) throw new S3Error('PreconditionFailed');
      const old = await store.get(key);
      const isThere = old !== undefined && !expired(old.facts);
      if (request.headers.get('if-none-match') === '*' && isThere) throw new S3Error('PreconditionFailed');
      const facts = copyFacts(request.headers, key, from.facts, now());
      await store.put(facts, from.body);
      return xml(200, `<CopyObjectResult><ETag>${facts.etag}</ETag></CopyObjectResult>`);
    },
    DELETE: async (request, key) => {
      if (new URL(request.url).searchParams.has('tagging')) {
        const { facts, body } = await objectAt(key);
        await store.put({ ...facts, tags: {} }, body);
      } else await store.remove(key);
      return new Response(null, { status: 204 });
    },
  };

  async function respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, bucket = '', key = ''] = /^\/([^/]+)\/(.*)$/s.exec(decodeURIComponent(pathname)) ?? [];
    if (bucket !== definition.name) throw new S3Error('AccessDenied', 'No such bucket');
    if (request.method === 'POST' && key === '') return post(options, now(), request);
    const answering = methods[request.method];
    if (!answering) throw new S3Error('MethodNotAllowed');
    await verifySignature(request, options, now());
    return answering(request, key);
  }

  return {
    expire,
    async fetch(request: Request): Promise<Response> {
      const headers = corsOf(definition, request);
      if (request.method === 'OPTIONS') {
        return new Response(null, { status: Object.keys(headers).length > 0 ? 200 : 403, headers });
      }
      const response = await respond(request).catch((error: unknown) => {
        if (!(error instanceof S3Error)) throw error;
        const { code, message } = error;
        return xml(statuses[code], `<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
      });
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return response;
    },
  };
}

const hourMs = 60 * 60 * 1000;

export type LocalBucket = Awaited<ReturnType<typeof startLocalBucket>>;

/**
 * Starts the bucket of a template on a free port. Objects expire only after `startExpiry`, because after a
 * long pause, copies of stored testimonials can still be drafts (`finishMedia`).
 * @param dataDir the folder for its objects, or `:memory:`
 * @param log receives errors, one line each
 */
export async function startLocalBucket(
  definition: TemplateBucket,
  dataDir: string,
  log: (message: string) => void,
) {
  const store = dataDir === ':memory:' ? memoryObjects() : await folderObjects(join(dataDir, 'bucket'));
  const { credentials, region } = localClientConfig('');
  let expiring: NodeJS.Timeout | undefined;
  const isExpiring = () => expiring !== undefined;
  const bucket = localBucket({ definition, store, region, credentials, isExpiring });
  const { port, stop } = await serveOnLoopback(0, () => bucket);
  const expire = () =>
    bucket.expire().catch((error: unknown) => log(`Expired uploads could not be deleted: ${error}`));
  return {
    name: definition.name,
    endpoint: `http://127.0.0.1:${port}`,
    objects: () => store.list(),
    /** Deletes expired objects, now and every hour. */
    async startExpiry(): Promise<void> {
      expiring = setInterval(expire, hourMs).unref();
      await expire();
    },
    async stop(): Promise<void> {
      clearInterval(expiring);
      await stop();
    },
  };
}

function xml(status: number, body: string): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/xml' } });
}

function copyFacts(headers: Headers, key: string, from: ObjectFacts, modified: number): ObjectFacts {
  const metadata = [...headers].filter(([name]) => name.startsWith('x-amz-meta-'));
  return {
    key,
    type: headers.get('content-type') ?? from.type,
    etag: from.etag,
    metadata: Object.fromEntries(metadata.map(([name, value]) => [name.slice(11), value])),
    tags: Object.fromEntries(new URLSearchParams(headers.get('x-amz-tagging') ?? '')),
    modified,
  };
}

/** Returns an object, or a range of it (RFC 9110, section 14). */
function read(request: Request, { facts, body }: { facts: ObjectFacts; body: Blob }): Response {
  const { etag, type, metadata, modified } = facts;
  const ifMatch = request.headers.get('if-match');
  if (ifMatch !== null && ifMatch !== etag) throw new S3Error('PreconditionFailed');
  const texts = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]);
  const headers: Record<string, string> = {
    ...Object.fromEntries(texts),
    etag,
    'accept-ranges': 'bytes',
    'last-modified': new Date(modified).toUTCString(),
  };
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
  const range = rangeOf(request.headers.get('range'), body.size);
  const part = range ? body.slice(range.from, range.to) : body;
  headers['content-type'] = type;
  headers['content-length'] = String(part.size);
  if (range) headers['content-range'] = `bytes ${range.from}-${range.to - 1}/${body.size}`;
  const content = request.method === 'HEAD' ? null : part.stream();
  return new Response(content, { status: range ? 206 : 200, headers });
}

function rangeOf(header: string | null, size: number): { from: number; to: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (from >= to) throw new S3Error('InvalidRange');
  return { from, to };
}

/** Stores the file of a form that its policy allows. */
async function post(
  { store, definition, ...options }: LocalBucketOptions,
  time: number,
  request: Request,
): Promise<Response> {
  const form = await request.formData().catch(() => undefined);
  const entries = [...(form?.entries() ?? [])];
  const file = entries.at(-1)?.[1];
  if (entries.at(-1)?.[0] !== 'file' || !(file instanceof Blob)) throw new S3Error('MalformedPOSTRequest');
  // Names of fields are case-insensitive.
  const fields = new Map(entries.slice(0, -1).map(([name, value]) => [name.toLowerCase(), String(value)]));
  checkForm(fields, file.size, { ...options, name: definition.name }, time);
  const etag = `"${createHash('md5')
    .update(new Uint8Array(await file.arrayBuffer()))
    .digest('hex')}"`;
  const key = fields.get('key') ?? '';
  const type = fields.get('content-type') ?? 'binary/octet-stream';
  await store.put({ key, type, etag, metadata: {}, tags: {}, modified: time }, file);
  return new Response(null, { status: 204, headers: { etag } });
}

interface Signing extends Pick<LocalBucketOptions, 'region' | 'credentials'> {
  name: string;
}

/** Checks the policy of a form, its signature, and that the policy allows every field. */
function checkForm(fields: Map<string, string>, bytes: number, signing: Signing, time: number): void {
  const { accessKeyId, secretAccessKey } = signing.credentials;
  const policy = fields.get('policy');
  if (policy === undefined) throw new S3Error('AccessDenied', 'The form is not signed');
  const [id, ...scope] = (fields.get('x-amz-credential') ?? '').split('/');
  if (id !== accessKeyId) throw new S3Error('InvalidAccessKeyId');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const signature = hmac(scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`), policy);
  checkSame(signature.toString('hex'), fields.get('x-amz-signature') ?? '');
  const { expiration, conditions } = JSON.parse(Buffer.from(policy, 'base64').toString());
  if (Date.parse(expiration) <= time) throw new S3Error('AccessDenied', 'Policy expired');
  const named = new Set(['policy', 'x-amz-signature']);
  for (const condition of conditions) {
    if (Array.isArray(condition)) {
      const [, least, most] = condition;
      if (bytes < least) throw new S3Error('EntityTooSmall');
      if (bytes > most) throw new S3Error('EntityTooLarge');
      continue;
    }
    for (const [name, value] of Object.entries(condition)) {
      named.add(name.toLowerCase());
      const actual = name === 'bucket' ? signing.name : fields.get(name.toLowerCase());
      if (actual !== value) throw new S3Error('AccessDenied', `Policy condition failed: ${name}`);
    }
  }
  const extra = [...fields.keys()].find((name) => !named.has(name) && !name.startsWith('x-ignore-'));
  if (extra !== undefined) throw new S3Error('AccessDenied', `Extra input fields: ${extra}`);
}

/** Verifies the signature in the header or in the URL of a request. */
async function verifySignature(
  { method, url, headers }: Request,
  { region, credentials }: Pick<LocalBucketOptions, 'region' | 'credentials'>,
  time: number,
): Promise<void> {
  const target = new URL(url);
  const query = target.searchParams;
  const signQuery = query.has('X-Amz-Signature');
  const header = headers.get('authorization') ?? '';
  const [, id, names = '', sent = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\S+, SignedHeaders=(\S+), Signature=(\w+)$/.exec(header) ?? [];
  const key = signQuery ? query.get('X-Amz-Credential')?.split('/')[0] : id;
  if (key === undefined) throw new S3Error('AccessDenied', 'The request is not signed');
  if (key !== credentials.accessKeyId) throw new S3Error('InvalidAccessKeyId');
  const datetime = (signQuery ? query.get('X-Amz-Date') : headers.get('x-amz-date')) ?? '';
  const signedAt = Date.parse(datetime.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
  const seconds = signQuery ? Number(query.get('X-Amz-Expires')) : 900;
  if (!(time < signedAt + seconds * 1000)) throw new S3Error('AccessDenied', 'Request has expired');
  const signature = query.get('X-Amz-Signature') ?? sent;
  query.delete('X-Amz-Signature');
  const signed = names.split(';').filter((name) => !['', 'host'].includes(name) && headers.has(name));
  const expected = await new AwsV4Signer({
    ...credentials,
    method,
    region,
    datetime,
    signQuery,
    service: 's3',
    allHeaders: true,
    url: target.href,
    headers: signed.map((name): [string, string] => [name, headers.get(name) ?? '']),
  }).signature();
  checkSame(expected, signature);
}

function checkSame(expected: string, actual: string): void {
  const [a, b] = [expected, actual].map((text) => createHash('sha256').update(text).digest());
  if (!a || !b || !timingSafeEqual(a, b)) throw new S3Error('SignatureDoesNotMatch');
}

/** Returns the headers that allow another origin to send this request. */
function corsOf({ cors }: TemplateBucket, { method, headers }: Request): Record<string, string> {
  const origin = headers.get('origin');
  const requestedMethod = headers.get('access-control-request-method') ?? method;
  const rule = cors.find(({ AllowedMethods }) => AllowedMethods.includes(requestedMethod));
  if (origin === null || !rule) return {};
  if (!rule.AllowedOrigins.some((each) => each === '*' || each === origin)) return {};
  return {
    'access-control-allow-origin': rule.AllowedOrigins.includes('*') ? '*' : origin,
    'access-control-allow-methods': rule.AllowedMethods.join(', '),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  };
}
