/** Forms and walls from the visitor's view, without a token. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import {
  makeRandomId,
  type Page,
  type PageKind,
  pageRoutes,
  pathOfPage,
} from '../../../functions/domain/page.ts';
import { expectEqual, expectStatus, listed, refused } from './expectations.ts';
import type { Organization } from './organization.ts';
import {
  type ApiRequest,
  formFields,
  hiddenFieldsOf,
  type ServiceResponse,
  testimonialBody,
} from './requests.ts';
import { each, type Group, rule, type Suite, withNeeds } from './suite.ts';

type Fields = Record<string, string>;

const thanksOf = (page: Page) => `${pathOfPage(page)}/thanks`;
const dataOf = (page: Page) => `${pathOfPage(page)}.json`;

/**
 * Opens a form. Returns its hidden fields as if it had been opened earlier, because people need longer than
 * two seconds.
 */
async function opened(api: Organization, form: Page): Promise<Fields> {
  const response = await api.visit({ path: pathOfPage(form) });
  expectStatus(response, 200);
  const { key, shownAt } = hiddenFieldsOf(response.body);
  return { key, shownAt: String(Number(shownAt) - 3000) };
}

/** Sends a form in the way of a browser. */
function send(api: Organization, form: Page, fields: Fields): Promise<ServiceResponse> {
  // So that the check removes the key with the organization.
  api.idempotencyKeys.add(`form ${form.id} ${fields.key}`);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = String(new URLSearchParams(fields));
  return api.visit({ method: 'POST', path: pathOfPage(form), headers, body });
}

function expectThanks(response: ServiceResponse, form: Page): void {
  expectStatus(response, 303);
  expectEqual('Location', response.headers.location, thanksOf(form));
  expectEqual('Set-Cookie', response.headers['set-cookie'], undefined);
}

/**
 * Expects a page that loads nothing from other origins and sets no cookie, and that any website may frame. A
 * wall may play recordings from one other origin, the bucket's.
 */
function expectStrict({ service }: Organization, { headers }: ServiceResponse): void {
  expectEqual('Content-Type', headers['content-type'], 'text/html; charset=utf-8');
  const sent = headers['content-security-policy'] ?? 'none';
  const policy = service.driver.media ? sent.replace(/ media-src 'self' https?:[^; ]+;/, '') : sent;
  assert(/^default-src 'none';/.test(policy) && !/unsafe|https?:|\*/.test(policy), `the policy: ${policy}`);
  assert(!policy.includes('frame-ancestors'), `the policy: ${policy}`);
  expectEqual('X-Frame-Options', headers['x-frame-options'], undefined);
  expectEqual('X-Content-Type-Options', headers['x-content-type-options'], 'nosniff');
  expectEqual('Set-Cookie', headers['set-cookie'], undefined);
}

function expectText(label: string, { body }: ServiceResponse, text: string): void {
  assert(String(body).includes(text), `${label}: it does not contain ${text}`);
}

const title = 'How do you like our coffee';

const served: [string, PageKind, (page: Page) => string][] = [
  ['a form', 'form', pathOfPage],
  ['the page after sending', 'form', thanksOf],
  ['a wall', 'wall', pathOfPage],
];

const forms = [
  rule(
    'a valid form is answered with 303 to its thanks page, and is pending with the tags of the page',
    async (api) => {
      const form = await api.page('form', { tags: 'website,spring' });
      const fields = { ...(await opened(api, form)), ...formFields(), rating: '4' };
      expectThanks(await send(api, form, fields), form);
      const [newest] = listed(await api.list('limit=1')).testimonials;
      const { content, 'author.name': name, 'author.email': email } = formFields();
      expectEqual('the testimonial', newest, {
        id: newest?.id,
        content,
        author: { name, email },
        rating: 4,
        type: 'text',
        status: 'pending',
        tags: ['website', 'spring'],
        createdAt: newest?.createdAt,
        updatedAt: newest?.createdAt,
      });
    },
  ),
  rule('an invalid form comes back with 422, each rule at its field and everything typed', async (api) => {
    const form = await api.page('form');
    const [hidden, before] = [await opened(api, form), await api.total()];
    const invalid = { content: 'too short', 'author.name': '', 'author.email': 'nobody', rating: '9' };
    const response = await send(api, form, { ...hidden, ...formFields(), consent: 'no', ...invalid });
    expectStatus(response, 422);
    expectStrict(api, response);
    for (const name of [...Object.keys(invalid), 'consent']) {
      // An element without text is for the script.
      const rule = new RegExp(`id="${name.replace('.', '\\.')}-error"[^>]*>[^<]*[a-z]`);
      expectEqual(`the rule of ${name}`, rule.test(response.body), true);
    }
    expectText('the content', response, 'too short</textarea>');
    expectText('the e-mail address', response, 'value="nobody"');
    expectEqual('the hidden fields', hiddenFieldsOf(response.body), hidden);
    expectEqual('the total', await api.total(), before);
  }),
  each(
    'a form comes back with 422 and stores nothing without',
    [...Object.keys(formFields()), 'key', 'shownAt'].map((name) => [name, name] as const),
    async (api, _, name) => {
      const form = await api.page('form');
      const { [name]: _missing, ...fields } = { ...(await opened(api, form)), ...formFields() };
      const before = await api.total();
      expectStatus(await send(api, form, fields), 422);
      expectEqual('the total', await api.total(), before);
    },
  ),
  rule('a form sent ten times at once, and again later, creates one testimonial', async (api) => {
    const form = await api.page('form');
    const fields = { ...(await opened(api, form)), ...formFields() };
    const before = await api.total();
    const responses = await Promise.all(Array.from({ length: 10 }, () => send(api, form, fields)));
    for (const response of [...responses, await send(api, form, fields)]) expectThanks(response, form);
    expectEqual('the total', await api.total(), before + 1);
  }),
  rule('a form sent again with another text asks before it creates a second testimonial', async (api) => {
    const form = await api.page('form');
    const fields = { ...(await opened(api, form)), ...formFields() };
    expectThanks(await send(api, form, fields), form);
    const before = await api.total();
    const other = { ...fields, content: 'And the cake is even better than that.' };
    const response = await send(api, form, other);
    expectStatus(response, 422);
    expectText('the content', response, other.content);
    expectEqual('the total', await api.total(), before);
    expectThanks(await send(api, form, { ...other, ...hiddenFieldsOf(response.body) }), form);
    expectEqual('the total afterwards', await api.total(), before + 1);
  }),
  rule('a robot that sends sooner than two seconds is thanked, and nothing is stored', async (api) => {
    const form = await api.page('form');
    const [hidden, before] = [await opened(api, form), await api.total()];
    // Sent as if before the form was shown, because the clocks of tests may advance in the meantime.
    const tooSoon = { ...hidden, ...formFields(), shownAt: String(Date.now() + 3_600_000) };
    expectThanks(await send(api, form, tooSoon), form);
    expectEqual('the total', await api.total(), before);
  }),
  rule('a form whose hidden field is filled stores nothing until it is sent once more', async (api) => {
    const form = await api.page('form');
    const [hidden, before] = [await opened(api, form), await api.total()];
    const fields = { ...hidden, ...formFields(), subject: 'Director of Sales' };
    const asked = await send(api, form, fields);
    expectStatus(asked, 422);
    expectText('the content', asked, String(formFields().content));
    expectText('the mark', asked, '<input type="hidden" name="again" value="yes"');
    expectEqual('the total', await api.total(), before);
    expectThanks(await send(api, form, { ...fields, again: 'yes' }), form);
    expectEqual('the total afterwards', await api.total(), before + 1);
  }),
];

/** Visits a page several times at once, so that several functions respond. */
const visits = (api: Organization, page: Page): Promise<ServiceResponse[]> =>
  Promise.all(Array.from({ length: 5 }, () => api.visit({ path: pathOfPage(page) })));

/** Waits until no function has an earlier page in its cache. */
const waitForCaches = ({ service }: Organization) => service.driver.sleep(60_000);

const changes: Group = {
  name: 'within a minute',
  rules: [
    rule('an edited form shows its new title and settings at the same URL', async (api) => {
      const form = await api.page('form');
      await visits(api, form);
      const edited = { ...form, title: 'And now for something new', settings: { intro: 'Be honest' } };
      assert(await api.service.driver.operator.pages.replace(edited, edited), 'the form does not exist');
      await waitForCaches(api);
      for (const response of await visits(api, form)) {
        expectStatus(response, 200);
        for (const text of [edited.title, edited.settings.intro]) expectText('the form', response, text);
      }
    }),
    rule('a removed form and a removed wall are a 404', async (api) => {
      const removed = await Promise.all([api.page('form'), api.page('wall')]);
      for (const page of removed) {
        for (const response of await visits(api, page)) expectStatus(response, 200);
        assert(await api.service.driver.operator.pages.remove(page), 'the page does not exist');
      }
      await waitForCaches(api);
      for (const page of removed) {
        for (const response of await visits(api, page)) expectStatus(response, 404);
      }
    }),
  ],
};

/** Creates an approved testimonial that contains an e-mail address, and a pending one. */
async function shownAndPending(api: Organization): Promise<{ shown: string; pending: string }> {
  const [shown, pending] = ['The barista knows my name', 'Nobody has read this one yet'];
  const author = { name: 'Ann Example', email: anAddress };
  const { id } = await api.created(testimonialBody({ content: `${shown}, ask ${anAddress}`, author }));
  await api.created(testimonialBody({ content: pending, author }));
  await api.change(id, { status: 'approved' });
  return { shown, pending };
}

const anAddress = 'ann@coffee.example.com';

const walls = [
  rule('a wall shows approved testimonials without e-mail addresses, and no pending one', async (api) => {
    const wall = await api.page('wall');
    const { shown, pending } = await shownAndPending(api);
    const response = await api.visit({ path: pathOfPage(wall) });
    expectStatus(response, 200);
    expectText('the wall', response, shown);
    for (const text of [pending, anAddress, 'test_']) {
      assert(!response.body.includes(text), `the wall contains ${text}`);
    }
    expectEqual('Cache-Control', response.headers['cache-control'], 'public, max-age=60');
  }),
  rule(
    'any website may read the data of a wall for the live element, and cache it for a minute',
    async (api) => {
      const wall = await api.page('wall', { limit: '1' });
      const { shown } = await shownAndPending(api);
      const { origin } = api.service.driver;
      const headers = { origin: origin ?? 'https://www.example.com' };
      const response = await api.visit({ path: dataOf(wall), headers });
      expectStatus(response, 200);
      const [first] = response.body.testimonials;
      expectEqual('the content', first.content, `${shown}, ask [e-mail address]`);
      expectEqual('the author', first.author, { name: 'Ann Example' });
      expectEqual('the page size', response.body.pagination.limit, 1);
      expectEqual('Cache-Control', response.headers['cache-control'], 'public, max-age=60');
      const allowed = response.headers['access-control-allow-origin'] ?? 'none';
      assert(
        allowed === '*' || allowed === origin,
        `access-control-allow-origin: ${allowed}: if the deployment has corsOrigins, add --origin`,
      );
    },
  ),
  rule('/embed.js is a script that browsers keep for an hour, and a 304 if it is unchanged', async (api) => {
    const path = pageRoutes.liveElement;
    const response = await api.visit({ path });
    expectStatus(response, 200);
    const { etag = '', ...headers } = response.headers;
    assert(/^text\/javascript\b/.test(headers['content-type'] ?? ''), `it is ${headers['content-type']}`);
    expectEqual('Cache-Control', headers['cache-control'], 'public, max-age=3600');
    assert(/^(W\/)?"[^"]+"$/.test(etag), `ETag: ${etag}`);
    const again = await api.visit({ path, headers: { 'if-none-match': etag } });
    expectStatus(again, 304);
    expectEqual('the ETag of the 304', again.headers.etag, etag);
    expectEqual('the body of the 304', again.body, '');
    expectStatus(await api.visit({ path, headers: { 'if-none-match': '"another"' } }), 200);
  }),
];

/** Paths without a page. */
const unknown: [string, (api: Organization) => string | Promise<string>][] = [
  ['an unknown form', () => `/f/${makeRandomId(randomInt)}`],
  ['the thanks page of an unknown form', () => `/f/${makeRandomId(randomInt)}/thanks`],
  ['an unknown wall', () => `/w/${makeRandomId(randomInt)}`],
  ['the data of an unknown wall', () => `/w/${makeRandomId(randomInt)}.json`],
  ['an id that is too short', () => '/f/x'],
  ['a wall at the path of a form', async (api) => `/f/${(await api.page('wall')).id}`],
  ['a form at the path of a wall', async (api) => `/w/${(await api.page('form')).id}`],
  ['the data of a form', async (api) => `/w/${(await api.page('form')).id}.json`],
];

const refusals = [
  each('a visitor gets 404 for', unknown, async (api, _, pathOf) => {
    const path = await pathOf(api);
    const response = await api.visit({ path });
    expectStatus(response, 404);
    if (!path.endsWith('.json')) expectStrict(api, response);
  }),
  each<[(api: Organization) => Promise<ApiRequest>]>(
    'a visitor changes nothing (405) with',
    [
      ['DELETE of a form', async (api) => ({ method: 'DELETE', path: pathOfPage(await api.page('form')) })],
      ['POST of a thanks page', async (api) => ({ method: 'POST', path: thanksOf(await api.page('form')) })],
      ['POST of a wall', async (api) => ({ method: 'POST', path: pathOfPage(await api.page('wall')) })],
    ],
    async (api, _, requestOf) => {
      const request = await requestOf(api);
      expectStatus(await api.visit(request), 405);
    },
  ),
];

/** The paths of pages in requests. */
const paths = Object.values(pageRoutes).map((path) => path.replace('{id}', '0'.repeat(22)));

export const pages: Suite = {
  name: 'Forms and walls',
  rules: [
    ...[
      each(
        'a visitor gets without a token or cookie, with a strict policy:',
        served,
        async (api, _, kind, pathOf) => {
          const page = await api.page(kind, {}, title);
          const response = await api.visit({ path: pathOf(page) });
          expectStatus(response, 200);
          expectStrict(api, response);
          expectText('the page', response, title);
        },
      ),
      ...forms,
      ...walls,
      changes,
      ...refusals,
    ].map(withNeeds('pages')),
    each(
      'without pages, the paths are unknown:',
      paths.map((path) => [path, path] as const),
      async (api, _, path) =>
        refused(await api.send({ path, token: '' }), { status: 404, code: 'not_found' }),
      'no pages',
    ),
  ],
};
