/** The Lambda entry point, initialized once for each execution environment. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ListMemory } from '../operations/list-testimonials.ts';
import { apiFunction } from '../persistence/api-function.ts';
import { idempotencyKeyStore } from '../persistence/dynamodb-idempotency-key-store.ts';
import { indexStore } from '../persistence/dynamodb-index-store.ts';
import { pageStore } from '../persistence/dynamodb-page-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { remembered } from '../persistence/dynamodb-token-store.ts';
import { createHandler } from './handler.ts';
import { sentFormSeconds } from './submissions.ts';

// A wall starts with up to four parallel reads and one call for the budget.
const { table, dependencies, perRequest } = await apiFunction(5);
const asset = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url));
const code = (kind: string) => ({ style: String(asset(`${kind}.css`)), script: String(asset(`${kind}.js`)) });

export const handler = createHandler({
  ...dependencies,
  findPage: remembered((id) => pageStore(table).find(id)),
  findBrand: remembered((organization) => pageStore(table).findBrand(organization), 200),
  assets: {
    form: code('form'),
    wall: code('wall'),
    embed: String(asset('embed.js')),
    share: asset('share.png'),
  },
  stores: perRequest((requestTable) => ({
    testimonials: testimonialStore(requestTable),
    idempotencyKeys: idempotencyKeyStore(requestTable, sentFormSeconds),
    index: indexStore(requestTable),
  })),
  memory: new ListMemory(),
  randomInt,
});
