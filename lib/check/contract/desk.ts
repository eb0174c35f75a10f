/** The desk, as an invited moderator uses it in a browser. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { Person } from '../../../functions/domain/person.ts';
import { hashSecret } from '../../../functions/domain/token.ts';
import { deskPath } from '../../../functions/serve-desk/parts/paths.ts';
import { invitePerson } from '../../../functions/serve-desk/people.ts';
import { expectEqual, expectStatus } from './expectations.ts';
import { testimonialIn } from './moderation.ts';
import type { Organization } from './organization.ts';
import { type ServiceResponse, testimonialBody } from './requests.ts';
import { each, rule, type Suite, withNeeds } from './suite.ts';

type Headers = Record<string, string>;

const [queue, list, open] = ['queue', 'list', 'open'].map((page) => `${deskPath}/${page}`) as [
  string,
  string,
  string,
]; // as many as above

const get = (api: Organization, path: string, headers: Headers = {}) => api.visit({ path, headers });

/** Sends a form in the way of a browser, by default from the desk itself. */
function post(
  api: Organization,
  path: string,
  fields: Headers,
  headers: Headers = {},
): Promise<ServiceResponse> {
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  const body = String(new URLSearchParams(fields));
  return api.visit({ method: 'POST', path, body, headers: { ...form, ...headers } });
}

/** Invites a moderator, runs work with the text to type into the sign-in page, and deletes the invitation. */
async function invited<Result>(
  { name: organization, service }: Organization,
  work: (invitation: string, person: Person) => Promise<Result>,
): Promise<Result> {
  const { desks, now } = service.driver.operator;
  const fields = { organization, name: 'A check', role: 'moderator', mayErase: false } as const;
  const { person, secret } = await invitePerson({ desks, now, randomInt }, fields);
  const pass = { organization, person: person.id, hash: hashSecret(secret) };
  return work(`${open}#${secret}`, person).finally(() => desks.removePass(pass));
}

/** Runs work with the header of the session that a response opened, and ends the session. */
async function inSession<Result>(
  { service }: Organization,
  { headers }: ServiceResponse,
  { organization, id: person }: Person,
  work: (session: Headers) => Promise<Result>,
): Promise<Result> {
  const [cookie = ''] = (headers['set-cookie'] ?? '').split(';');
  const [, secret = ''] = cookie.split('=');
  assert(secret !== '', `Set-Cookie: ${headers['set-cookie']}`);
  const { desks } = service.driver.operator;
  return work({ cookie }).finally(() => desks.removePass({ organization, person, hash: hashSecret(secret) }));
}

/** Signs in, and runs work with the header of the session. */
const signedIn = <Result>(api: Organization, work: (session: Headers) => Promise<Result>): Promise<Result> =>
  invited(api, async (invitation, person) =>
    inSession(api, await post(api, open, { invitation }), person, work),
  );

const approval = ({ id, updatedAt }: { id: string; updatedAt: string }) => ({
  action: 'approve',
  seen: `${id}@${updatedAt}`,
});

export const desk: Suite = {
  name: 'The desk',
  rules: [
    each(
      'a visitor without a session gets the sign-in page, which nothing caches and no website frames, at',
      [
        [deskPath, 200],
        [queue, 401],
        [list, 401],
        [`${deskPath}/people`, 401],
      ],
      async (api, path, status) => {
        const response = await get(api, path);
        expectStatus(response, status);
        assert(String(response.body).includes('name="invitation"'), 'it has no field for an invitation');
        expectEqual('Cache-Control', response.headers['cache-control'], 'no-store');
        expectEqual('X-Frame-Options', response.headers['x-frame-options'], 'DENY');
        const policy = response.headers['content-security-policy'] ?? 'none';
        assert(
          /^default-src 'none'/.test(policy) && !/unsafe|https?:|\*/.test(policy),
          `the policy: ${policy}`,
        );
      },
    ),
    rule('an invitation opens the desk once, with a cookie that no script can read', (api) =>
      invited(api, async (invitation, person) => {
        const opened = await post(api, open, { invitation });
        expectStatus(opened, 303);
        await inSession(api, opened, person, async (session) => {
          const cookie = opened.headers['set-cookie'] ?? '';
          for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/']) assert(cookie.includes(flag), cookie);
          expectStatus(await post(api, open, { invitation }), 403);
          expectStatus(await get(api, queue, session), 200);
        });
      }),
    ),
    rule('a moderator sees a new testimonial, approves it, and the next list shows that', (api) =>
      signedIn(api, async (session) => {
        const content = 'Seen at the desk before anyone else';
        const testimonial = await api.created(testimonialBody({ content }));
        const shown = await get(api, list, session);
        assert(String(shown.body).includes(content), 'the list does not contain the new testimonial');
        const before = await api.total('status=approved');
        const done = await post(api, list, approval(testimonial), session);
        assert(done.status < 400, `status ${done.status}`);
        expectEqual('approved testimonials', await api.total('status=approved'), before + 1);
      }),
    ),
    rule('a form of another website is refused and changes nothing', (api) =>
      signedIn(api, async (session) => {
        const testimonial = await testimonialIn(api);
        const before = await api.total('status=approved');
        const other = { ...session, 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' };
        expectStatus(await post(api, list, approval(testimonial), other), 403);
        expectEqual('approved testimonials', await api.total('status=approved'), before);
      }),
    ),
    rule('signing out ends the session within a minute', (api) =>
      signedIn(api, async (session) => {
        expectStatus(await post(api, `${deskPath}/me`, { end: 'this' }, session), 303);
        return api.within(65_000, async () => (await get(api, queue, session)).status === 401);
      }),
    ),
  ].map(withNeeds('desk')),
};
