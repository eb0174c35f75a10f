/**
 * Members of an item that a newer version added: this version keeps them, also after the newer one was taken
 * back.
 */
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { secondaryIndexes, testimonialKey } from '../../functions/dynamodb/keys.ts';
import { rebuildIndex } from '../../functions/testimonials/list-index/write/rebuild.ts';
import { updateIndex, wholeTail } from '../../functions/testimonials/list-index/write/update-index.ts';
import { changeTestimonial } from '../../functions/testimonials/operations/change-testimonial.ts';
import { forgetAfterMs, settledMs } from '../../functions/timing.ts';
import { createApiClient, storesOf, testimonialBody } from '../api-client.ts';
import { position } from '../position.ts';

test('they stay through changes, seals, index updates and a rebuild, and secondary indexes have them', async () => {
  const api = await createApiClient();
  const { client, name: TableName } = api.table;
  const { id } = (await api.create(testimonialBody({ tags: ['ux'] }))).body;
  const Key = testimonialKey('acme', position(1));
  await client.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: 'SET #fields.#mood = :mood, #fields.#author.#pronouns = :they, #review = :review',
      ExpressionAttributeNames: {
        '#fields': 'fields',
        '#mood': 'mood',
        '#author': 'author',
        '#pronouns': 'pronouns',
        '#review': 'review',
      },
      ExpressionAttributeValues: { ':mood': { glad: 5 }, ':they': 'they', ':review': 'a newer attribute' },
    }),
  );
  const stores = storesOf(api.table);
  let aheadMs = 0;
  const deps = { ...stores, now: () => new Date(Date.now() + aheadMs) };
  const update = async () => {
    aheadMs += settledMs + forgetAfterMs;
    await updateIndex(deps, 'acme', wholeTail);
  };
  const [stored] = await stores.testimonials.findMany('acme', [position(1)]);
  if (stored) await stores.testimonials.sealVersion('acme', stored);
  await changeTestimonial(deps, 'acme', id, { status: 'approved' });
  await update();
  await changeTestimonial(deps, 'acme', id, { addTags: ['featured'], removeTags: ['ux'] });
  await update();
  await rebuildIndex(deps, 'acme');
  // As the queue undoes a decision.
  await changeTestimonial(deps, 'acme', id, { status: 'pending' });
  await update();

  const { Item = {} } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  const newer = { mood: { glad: 5 }, author: { pronouns: 'they' } };
  expect(Item).toMatchObject({ review: 'a newer attribute', fields: { ...newer, tags: ['featured'] } });
  for (const index of Object.values(secondaryIndexes.organization)) {
    const { Items } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: index.name,
        KeyConditionExpression: '#partition = :partition',
        ExpressionAttributeNames: { '#partition': index.partition },
        ExpressionAttributeValues: { ':partition': Key.PK },
      }),
    );
    expect(Items).toMatchObject([{ fields: newer }]);
  }
  const { testimonials } = (await api.list()).body;
  expect(testimonials).toMatchObject([{ id, status: 'pending', tags: ['featured'] }]);
  expect(JSON.stringify(testimonials)).not.toContain('they');
});
