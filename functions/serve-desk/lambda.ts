/** The entry point of the Lambda function: builds the handler once per execution environment. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deskStore } from '../accounts/dynamodb-desk-store.ts';
import { organizationStore } from '../accounts/dynamodb-organization-store.ts';
import { pageStore } from '../accounts/dynamodb-page-store.ts';
import { cachedLookup } from '../accounts/dynamodb-token-store.ts';
import { abortable } from '../dynamodb/table.ts';
import { parseDeskEnvironment } from '../environment.ts';
import { apiFunction } from '../http/api-function.ts';
import { bucketOf } from '../media/bucket.ts';
import { mediaIn } from '../media/media.ts';
import { createHandler } from './handler.ts';
import { filesOf, openTestimonials } from './open-testimonials.ts';
import { type AssetContents, assetNames, assetsOf } from './parts/assets.ts';
import { findVisit } from './people.ts';

// A list starts with up to four parallel reads and one call for the budget.
const { table, dependencies } = await apiFunction(5);
const { HAS_PAGES } = parseDeskEnvironment(process.env);
const bucket = bucketOf(process.env, dependencies.now);
const file = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url));
const assets = assetNames.map((name) => [name, file(name)]);
const people = { desks: deskStore(table), now: table.now, randomInt };

export const handler = createHandler({
  ...dependencies,
  ...people,
  findBrand: async (organization) => (HAS_PAGES === 'true' ? pageStore(table).findBrand(organization) : {}),
  findVisitCached: cachedLookup((hash) => findVisit(people, hash)),
  // `assetNames` lists every name.
  assets: assetsOf(Object.fromEntries(assets) as AssetContents),
  pageCode: (name) => ({ style: String(file(`${name}.css`)), script: String(file(`${name}.js`)) }),
  ...(bucket && { media: mediaIn(bucket) }),
  testimonials: openTestimonials(table, { log: dependencies.logger }),
  files: filesOf(table),
  stores: (signal) => ({
    organizations: organizationStore(abortable(table, signal)),
    ...(HAS_PAGES === 'true' && { pages: pageStore(abortable(table, signal)) }),
  }),
});
