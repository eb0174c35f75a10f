/** Walls as visitors see them. */
import { beforeAll, expect, test } from '@jest/globals';
import { type Page, pathOfPage } from '../../../functions/domain/page.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { adminOf } from '../../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { deskOf } from '../../desk-client.ts';
import { addPage, type Visitor, visitorOf } from '../../page-visitor.ts';
import { onTableCall } from '../../table-calls.ts';

let table: Table;
let visitor: Visitor;
let wall: Page;
const shown = (text: string) =>
  Array.from(text.matchAll(/Testimonial number (\d+)/g), ([, number]) => Number(number));

let client: ApiClient;
let token: string;

beforeAll(async () => {
  client = await createApiClient();
  ({ table } = client);
  token = await client.issue(['testimonials:read-published']);
  await client.list('limit=12', { authorization: `Bearer ${token}` });
  visitor = visitorOf(table);
  const ids: string[] = [];
  for (let i = 1; i <= 30; i += 1) {
    const { body } = await client.create(
      testimonialBody({
        content: `Testimonial number ${i}. Write to me@secret.example!`,
        author: { name: `Customer ${i}`, email: `customer${i}@secret.example` },
        rating: 1 + (i % 5),
        tags: i % 2 === 0 ? ['even', 'featured'] : ['odd'],
      }),
    );
    ids.push(body.id);
  }
  await adminOf(table)('testimonial', 'approve', '--organization', 'acme', ...ids);
  await client.create(testimonialBody({ content: 'Testimonial number 99 is pending.' }));
  wall = await addPage(table, { kind: 'wall', title: 'Our customers', settings: { limit: '12' } });
});

test('a wall makes the calls of one list, and a remembered page none for its settings', async () => {
  const calls: string[] = [];
  const cached = visitorOf(table, { remembers: true });
  await cached.get(pathOfPage(wall));
  onTableCall(table, (name) => calls.push(name));
  const callsOf = async (visit: () => Promise<unknown>) => {
    calls.length = 0;
    await visit();
    return [...calls].sort();
  };
  const list = await callsOf(() => client.list('limit=12', { authorization: `Bearer ${token}` }));
  const readsOfToken = 1;
  expect(await callsOf(() => cached.get(pathOfPage(wall)))).toHaveLength(list.length - readsOfToken);
  onTableCall(table, () => {});
});

test('the settings choose the testimonials, the order and what is shown', async () => {
  const settings = { tags: 'even', rating: '5', sort: 'createdAt', order: 'asc', hide: 'dates', lang: 'de' };
  const chosen = await addPage(table, { kind: 'wall', settings });
  const { text } = await visitor.get(pathOfPage(chosen));
  expect([...new Set(shown(text.slice(text.indexOf('<main'))))]).toEqual([4, 14, 24]);
  expect(text).toContain('<html lang="de"');
  expect(text).not.toContain('<time');
});

test('the live element gets the settings and the list of any page', async () => {
  const { text } = await visitor.get(`${pathOfPage(wall)}.json?page=3`);
  const { settings, testimonials, pagination } = JSON.parse(text);
  expect(settings).toMatchObject({ look: 'columns', theme: 'auto', hide: [], lang: 'en' });
  expect(testimonials).toHaveLength(6);
  expect(pagination).toMatchObject({ page: 3, total: 30, hasNext: false });
  expect(text).not.toMatch(/secret\.example|featured/);
  const missing = await visitor.get(`/w/${'0'.repeat(22)}.json`);
  const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' };
  expect(missing).toMatchObject({ status: 404, headers: cors });
});

test('a page number that is none shows the first page', async () => {
  for (const number of ['0', '-1', 'x', '2147483648', '1e3', '']) {
    const { status, text } = await visitor.get(`${pathOfPage(wall)}?page=${number}`);
    expect([number, status, shown(text).includes(30)]).toEqual([number, 200, true]);
  }
});

test('any website may load the script and the image of pages', async () => {
  for (const path of ['/embed.js', '/share.png'])
    expect((await visitor.get(path)).headers['access-control-allow-origin']).toBe('*');
});

test('pages, also those of errors, tell browsers of the service’s own domain to use HTTPS only', async () => {
  const paths = [pathOfPage(wall), '/w/0000000000000000000000', `${pathOfPage(wall)}.json`];
  const headersOf = async (protocol: string) => {
    const headers = { 'x-forwarded-proto': protocol };
    const all = await Promise.all(paths.map((path) => visitor.ask('GET', path, { headers })));
    return all.map((each) => each.headers['strict-transport-security']);
  };
  expect(await headersOf('https')).toEqual(['max-age=31536000', 'max-age=31536000', undefined]);
  expect(await headersOf('http')).toEqual([undefined, undefined, undefined]);
  // So does the desk.
  const { headers } = await (await deskOf(table)).browser().ask('GET', '/desk', {
    headers: { 'x-forwarded-proto': 'https' },
  });
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
});
