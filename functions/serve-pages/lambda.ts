/** The entry point of the Lambda function: builds the handler once per execution environment. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pageStore } from '../accounts/dynamodb-page-store.ts';
import { cachedLookup } from '../accounts/dynamodb-token-store.ts';
import { apiFunction } from '../http/api-function.ts';
import { bucketOf } from '../media/bucket.ts';
import { mediaIn } from '../media/media.ts';
import { openCreates } from '../testimonials/creates.ts';
import { openFinds } from '../testimonials/finds.ts';
import { openPinnedLists } from '../testimonials/pinned-lists.ts';
import { createHandler } from './handler.ts';
import { sentFormSeconds } from './submissions.ts';

// A wall starts with up to four parallel reads and one call for the budget.
const { table, dependencies } = await apiFunction(5);
const bucket = bucketOf(process.env, dependencies.now);
const asset = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url));
const code = (kind: string) => ({ style: String(asset(`${kind}.css`)), script: String(asset(`${kind}.js`)) });

export const handler = createHandler({
  ...dependencies,
  findPage: cachedLookup((id) => pageStore(table).find(id)),
  findBrand: cachedLookup((organization) => pageStore(table).findBrand(organization), 200),
  assets: {
    form: code('form'),
    mediaForm: code('mediaForm'),
    wall: code('wall'),
    embed: String(asset('embed.js')),
    share: asset('share.png'),
  },
  lists: openPinnedLists(table),
  creates: openCreates(table, { rememberedSeconds: sentFormSeconds, log: dependencies.logger }),
  finds: openFinds(table),
  ...(bucket && { media: mediaIn(bucket) }),
  randomInt,
});
