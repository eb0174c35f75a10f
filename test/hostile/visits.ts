/** Requests of visitors to pages, broken in every way that we know of. */
import fc from 'fast-check';
import type { Page } from '../../functions/domain/page.ts';
import { formFields } from '../../lib/check/contract/requests.ts';
import { type Body, bodiesOf, hostileText, longRun, numberText, oddText, prototypeKeys } from './texts.ts';

export interface Visit extends Body {
  method: string;
  path: string;
  query: string;
  headers: Record<string, string>;
}

/** @param shownAt a time when a form was shown, in milliseconds since 1970 */
export function hostileVisit(form: Page, wall: Page, shownAt: number): fc.Arbitrary<Visit> {
  const visit = fc.record({ path: pathOf(form.id, wall.id), query, headers, method: otherMethod });
  const submission = fc.record({
    path: fc.oneof({ weight: 20, arbitrary: fc.constant(`/f/${form.id}`) }, pathOf(form.id, wall.id)),
    query: fc.constant(''),
    headers,
    method: fc.constant('POST'),
    sent: bodyOf(shownAt),
  });
  return fc.oneof(
    visit,
    submission.map(({ sent, ...request }) => ({ ...request, ...sent })),
  );
}

const otherMethod = fc.oneof(
  { weight: 20, arbitrary: fc.constant('GET') },
  fc.constantFrom(...'HEAD POST PUT PATCH DELETE OPTIONS TRACE get CONNECT'.split(' '), 'GETS'),
);

function pathOf(form: string, wall: string): fc.Arbitrary<string> {
  const pages = [
    `/f/${form}`,
    `/f/${form}/thanks`,
    `/w/${wall}`,
    `/w/${wall}.json`,
    '/embed.js',
    '/share.png',
  ];
  const tricks = [
    ...pages.flatMap((path) => [`${path}/`, `${path}%00`, `${path}/..`, `${path};a=b`]),
    ...pages.flatMap((path) => [path.toUpperCase(), path.replace('/', '/%2f'), `/..${path}`, `${path}.json`]),
    '/w/%2e%2e/f',
    '/w/.json',
    '',
    '/f//thanks',
    '/f/\n',
    '//x.test/f',
    `/f/${wall}`,
    `/w/${form}`,
    `/f/${'0'.repeat(22)}`,
    `/w/${wall}.json/thanks`,
    `/f/${form}.json`,
    ...prototypeKeys.flatMap((key) => [`/${key}`, `/f/${key}`, `/${key}/${form}`]),
  ];
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...pages) },
    { weight: 3, arbitrary: fc.constantFrom(...tricks) },
    {
      weight: 1,
      arbitrary: fc.oneof(hostileText, longRun).map((text) => `/f/${encodeURI(text.toWellFormed())}`),
    },
    { weight: 1, arbitrary: hostileText.map((text) => `/w/${text}`) },
  );
}

const query = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: fc.oneof(numberText, hostileText).map((page) => `page=${page}`) },
  fc.constantFrom(
    '&'.repeat(4000),
    'page=1&page=2',
    '%',
    'page',
    'page=%31',
    `page=${'9'.repeat(9)}`,
    'token=tst_1',
  ),
);

/** Headers with unusual values, and sometimes many. */
const headers = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant('api.example.com') },
      fc.constant('127.0.0.1:3000'),
      hostileText,
    ),
    fc.option(contentType(), { freq: 8, nil: undefined }),
    fc.dictionary(
      fc.constantFrom(
        ...prototypeKeys,
        ...'origin cookie referer content-encoding if-none-match range accept-encoding'.split(' '),
        ...'authorization x-forwarded-host x-forwarded-for x-http-method-override content-length'.split(' '),
      ),
      fc.oneof(hostileText, fc.constant('gzip'), longRun),
      { maxKeys: 3, noNullPrototype: true },
    ),
    fc.constantFrom(0, 0, 0, 0, 0, 0, 500),
  )
  .map(([host, type, others, flood]) => ({
    ...others,
    ...(host !== '' && { host }),
    ...(type !== undefined && { 'content-type': type }),
    ...Object.fromEntries(Array.from({ length: flood }, (_, i) => [`x-flood-${i}`, 'x'.repeat(i)])),
  }));

function contentType(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/x-www-form-urlencoded') },
    fc.constantFrom(
      'application/json',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      '*/*',
      'application/x-www-form-urlencoded; charset=utf-16',
      `application/${'a+'.repeat(2000)}json`,
    ),
    hostileText,
  );
}

const names = [
  ...Object.keys(formFields()),
  'author.role',
  'author.company',
  'rating',
  'subject',
  'key',
  'shownAt',
];

/** Bodies of forms: with hostile fields, of other types, or of bytes that are not UTF-8. */
function bodyOf(shownAt: number): fc.Arbitrary<Body> {
  // Mostly the same key, with different texts.
  const valid = fc
    .tuple(fc.constantFrom('a', 'a', 'b', 'c'), fc.constantFrom('1', '5', '', '6', 'x'))
    .map(([key, rating]) => ({ ...formFields(), rating, key: key.repeat(22), shownAt: String(shownAt) }));
  const name = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...names) },
    fc.constantFrom(...prototypeKeys),
    oddText,
  );
  const value = fc.oneof({ weight: 4, arbitrary: hostileText }, longRun, numberText);
  const form = fc
    .tuple(
      valid,
      fc.array(fc.tuple(name, value), { maxLength: 4 }),
      fc.subarray(names, { minLength: 6 }),
      fc.boolean(),
    )
    .map(([fields, changes, kept, isWhole]) => {
      const all = Object.entries(fields).filter(([each]) => isWhole || kept.includes(each));
      const changed = new Map([...all, ...changes].map(([each, text]) => [each, text.toWellFormed()]));
      return String(new URLSearchParams([...changed]));
    });
  const others = fc.constantFrom(
    Array.from({ length: 1000 }, (_, i) => `field${i}=${i}`).join('&'),
    'content=a&'.repeat(1000),
    `content=${'%F0%9F%91%8D'.repeat(80_000)}`,
    `content=${'<script>'.repeat(20_000)}&author.name=${'"'.repeat(20_000)}`,
    '&'.repeat(100_000),
    'x'.repeat(2_000_000),
    '{"content":"An object of JSON"}',
    '--x\r\ncontent-disposition: form-data; name="content"\r\n\r\nA part',
    '',
    '=',
    '%FF%FE=%C0%AF',
    'content=%ED%A0%80',
    'content[]=a&author[name]=b',
    'key=%00&shownAt=1e400',
  );
  const text = fc.oneof({ weight: 8, arbitrary: form }, { weight: 1, arbitrary: others });
  return bodiesOf(text, 12);
}
