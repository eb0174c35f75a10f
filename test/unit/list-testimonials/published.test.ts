/** Published lists: their content after any history, and that they reveal nothing else. */

import { randomInt } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import fc from 'fast-check';
import * as v from 'valibot';
import { matcherOf } from '../../../functions/domain/list-query.ts';
import { maskAddresses, maskedAddress } from '../../../functions/domain/mask-addresses.ts';
import { statuses, type Testimonial, type TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { publishedId } from '../../../functions/domain/testimonial-id.ts';
import { hashSecret, makeSecret, type Permission } from '../../../functions/domain/token.ts';
import { queryValues } from '../../../functions/http/validate.ts';
import { createHandler, pageLinks } from '../../../functions/list-testimonials/handler.ts';
import { listQuery, type ParameterValues } from '../../../functions/list-testimonials/parameters.ts';
import { listsOn } from '../../../functions/testimonials/lists.ts';
import { contextOf, eventOf, type ServiceResponse } from '../../api-client.ts';
import { noBudgets } from '../../no-budgets.ts';
import { undocumented } from '../../openapi.ts';
import { runsOf } from '../../some-of.ts';
import { WatchedLogger } from '../../watched-logs.ts';
import { input } from '../../world/arbitraries.ts';
import { type Backend, interceptCalls } from '../../world/backend.ts';
import { history, play } from '../../world/histories.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld, type World } from '../../world/world.ts';

const routeKey = 'GET /v1/testimonials';
const path = '/v1/testimonials';
const tokens = { all: makeSecret('tst', randomInt), published: makeSecret('tst', randomInt) };
const allowed: Record<keyof typeof tokens, Permission> = {
  all: 'testimonials:read',
  published: 'testimonials:read-published',
};

/** Requests lists with either token, and checks published lists against the contract. */
function asking(backend: Backend) {
  const handler = createHandler({
    findToken: async (hash) => {
      const [name] = (['all', 'published'] as const).filter((each) => hashSecret(tokens[each]) === hash);
      return (
        name && {
          hash,
          organization: 'acme',
          permissions: [allowed[name]],
          createdAt: '2026-01-01T00:00:00.000Z',
        }
      );
    },
    logger: new WatchedLogger(),
    budgets: noBudgets,
    meter: { reset: () => {}, cost: () => ({ units: 0, writeUnits: 0, rounds: 0, requests: 0 }) },
    now: () => new Date(),
    lists: listsOn(() => backend),
    document: () => ({}),
  });
  return async (by: keyof typeof tokens, query: string): Promise<ServiceResponse> => {
    const headers = { authorization: `Bearer ${tokens[by]}` };
    const event = { ...eventOf({ routeKey, query, headers }), requestContext: { requestId: 'r-1' } };
    // The handler reads no other part of the event.
    const result = await handler(event as APIGatewayProxyEventV2, contextOf());
    const response: ServiceResponse = {
      status: result.statusCode ?? 0,
      headers: result.headers ?? {},
      body: JSON.parse(result.body ?? ''),
    };
    // Generated texts are shorter than a create allows.
    if (by === 'published') expect(undocumented({ routeKey, query, headers, response })).toEqual([]);
    return response;
  };
}

const addresses = [
  'jane.doe@example.com',
  'bob+shop@mail.test',
  'greta＠example.org',
  'jane@bücher.test',
  'bo\u200bb@exa\u00admple.test',
];
const words = [
  'great',
  'greatly',
  'amazing',
  'gr',
  'a',
  'jane',
  'x1',
  'com',
  'example',
  'mail',
  'address',
  'bucher',
  'zzz',
];
const search = fc.oneof(
  fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 2 }).map((chosen) => chosen.join(' ')),
  fc.constantFrom(...addresses, 'jane.d', 'bob', 'secre', 'hidden'),
);

/** Values of each parameter that a token in a web page may use. */
const parameterValues = {
  status: fc.constantFrom('', 'all', 'approved'),
  type: fc.constantFrom('text', 'video', 'all'),
  rating: fc.integer({ min: 1, max: 5 }),
  sort: fc.constantFrom('createdAt', 'rating'),
  order: fc.constantFrom('asc', 'desc'),
  search,
  tags: fc.constantFrom('ux', 'support,price', 'Größe', ...addresses, `ux,${addresses[0]}`),
  page: fc.integer({ min: 1, max: 4 }),
  limit: fc.integer({ min: 1, max: 5 }),
} satisfies Record<keyof ParameterValues, fc.Arbitrary<string | number>>;
const parameters = fc.record(parameterValues, { requiredKeys: [] });
type Parameters = typeof parameters extends fc.Arbitrary<infer Each> ? Each : never;

const queryOf = (given: object) => {
  const texts = Object.entries(given).map(([name, each]): [string, string] => [name, String(each)]);
  return String(new URLSearchParams(texts));
};

function publicOf({ company, role }: Pick<Testimonial['author'], 'company' | 'role'>) {
  return {
    ...(company !== undefined && { company: maskAddresses(company) }),
    ...(role !== undefined && { role: maskAddresses(role) }),
  };
}

/** Returns the public form of a testimonial, as the decisions define it. */
function projected(testimonial: Testimonial) {
  const { id, content, author, rating, type, status, tags = [], createdAt } = testimonial;
  const { name } = author;
  return {
    id: publishedId(id),
    content: maskAddresses(content),
    author: { name: maskAddresses(name), ...publicOf(author) },
    ...(rating !== undefined && { rating }),
    type,
    status,
    tags: tags.map(maskAddresses),
    createdAt,
  };
}

const wheres = ['content', 'name', 'company', 'role', 'tag'] as const;

/** A testimonial with an address in one of its texts. */
function withIn(body: TestimonialInput, where: (typeof wheres)[number] | 'nowhere', address: string) {
  const { content, author, tags = [] } = body;
  if (where === 'nowhere') return body;
  if (where === 'content') return { ...body, content: `${content} ${address} ${content}` };
  if (where === 'tag') return { ...body, tags: [...tags, address] };
  return { ...body, author: { ...author, [where]: address } };
}

const withAddress = fc
  .tuple(input, fc.constantFrom(...wheres), fc.constantFrom(...addresses))
  .map((made) => withIn(...made));

async function approve(world: World, body: TestimonialInput): Promise<void> {
  await world.setStatus((await world.create(body)).id, 'approved');
}

/** Returns all approved testimonials that a list with testimonials:read finds, in order. */
async function allApproved(ask: ReturnType<typeof asking>, given: Parameters): Promise<Testimonial[]> {
  const found: Testimonial[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await ask('all', queryOf({ ...given, status: 'approved', page, limit: 100 }));
    found.push(...body.testimonials);
    if (!body.pagination.hasNext) return found;
  }
}

/** Returns the approved testimonials whose public texts match. */
async function expectedOf(ask: ReturnType<typeof asking>, given: Parameters): Promise<Testimonial[]> {
  const { tags, ...rest } = given;
  // A tag that is an address matches nothing.
  const seen = tags?.split(',').filter((tag) => !addresses.includes(tag));
  if (seen?.length === 0) return [];
  const found = await allApproved(ask, { ...rest, ...(seen && { tags: String(seen) }) });
  if (given.search === undefined) return found;
  const matches = matcherOf({ search: given.search });
  const seenOf = (text: string) => maskAddresses(text).replaceAll(maskedAddress, ' | ');
  return found.filter(({ content, author, ...others }) =>
    matches({ ...others, content: seenOf(content), author: { ...author, name: seenOf(author.name) } }),
  );
}

/** Returns the whole response to a token in a web page, given the matching testimonials. */
function answerOf(expected: Testimonial[], given: Parameters): ServiceResponse {
  const { page = 1, limit = 25 } = given;
  const total = expected.length;
  const totalPages = Math.ceil(total / limit);
  const parsed = v.parse(listQuery, queryValues(queryOf(given))).values;
  return {
    status: 200,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=60',
      vary: 'Authorization, Origin',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'r-1',
      link: pageLinks(path, parsed, { page, totalPages }) ?? '',
    },
    body: {
      testimonials: expected.slice((page - 1) * limit, page * limit).map(projected),
      pagination: { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 },
    },
  };
}

test('after any history, every published list is the public form of the approved testimonials that match', async () => {
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(withAddress, { maxLength: 4 }),
      fc.array(parameters, { minLength: 3, maxLength: 6 }),
      async (actions, texts, asked) => {
        const backend = inMemoryBackend();
        const world = await createWorld(backend);
        await play(world, actions);
        for (const body of texts) await approve(world, body);
        const ask = asking(backend);
        for (const given of asked) {
          const expected = await expectedOf(ask, given);
          expect(await ask('published', queryOf(given))).toEqual(answerOf(expected, given));
        }
      },
    ),
    { numRuns: runsOf(15) },
  );
});

describe('nothing reveals unpublished testimonials:', () => {
  // Two worlds with the same public texts and different secrets.
  const secretText = fc.constantFrom('secret hidden words', 'great amazing words', 'hidden jane example');
  const hidden = fc.record({
    kind: fc.constant('hidden' as const),
    body: input,
    secret: secretText,
    to: fc.constantFrom(...statuses.filter((each) => each !== 'approved'), 'erased' as const),
  });
  const shown = fc.record({
    kind: fc.constant('shown' as const),
    body: input,
    where: fc.constantFrom('nowhere' as const, ...wheres),
  });
  const secrets = fc.record({
    address: fc.constantFrom(...addresses),
    email: fc.constantFrom('one@secret.example', 'other@hidden.example'),
    isIndexed: fc.boolean(),
    hidden,
  });
  type Secrets = typeof secrets extends fc.Arbitrary<infer Each> ? Each : never;
  type Shown = typeof shown extends fc.Arbitrary<infer Each> ? Each : never;

  async function worldOf(slots: (Shown | 'hidden')[], of: Secrets): Promise<Backend> {
    const backend = inMemoryBackend();
    const world = await createWorld(backend);
    for (const slot of slots) {
      world.advance(1000);
      // Both worlds take the same time, which is public.
      const time = world.clock.time;
      if (slot === 'hidden') {
        const { body, secret, to } = of.hidden;
        const { id } = await world.create({ ...body, content: secret });
        if (to === 'erased') await world.erase(id);
        else if (to !== 'pending') await world.setStatus(id, to);
      } else {
        const { body, where } = slot;
        const author = { ...body.author, email: of.email };
        await approve(world, withIn({ ...body, author }, where, of.address));
      }
      world.clock.time = time;
    }
    if (of.isIndexed) await world.settle();
    return backend;
  }

  /** Any request. */
  const request = fc.oneof(
    { weight: 4, arbitrary: parameters.map(queryOf) },
    {
      weight: 1,
      arbitrary: fc
        .record({
          status: fc.constantFrom(...statuses, 'x'),
          sort: fc.constantFrom('updatedAt', 'rating', 'x'),
          limit: fc.constantFrom('0', '3'),
        })
        .map(queryOf),
    },
    { weight: 1, arbitrary: search.map((text) => queryOf({ search: text, status: 'pending' })) },
  );

  test('two worlds with the same public texts give the same response to every request, byte by byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(shown, fc.constant('hidden' as const)), { minLength: 1, maxLength: 8 }),
        secrets,
        secrets,
        fc.array(request, { minLength: 4, maxLength: 8 }),
        async (slots, one, other, requests) => {
          const ofOne = asking(await worldOf(slots, one));
          const ofOther = asking(await worldOf(slots, other));
          for (const query of requests) {
            const response = await ofOne('published', query);
            expect(await ofOther('published', query)).toEqual(response);
            if (response.status !== 200) expect(response.headers['cache-control']).toBe('no-store');
            // Links repeat the request.
            const { link: _, ...headers } = response.headers;
            const said = JSON.stringify([response.status, headers, response.body]);
            for (const { email } of [one, other]) expect(said).not.toContain(email);
            expect(maskAddresses(said)).toBe(said);
            expect(said).not.toMatch(/secret|hidden|test_/);
          }
        },
      ),
      { numRuns: runsOf(20) },
    );
  });
});

/** Returns the same stores and a log of their calls with the number of rows. */
function counted(backend: Backend): { stores: Backend; calls: string[] } {
  const calls: string[] = [];
  const stores = interceptCalls(backend, async (name, call) => {
    const found = await call();
    const rows = Array.isArray(found) ? found.length : Number(found !== undefined);
    calls.push(`${name}: ${rows}`);
    return found;
  });
  return { stores, calls };
}

test('with any filter, the calls and the rows read reveal nothing about masked texts (rule 38)', async () => {
  const texts = fc.record({
    body: input,
    where: fc.constantFrom('content' as const, 'name' as const, 'tag' as const),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(texts, { minLength: 1, maxLength: 6 }),
      fc.tuple(fc.constantFrom(...addresses), fc.constantFrom(...addresses), fc.boolean()),
      fc.array(parameters.map(queryOf), { minLength: 3, maxLength: 6 }),
      async (shown, [one, other, isIndexed], requests) => {
        const worlds = [one, other].map(async (address) => {
          const backend = inMemoryBackend();
          const world = await createWorld(backend);
          for (const { body, where } of shown) {
            await approve(world, withIn(body, where, where === 'name' ? `Bob ${address}` : address));
          }
          if (isIndexed) await world.settle();
          const { stores, calls } = counted(backend);
          const ask = asking(stores);
          for (const query of requests) await ask('published', query);
          return calls;
        });
        const [ofOne, ofOther] = await Promise.all(worlds);
        expect(ofOther).toEqual(ofOne);
      },
    ),
    { numRuns: runsOf(15) },
  );
});

describe('a search', () => {
  const body = (content: string): TestimonialInput => ({
    content,
    author: { name: 'Ann', email: 'ann@example.com' },
    type: 'text',
  });

  test('with more than a hundred matches is exact, whether they are indexed or not', async () => {
    const backend = inMemoryBackend();
    const world = await createWorld(backend);
    await approve(world, body('write to jane@shop.test'));
    for (let i = 0; i < 99; i += 1) await approve(world, body(`jane again ${i}`));
    const ask = asking(backend);
    const totalOf = async () => (await ask('published', 'search=jane')).body.pagination.total;
    expect(await totalOf()).toBe(99);
    await approve(world, body('jane once more'));
    expect(await totalOf()).toBe(100);
    await world.settle();
    expect(await totalOf()).toBe(100);
    expect((await ask('all', 'search=jane')).body.pagination.total).toBe(101);
    expect((await ask('published', 'search=jane+shop')).body.pagination.total).toBe(0);
    expect((await ask('all', 'search=jane+shop')).body.pagination.total).toBe(1);
  });
});

test('an id is pub_ and the first 20 of the 43 base-62 digits of the SHA-256 of the id', () => {
  expect(publishedId('test_1234567890121')).toBe('pub_1BQjD6kT1p2PopmzlzEg');
  expect(publishedId('test_123456789')).toMatch(/^pub_[0-9A-Za-z]{20}$/);
});
