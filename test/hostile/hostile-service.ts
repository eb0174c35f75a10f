/** The real handlers on stores in memory that record the writes of each request. */

import { randomInt, randomUUID } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Page, PageKind } from '../../functions/domain/page.ts';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import { hashSecret, makeSecret, type Permission } from '../../functions/domain/token.ts';
import { openTable } from '../../functions/dynamodb/table.ts';
import { createsOn } from '../../functions/testimonials/creates.ts';
import { ListMemory } from '../../functions/testimonials/list-index/read/memory.ts';
import { pinnedListsOn } from '../../functions/testimonials/pinned-lists.ts';
import {
  type ApiRequest,
  callHandler,
  contextOf,
  handlersOf,
  ownPermissions,
  type ServiceResponse,
} from '../api-client.ts';
import { testBucket } from '../media-bucket.ts';
import { pagesHandlerOf } from '../page-visitor.ts';
import { input as usual } from '../testimonials.ts';
import { leaksIn, logsOf } from '../watched-logs.ts';
import { interceptCalls } from '../world/backend.ts';
import { type InMemoryBackend, inMemoryBackend } from '../world/in-memory-backend.ts';
import { isWrite } from '../world/tries.ts';
import { createWorld } from '../world/world.ts';
import type { Visit } from './visits.ts';

const organization = 'acme';
const clock = Date.parse('2026-01-15T12:00:00.000Z');

/** Returns stores with some testimonials. */
async function filledBackend() {
  const backend = inMemoryBackend();
  const world = await createWorld(backend, { organization });
  const input: TestimonialInput = { ...usual, author: { name: 'Jané Amado', email: 'jane@example.com' } };
  for (let i = 0; i < 8; i += 1) {
    const tags = [i % 2 === 0 ? 'ux' : 'Größe'];
    const content = `Amazing node.js product ${i} 素晴らしい`;
    await world.create({ ...input, content, rating: 1 + (i % 5), tags });
  }
  await world.settle();
  await world.create({ ...input, type: 'video' });
  return backend;
}

/** The number of requests after which the stores return to their initial state. */
const renewEvery = 200;

/** Returns stores that begin as others and record the writes of each request. */
function recording(template: InMemoryBackend, onRenewal = () => {}) {
  let backend = template.clone();
  let written: string[] = [];
  let count = 0;
  return {
    stores: () =>
      interceptCalls(backend, (name, call) => {
        if (isWrite(name)) written.push(name);
        return call();
      }),
    /** Prepares the stores for the next request. */
    next() {
      written = [];
      count += 1;
      if (count % renewEvery !== 0) return;
      backend = template.clone();
      onRenewal();
    },
    /** Returns a problem if a request wrote anything. */
    wrote: (status: number) =>
      written.length === 0 ? [] : [`${status}, but it wrote: ${written.join(', ')}`],
  };
}

export async function hostileService() {
  const tokens = {
    both: makeSecret('tst', randomInt),
    read: makeSecret('tst', randomInt),
    write: makeSecret('tst', randomInt),
  };
  const allowed = new Map<string, Permission[]>([
    [hashSecret(tokens.both), ownPermissions],
    [hashSecret(tokens.read), ['testimonials:read']],
    [hashSecret(tokens.write), ['testimonials:write']],
  ]);
  const template = await filledBackend();
  const memory = new ListMemory();
  const recorded = recording(template, () => memory.get(organization).clear());
  // The handlers never call this table.
  const handlers = handlersOf(openTable('none', { config: { region: 'none' } }), {
    findToken: async (hash) => {
      const permissions = allowed.get(hash);
      return permissions && { hash, organization, permissions, createdAt: '2026-01-15T10:30:00.000Z' };
    },
    now: () => new Date(clock),
    stores: recorded.stores,
    memory,
    bucket: testBucket().bucket,
  });

  return {
    tokens,
    /** The ids of the initial testimonials. */
    ids: template.stored(organization).map(({ testimonial }) => testimonial.id),
    /** Sends a request and returns the problems of its response. */
    async respond(request: ApiRequest): Promise<{ problems: string[] }> {
      recorded.next();
      try {
        const response = await callHandler(handlers, request);
        const wrote = response.status >= 400 ? recorded.wrote(response.status) : [];
        return { problems: [...problemsOf(response), ...wrote] };
      } catch (error) {
        return { problems: [error instanceof Error ? error.message : String(error)] };
      }
    },
  };
}

/** Texts of testimonials that no visitor may see. */
const hidden = ['A pending secret of ours', 'An approved secret of another', 'private.example'];

const pageOf = (id: string, kind: PageKind, more: Partial<Page> = {}): Page => ({
  id: id.repeat(22),
  organization,
  kind,
  title: 'How do you like it?',
  settings: {},
  createdAt: '2026-01-15T10:30:00.000Z',
  ...more,
});

/** A form and a wall, and those of another organization. */
export const pages = {
  form: pageOf('f', 'form', { settings: { tags: 'website', link: 'https://www.example.com/' } }),
  wall: pageOf('w', 'wall', { settings: { limit: '5' } }),
  otherForm: pageOf('F', 'form', { organization: 'other' }),
  otherWall: pageOf('W', 'wall', { organization: 'other' }),
};

/** The forms and walls of the same handlers and stores. */
export async function hostilePages() {
  const template = await filledBackend();
  const ours = await createWorld(template, { organization });
  const author = { name: 'Jané Amado', email: 'jane@private.example' };
  const shown = await ours.create({ ...usual, content: 'An approved text of ours', author });
  await ours.setStatus(shown.id, 'approved');
  await ours.create({ ...usual, content: hidden[0] ?? '', author });
  const others = await createWorld(template, { organization: 'other' });
  const other = await others.create({ ...usual, content: hidden[1] ?? '', author });
  await others.setStatus(other.id, 'approved');
  const { stores, ...recorded } = recording(template);
  const now = () => new Date(clock);
  const handler = pagesHandlerOf(openTable('none', { config: { region: 'none' } }), {
    now,
    findBrand: async () => ({}),
    findPage: async (id) => Object.values(pages).find((page) => page.id === id),
    lists: pinnedListsOn(stores),
    creates: createsOn(stores, { now }),
  });
  return {
    shownAt: clock - 60_000,
    /** Sends a request and returns the problems of its response. */
    async visit(visit: Visit): Promise<string[]> {
      recorded.next();
      try {
        const { result, logged } = await logsOf(() => handler(eventOfVisit(visit), contextOf()));
        const { statusCode: status = 0, headers = {}, body = '', isBase64Encoded } = result;
        const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
        const sent: Record<string, string> = Object.fromEntries(lowerCased);
        const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
        const text = String(sent['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes);
        const wrote = status === 303 ? [] : recorded.wrote(status);
        const leaks = leaksIn(logged, typedTexts(visit));
        return [...wrongHeaders(sent), ...wrote, ...leaks, ...problemsOfPage(visit, status, sent, text)];
      } catch (error) {
        return [error instanceof Error ? String(error.stack) : String(error)];
      }
    },
  };
}

function eventOfVisit({ method, path, query, headers, ...body }: Visit): APIGatewayProxyEventV2 {
  const http = { method, path, sourceIp: '192.0.2.1' };
  return {
    version: '2.0',
    routeKey: 'ANY /f/{id}',
    rawPath: path,
    rawQueryString: query,
    headers,
    requestContext: { requestId: randomUUID(), http },
    isBase64Encoded: false,
    ...body,
  } as unknown as APIGatewayProxyEventV2; // the handler reads no other part
}

/** Returns the texts of people in a form, in any encoding. */
function typedTexts({ body = '', isBase64Encoded }: Visit): string[] {
  const typed = new URLSearchParams(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
  return ['content', 'author.name', 'author.email', 'author.role', 'author.company'].flatMap((name) =>
    typed.getAll(name),
  );
}

const statuses = [200, 303, 304, 404, 405, 413, 422];

function problemsOfPage(
  { path }: Visit,
  status: number,
  headers: Record<string, string>,
  text: string,
): string[] {
  const isPage = headers['content-type']?.startsWith('text/html') ?? false;
  const scripts = text.match(/<script/g)?.length ?? 0;
  return [
    ...(statuses.includes(status) ? [] : [`the status is ${status}`]),
    ...hidden.filter((each) => !path.includes(each) && text.includes(each)).map((each) => `it shows ${each}`),
    ...(isPage && scripts !== 1 ? [`${scripts} scripts`] : []),
    ...(isPage && !/^default-src 'none'/.test(headers['content-security-policy'] ?? '') ? ['no policy'] : []),
    ...('set-cookie' in headers ? ['a cookie'] : []),
  ];
}

function wrongHeaders(headers: Record<string, string>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return [];
    } catch {
      return [`the header ${name} cannot be sent`];
    }
  });
}

function problemsOf({ status, headers, body }: ServiceResponse): string[] {
  return [
    ...wrongHeaders(headers),
    ...(status >= 500 ? [`the status is ${status}`] : []),
    ...(status >= 400 && body.error.requestId !== headers['x-request-id'] ? ['two request ids'] : []),
    // Valibot's own messages, such as “Invalid type: Expected Object”.
    ...(/"Invalid \w+: /.test(JSON.stringify(body?.error?.details ?? '')) ? ['a rule without words'] : []),
  ];
}
