/** The real handlers on stores in memory that record the writes of each request. */

import { randomInt } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import { hashSecret, makeSecret, type Permission } from '../../functions/domain/token.ts';
import { ListMemory } from '../../functions/list-index/read/memory.ts';
import { openTable } from '../../functions/persistence/table.ts';
import { type Answer, type ApiRequest, callHandler, handlersOf, ownPermissions } from '../api-client.ts';
import { input as usual } from '../testimonials.ts';
import { around } from '../world/backend.ts';
import { inMemoryBackend } from '../world/in-memory-backend.ts';
import { isWrite } from '../world/tries.ts';
import { createWorld } from '../world/world.ts';

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

/** @param renewEvery the number of requests after which the stores return to their initial state */
export async function hostileService(renewEvery = 200) {
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
  let backend = template.clone();
  let written: string[] = [];
  let count = 0;
  const memory = new ListMemory();
  // The handlers never call this table.
  const handlers = handlersOf(openTable('none', { config: { region: 'none' } }), {
    findToken: async (hash) => {
      const permissions = allowed.get(hash);
      return permissions && { hash, organization, permissions, createdAt: '2026-01-15T10:30:00.000Z' };
    },
    now: () => new Date(clock),
    stores: () =>
      around(backend, (name, call) => {
        if (isWrite(name)) written.push(name);
        return call();
      }),
    memory,
  });

  return {
    tokens,
    /** The ids of the initial testimonials. */
    ids: template.stored(organization).map(({ testimonial }) => testimonial.id),
    /** Sends a request and returns the problems of its response. */
    async answer(request: ApiRequest): Promise<{ answer?: Answer; problems: string[] }> {
      count += 1;
      if (count % renewEvery === 0) {
        backend = template.clone();
        memory.of(organization).forget();
      }
      written = [];
      try {
        const answer = await callHandler(handlers, request);
        return { answer, problems: [...problemsOf(answer), ...stored(answer, written)] };
      } catch (error) {
        return { problems: [error instanceof Error ? error.message : String(error)] };
      }
    },
  };
}

function stored({ status }: Answer, written: readonly string[]): string[] {
  return status >= 400 && written.length > 0 ? [`${status}, but it wrote: ${written.join(', ')}`] : [];
}

function problemsOf({ status, headers, body }: Answer): string[] {
  const wrongHeaders = Object.entries(headers).flatMap(([name, value]) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return [];
    } catch {
      return [`the header ${name} cannot be sent`];
    }
  });
  return [
    ...wrongHeaders,
    ...(status >= 500 ? [`the status is ${status}`] : []),
    ...(status >= 400 && body.error.requestId !== headers['x-request-id'] ? ['two request ids'] : []),
  ];
}
