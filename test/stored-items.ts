/** Reads everything in a table. */
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { StoredTestimonial } from '../functions/domain/stored-testimonial.ts';
import type { Table } from '../functions/dynamodb/table.ts';
import { testimonialStore } from '../functions/testimonials/table/testimonial-store.ts';

/** Returns all items in the order of their keys. */
export async function storedItems({ client, name }: Table): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for await (const page of paginateScan({ client }, { TableName: name, ConsistentRead: true })) {
    items.push(...(page.Items ?? []));
  }
  const keyOf = ({ PK, SK }: Record<string, unknown>) => `${PK}\n${SK}`;
  return items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Returns the testimonials of an organization in the order of their ordinals. */
export async function storedTestimonials(table: Table, organization = 'acme'): Promise<StoredTestimonial[]> {
  return (await Array.fromAsync(testimonialStore(table).from(organization, 0))).flat();
}

/** Returns everything in a table as text: keys, attributes and values. */
export async function textOf(table: Table): Promise<string> {
  return JSON.stringify(await storedItems(table));
}
