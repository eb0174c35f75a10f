/** The optional operations on one testimonial: reading, changing and erasing it over HTTP. */
import assert from 'node:assert/strict';
import { limits, type Testimonial } from '../../../functions/domain/testimonial.ts';
import type { Permission } from '../../../functions/domain/token.ts';
import {
  challenge,
  type ExpectedError,
  expectEqual,
  expectStatus,
  forbidden,
  idsOf,
  invalid,
  listed,
  malformed,
  refused,
  unauthorized,
} from './expectations.ts';
import { erasureRules, testimonialIn, transitions } from './moderation.ts';
import type { Organization } from './organization.ts';
import { type ApiRequest, path, type ServiceResponse, testimonialBody } from './requests.ts';
import { each, type Group, type Rule, rule, type Suite, withNeeds } from './suite.ts';

const permissions = {
  GET: 'testimonials:read',
  PATCH: 'testimonials:moderate',
  DELETE: 'testimonials:erase',
} as const satisfies Record<string, Permission>;

type Method = keyof typeof permissions;

const methods = Object.keys(permissions) as Method[]; // of the table above

function requestOf(method: Method, id: string, body: unknown = { status: 'approved' }): ApiRequest {
  const headers = { 'content-type': 'application/json' };
  return {
    method,
    path: `${path}/${id}`,
    ...(method === 'PATCH' && { headers, body: JSON.stringify(body) }),
  };
}

/** Sends a request for one testimonial, with a token that allows only this operation. */
async function ask(api: Organization, method: Method, id: string, body?: unknown): Promise<ServiceResponse> {
  const response = await api.send({
    ...requestOf(method, id, body),
    token: await api.token(permissions[method]),
  });
  if (response.status === 204) api.known.erase(id);
  return response;
}

/** Makes a change to a testimonial, which must succeed. */
async function change(api: Organization, { id }: Testimonial, by: object): Promise<Testimonial> {
  const response = await ask(api, 'PATCH', id, by);
  expectStatus(response, 200);
  api.known.changed(response.body);
  return response.body;
}

const notFound: ExpectedError = { status: 404, code: 'not_found' };
const conflict: ExpectedError = { status: 409, code: 'conflict', fields: ['updatedAt', 'status'] };

const changes: readonly (Rule | Group)[] = [
  transitions(change),
  rule('status and tags change together, and the next lists have both', async (api) => {
    const before = await testimonialIn(api);
    const by = { status: 'approved', addTags: ['Checked', 'Checked'], removeTags: ['A'] };
    const after = await change(api, before, by);
    expectEqual('the testimonial', after, {
      ...before,
      status: 'approved',
      tags: ['Checked'],
      updatedAt: after.updatedAt,
    });
    expectEqual('the list', idsOf(await api.list('tags=checked&status=approved')), [before.id]);
    assert(!idsOf(await api.list('tags=a&limit=100')).includes(before.id), `${before.id} has the tag a`);
  }),
  rule('a tag is the same with invisible characters', async (api) => {
    const before = await testimonialIn(api);
    expectEqual('added again', await change(api, before, { addTags: ['a\u200b', '\u00adA'] }), before);
    expectEqual('removed', (await change(api, before, { removeTags: ['\u2060A'] })).tags, []);
  }),
  rule('a list shows all concurrent changes that returned before it', async (api) => {
    const all = await Promise.all(Array.from({ length: 10 }, () => testimonialIn(api)));
    await Promise.all(all.map((each) => change(api, each, { addTags: ['at once'] })));
    expectEqual('the list', idsOf(await api.list('tags=at%20once')).sort(), all.map(({ id }) => id).sort());
  }),
  rule(
    'a request repeated after a lost response changes nothing twice, even with a condition',
    async (api) => {
      const { id, updatedAt: ifUpdatedAt, ...rest } = await testimonialIn(api);
      const by = { status: 'approved', addTags: ['b'], ifUpdatedAt };
      const first = await change(api, { ...rest, id, updatedAt: ifUpdatedAt }, by);
      const before = await api.service.items();
      const again = await ask(api, 'PATCH', id, by);
      expectStatus(again, 200);
      expectEqual('the testimonial', again.body, first);
      expectEqual('the stored items', await api.service.items(), before);
    },
  ),
  rule(
    'the condition ifUpdatedAt accepts its instant in any form of RFC 3339, and no other instant',
    async (api) => {
      let before = await testimonialIn(api);
      for (const formOf of sameInstant) {
        const ifUpdatedAt = formOf(before.updatedAt);
        before = await change(api, before, { addTags: [ifUpdatedAt], ifUpdatedAt });
        before = await change(api, before, { removeTags: before.tags });
      }
      const [otherZone = '', micro = ''] = [
        before.updatedAt.replace('Z', '+02:00'),
        before.updatedAt.replace('Z', '001Z'),
      ];
      const { updatedAt, status } = before;
      for (const ifUpdatedAt of [otherZone, micro]) {
        const response = await ask(api, 'PATCH', before.id, { status: 'approved', ifUpdatedAt });
        refused(response, conflict);
        expectEqual('the details', response.body.error.details, { updatedAt, status });
        // A repeated change succeeds even if its condition no longer holds.
        expectStatus(await ask(api, 'PATCH', before.id, { status, ifUpdatedAt }), 200);
      }
    },
  ),
  rule(
    'one of several concurrent changes with the same condition succeeds, and the others return the new state',
    async (api) => {
      const before = await testimonialIn(api);
      const by = (n: number) => ({ addTags: [`by ${n}`], ifUpdatedAt: before.updatedAt });
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, n) => ask(api, 'PATCH', before.id, by(n))),
      );
      const [first, ...more] = responses.filter(({ status }) => status === 200);
      expectEqual('how many succeeded', first && more.length + 1, 1);
      const after: Testimonial = first?.body;
      api.known.changed(after);
      for (const response of responses.filter((other) => other !== first)) {
        refused(response, conflict);
        const { updatedAt, status } = after;
        expectEqual('the details', response.body.error.details, { updatedAt, status });
      }
      expectEqual('the testimonial', (await ask(api, 'GET', before.id)).body, after);
    },
  ),
];

const hoursLater = (time: string, hours: number) =>
  new Date(Date.parse(time) + hours * 3_600_000).toISOString();

const sameInstant: ((time: string) => string)[] = [
  (time) => time.replace('Z', '+00:00'),
  (time) => time.replace('Z', '-00:00'),
  (time) => hoursLater(time, 2).replace('Z', '+02:00'),
  (time) => hoursLater(time, -5.5).replace('Z', '-05:30'),
  (time) => time.replace('Z', '000Z'),
  (time) => time.replace('Z', '000000+00:00'),
  (time) => time.toLowerCase(),
  (time) => time.replace('T', ' '),
];

const refusals: readonly (Rule | Group)[] = [
  each<[unknown, ...string[]]>(
    'a change is refused with 422 for',
    [
      ['an empty body', {}, 'body'],
      ['only empty lists of tags', { addTags: [], removeTags: [] }, 'body'],
      ['only a condition', { ifUpdatedAt: '2026-01-15T10:30:00.000Z' }, 'body'],
      ['another status', { status: 'published' }, 'status'],
      ['a null status', { status: null }, 'status'],
      ['an invalid tag', { addTags: ['a,b'], removeTags: 'a' }, 'addTags.0', 'removeTags'],
      ['the same tag to add and to remove', { addTags: ['X'], removeTags: ['x'] }, 'body'],
      ...[
        'now',
        '',
        '2026-01-15',
        '2026-01-15T10:30:00',
        '2026-02-30T10:30:00Z',
        '2026-01-15T24:00:00Z',
        '2026-01-15T10:30:00+02',
        '2026-01-15T10:30:00+24:00',
        '2026-01-15T10:30:00.Z',
        1768473000000,
      ].map((ifUpdatedAt): [string, unknown, string] => [
        `the condition ${JSON.stringify(ifUpdatedAt)}`,
        { status: 'approved', ifUpdatedAt },
        'ifUpdatedAt',
      ]),
      ['too many tags', { addTags: Array.from({ length: limits.tags.max }, (_, n) => `t${n}`) }, 'addTags'],
      [
        'fields that cannot change',
        testimonialBody({
          status: 'approved',
          id: 'test_1',
          rating: 1,
          tags: [],
          createdAt: '',
          updatedAt: '',
        }),
        'id',
        'content',
        'author',
        'rating',
        'type',
        'tags',
        'createdAt',
        'updatedAt',
      ],
    ],
    async (api, _, body, ...fields) => {
      const { id } = await testimonialIn(api);
      const before = await api.service.items();
      refused(await ask(api, 'PATCH', id, body), invalid(...fields));
      expectEqual('the stored items', await api.service.items(), before);
    },
  ),
  rule(
    'a change that is not a JSON object is refused with 400, and unknown fields are ignored',
    async (api) => {
      const before = await testimonialIn(api);
      refused(await ask(api, 'PATCH', before.id, ['approved']), malformed('body'));
      refused(await ask(api, 'PATCH', before.id, { addTags: ['caf\ufffd'] }), malformed('body'));
      expectEqual('tags', (await change(api, before, { addTags: ['c'], organization: 'b' })).tags, [
        'a',
        'c',
      ]);
    },
  ),
  each<[(api: Organization) => Promise<string>]>(
    'the same 404 is returned for the id of',
    [
      [
        'a testimonial that never existed',
        async (api) => (await testimonialIn(api)).id.replace(/^test_./, 'test_0'),
      ],
      ['a free position', async () => 'test_9999999999991000000'],
      ['another organization’s testimonial', async (api) => (await testimonialIn(await api.neighbour())).id],
      ['something else', async () => 'x%2F..%2f%00'],
    ],
    async (api, _, idOf) => {
      const id = await idOf(api);
      for (const method of methods) {
        const response = await ask(api, method, id);
        refused(response, notFound);
        expectEqual('the message', response.body.error.message, 'There is no testimonial with this id.');
      }
    },
  ),
  each(
    'without a token it is a 401, with all permissions but its own a 403:',
    methods.map((method) => [method, method] as const),
    async (api, _, method) => {
      const { id } = await testimonialIn(api);
      const request = requestOf(method, id);
      refused(await api.send({ ...request, token: '' }), { ...unauthorized, challenge });
      const scope = `${challenge}, error="insufficient_scope", scope="${permissions[method]}"`;
      const others = Object.values(permissions).filter((each) => each !== permissions[method]);
      const lacking: Permission[][] = [[...others, 'testimonials:write'], ['testimonials:read-published']];
      for (const allowed of lacking) {
        const token = await api.token(...allowed);
        refused(await api.send({ ...request, token }), { ...forbidden, challenge: scope });
      }
      expectEqual('the testimonial', (await ask(api, 'GET', id)).status, 200);
    },
  ),
];

const log: Rule = rule(
  'the log names the token and the testimonial of a change or erasure, and none of its texts',
  async (api) => {
    const { logsOf } = api.service.process;
    const secret = 'a tag nobody reads';
    const { id, updatedAt } = await api.created(testimonialBody({ tags: [secret] }));
    const { logged } = await logsOf(async () => {
      await ask(api, 'PATCH', id, { status: 'approved' });
      await ask(api, 'PATCH', id, { status: 'approved' });
      await ask(api, 'DELETE', id);
    });
    const lines: Record<string, unknown>[] = logged.split('\n').map((line) => JSON.parse(line));
    const expected = { organization: api.name, id, token: 'npm run check' };
    const [change, again, erasure] = lines;
    const after = Object(change).after;
    expectEqual(
      'the change',
      { ...change, ...expected, before: { status: 'pending', tags: 1, updatedAt } },
      change,
    );
    for (const line of [change, erasure]) {
      const tokenId = String(line?.tokenId);
      assert(tokenId.startsWith(`${api.name}.`), `the log names the token ${tokenId}`);
    }
    expectEqual('the status after', after.status, 'approved');
    expectEqual('the repeated change', again?.before, undefined);
    expectEqual('the erasure', { ...erasure, ...expected, before: after, after: 'erased' }, erasure);
    assert(!logged.includes(secret), 'the log has a tag');
  },
  'process',
);

export const oneTestimonial: Suite = {
  name: 'One testimonial',
  rules: [
    rule('GET returns it as a list does', async (api) => {
      const { id } = await api.created();
      const response = await ask(api, 'GET', id);
      expectStatus(response, 200);
      expectEqual('the testimonial', response.body, listed(await api.list('limit=1')).testimonials[0]);
    }),
    ...changes,
    ...refusals,
    log,
  ].map(withNeeds('moderation')),
};

export const erasureOverHttp: Suite = {
  name: 'Erasure over HTTP',
  prepare: (api) => api.created(testimonialBody({ rating: 4 })),
  rules: [
    ...erasureRules('unindexed', 'k1', eraseOverHttp),
    ...erasureRules('indexed', 'k2', eraseOverHttp),
    rule('an erased testimonial is a 404, and erasing it again succeeds', async (api: Organization) => {
      const { id } = await testimonialIn(api);
      for (let tries = 0; tries < 2; tries += 1) expectStatus(await ask(api, 'DELETE', id), 204);
      for (const method of ['GET', 'PATCH'] as const) refused(await ask(api, method, id), notFound);
      refused(await ask(await api.neighbour(), 'DELETE', id), notFound);
    }),
  ].map(withNeeds('moderation')),
};

async function eraseOverHttp(api: Organization, id: string): Promise<void> {
  const response = await ask(api, 'DELETE', id);
  expectStatus(response, 204);
  assert(!response.body, 'the response has a body');
}
