/** Items that another version of the service wrote. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { indexHeadKey, testimonialKey } from '../../functions/persistence/keys.ts';
import { layout, OtherLayout } from '../../functions/persistence/stored-items.ts';
import { assertReadable } from '../../lib/local-runner/demo.ts';
import { createApiClient, storesOf, testimonialBody } from '../api-client.ts';
import { place } from '../place.ts';

const told = /layout \d, and this version reads layout \d\. Export each organization .*folder \.local/s;

/** A service with one testimonial, of which an item has another layout. */
async function serviceWith(change: (item: object) => object, which: 'head' | 'testimonial') {
  const api = await createApiClient();
  await api.create(testimonialBody());
  const { table } = api;
  const Key = which === 'head' ? indexHeadKey('acme') : testimonialKey('acme', place(1));
  const item = { ...Key, id: 'test_1234567890121', layout: layout - 1, content: 'An older item' };
  await table.client.send(new PutCommand({ TableName: table.name, Item: change(item) }));
  return api;
}

test.each(['head', 'testimonial'] as const)(
  'a %s of another layout is told of at the start',
  async (which) => {
    const { table } = await serviceWith((item) => item, which);
    await expect(assertReadable(table)).rejects.toThrow(OtherLayout);
    await expect(assertReadable(table)).rejects.toThrow(told);
  },
);

test('no list takes it for what it is not', async () => {
  const { list, table } = await serviceWith((item) => item, 'testimonial');
  expect((await list()).status).toBe(500);
  await expect(storesOf(table).testimonials.find('acme', place(1))).rejects.toThrow(OtherLayout);
});

test('an item of this layout with something missing is refused, too', async () => {
  const { table } = await serviceWith((item) => ({ ...item, layout }), 'testimonial');
  await expect(storesOf(table).testimonials.find('acme', place(1))).rejects.toThrow(/updateOrdinal/);
});
