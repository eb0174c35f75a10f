/**
 * Forms and URLs of the desk as a signed-in person could send them: each field long, repeated, missing or
 * odd.
 */
import fc from 'fast-check';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { hostileText, longRun, numberText, oddText, prototypeKeys } from './texts.ts';

export interface DeskForm {
  method: 'GET' | 'POST';
  path: string;
  fields: [name: string, value: string][];
  headers: Record<string, string>;
}

interface Known {
  testimonial: Pick<Testimonial, 'id' | 'updatedAt'>;
  page: string;
  person: string;
}

type Fields = Record<string, string>;

const review = (skipped: string[], decisions: object[] = []) =>
  JSON.stringify({ decisions, skipped, counts: { pending: 0, approved: 0, rejected: 0 } });

/** Valid fields of each form, so that a single wrong one reaches the code behind it. */
function formsOf({ testimonial: { id, updatedAt }, page, person }: Known): [path: string, fields: Fields][] {
  const seen = `${id}@${updatedAt}`;
  const all = {
    all: '2026-01-15T12:00:00.000Z',
    edition: '1 0',
    of: '3',
    page: '1',
    done: '0',
    confirmed: 'yes',
  };
  const settings = {
    title: 'Tell us',
    intro: 'Hello',
    consent: 'Yes',
    thanks: 'Thanks',
    link: 'https://www.example.com',
    tags: 'website',
    hide: 'role',
    lang: 'de',
    'texts.send': 'Los',
    'own-tags': 'featured',
    search: 'product',
    rating: '4',
    limit: '12',
    sort: 'rating',
    look: 'row',
    theme: 'dark',
  };
  return [
    ['/desk/queue', { key: 'a', seen, review: review([]), tags: 'a, b' }],
    [
      '/desk/queue',
      { key: 'u', seen, review: review([id], [{ id, updatedAt, status: 'approved', tags: ['a'] }]) },
    ],
    ['/desk/list', { action: 'approve', seen, tags: 'a' }],
    ['/desk/list', { action: 'tag', seen, tags: 'a' }],
    ['/desk/list', { one: `ask to erase on ${seen}` }],
    ['/desk/list', { one: `pin ${page} on ${seen}` }],
    [`/desk/pages/${page}/pins`, { move: id, before: id, up: id }],
    ['/desk/list', { action: 'untag', tags: 'a', ...all }],
    ['/desk/author', { email: 'jane@example.com', from: '0', read: '0', found: id }],
    ['/desk/pages', { title: 'Tell us', kind: 'wall' }],
    [`/desk/pages/${page}`, settings],
    [`/desk/pages/${page}/preview`, settings],
    [`/desk/pages/${page}/links`, { lines: 'Jane, jane@example.com', file: 'x' }],
    ['/desk/people', { action: 'invite', name: 'Ann', role: 'owner', 'may-erase': 'yes' }],
    ['/desk/people', { action: `invite again on ${person}` }],
    ['/desk/people', { action: 'remove on 0123456789' }],
    ['/desk/me', { end: '0123456789ab', action: 'x' }],
    ['/desk/open', { invitation: 'x', replaces: 'x' }],
  ];
}

const queries = [
  'ids',
  'next',
  'changed',
  'review',
  'search',
  'tags',
  'page',
  'limit',
  'rating',
  'status',
  'signed-out',
];

export function hostileForm(known: Known): fc.Arbitrary<DeskForm> {
  const seen = `${known.testimonial.id}@${known.testimonial.updatedAt}`;
  const tooMany = fc.constantFrom(
    `${seen} `.repeat(7000),
    'x'.repeat(400_000),
    '\n'.repeat(10_000),
    'a,'.repeat(50_000),
    review(Array(10_000).fill('test_1')),
    review([], Array(5000).fill({ id: '', updatedAt: '', status: 'pending', tags: [] })),
    `test_0123 ${known.testimonial.id}`,
    'test_1\r\nset-cookie: a=b',
    `invite again on ${'x'.repeat(3000)}`,
    `${known.testimonial.id} `.repeat(300),
    `erase on ${seen}`,
    `cancel on ${'\0'.repeat(2000)}`,
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: hostileText },
    { weight: 2, arbitrary: tooMany },
    longRun,
    numberText,
    fc.constantFrom('{"a":', '[]', '{}', '{"__proto__":"x"}', 'null/f/x', 'https://a:b@example.com'),
  );
  const headers = fc.constantFrom(
    {},
    {},
    {},
    { origin: 'null' },
    { origin: '' },
    { origin: 'https://' },
    { origin: 'javascript:1' },
    { host: 'x'.repeat(300) },
    { host: '' },
    { 'hx-request': 'true' },
    { cookie: 'a=b' },
  );
  const kind = fc.constantFrom('long', 'repeated', 'missing', 'added', 'many');
  const form = fc
    .tuple(fc.constantFrom(...formsOf(known)), kind, fc.nat(), value, oddText, headers)
    .map(([[path, fields], change, number, text, name, sent]): DeskForm => {
      const entries = Object.entries(fields);
      const at = number % entries.length;
      const [chosen = ''] = entries[at] ?? [];
      const changed: Record<string, DeskForm['fields']> = {
        long: entries.map(([each, old]) => [each, each === chosen ? text : old]),
        repeated: [...entries, [chosen, text], [chosen, text]],
        missing: entries.filter(([each]) => each !== chosen),
        added: [...entries, [name, text], [prototypeKeys[number % prototypeKeys.length] ?? '', text]],
        many: [...entries, ...Array<[string, string]>(7000).fill([chosen, fields[chosen] ?? ''])],
      };
      return { method: 'POST', path, fields: changed[change] ?? [], headers: sent };
    });
  const pages = [
    'queue',
    'list',
    'list/erase',
    'list/confirm',
    'list/progress',
    'author',
    'numbers',
    'open',
    'me',
  ];
  const visit = fc
    .tuple(
      fc.oneof(
        fc.constantFrom(...pages),
        oddText.map((text) => `people/${encodeURIComponent(text.toWellFormed())}/remove`),
        fc.constantFrom(
          `people/${'x'.repeat(3000)}/link`,
          `pages/${'x'.repeat(3000)}`,
          `pages/${known.page}/qr.svg`,
        ),
      ),
      fc.array(fc.tuple(fc.constantFrom(...queries), value), { maxLength: 3 }),
      headers,
    )
    .map(
      ([path, fields, sent]): DeskForm => ({ method: 'GET', path: `/desk/${path}`, fields, headers: sent }),
    );
  return fc.oneof({ weight: 3, arbitrary: form }, visit);
}
