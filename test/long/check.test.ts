/** `npm run check`, against services that are sound, broken or none. */
import { afterAll, expect, test } from '@jest/globals';
import type { ApiResponse } from '../../functions/http/api-event.ts';
import type { ListBody } from '../../functions/list-testimonials/contract.ts';
import type { Outcome } from '../../lib/check/report.ts';
import { checkOf } from '../check.ts';
import { closeFailingDynamoDbs } from '../failing-dynamodb.ts';
import { type Breakage, closeServedApis, servedApi } from '../served-api.ts';
import { textOf } from '../table-text.ts';

afterAll(() => {
  closeServedApis();
  closeFailingDynamoDbs();
});

test('of a sound service every check holds, and nothing is left of the check', async () => {
  const service = await servedApi();
  const { code, stdout } = await checkOf(service);
  expect(stdout).not.toContain('NOT HELD');
  expect(stdout).toMatch(/\n(\d+) of \1 held, \d+ s\n$/);
  expect(code).toBe(0);
  expect(await textOf(service.table)).not.toContain('check-');
});

test('Ctrl-C ends it, once nothing is left of it', async () => {
  const service = await servedApi(({ body }, answer) => {
    if (body?.includes('Client 20 of 50')) process.emit('SIGINT', 'SIGINT');
    return answer;
  });
  const { code, stdout, stderr } = await checkOf(service);
  expect(stdout).toMatch(
    /\nAfterwards\nheld +nothing of this check is left .+\n\n(\d+) of \d+ held, \d+ not played/,
  );
  expect(stdout).not.toContain('NOT HELD');
  expect(stderr).toContain('Stopping');
  expect(code).toBe(130);
  expect(await textOf(service.table)).not.toContain('check-');
});

function withBody(answer: ApiResponse, change: (body: ListBody) => ListBody): ApiResponse {
  return { ...answer, body: JSON.stringify(change(JSON.parse(answer.body ?? ''))) };
}

/** Answers the first lists of 100 as they were one list before. */
function losingWrites(): Breakage {
  let before: ApiResponse | undefined;
  let lists = 0;
  return ({ rawQueryString }, answer) => {
    if (rawQueryString !== 'limit=100' || lists === 50) return answer;
    lists += 1;
    const late = before ?? withBody(answer, (body) => ({ ...body, testimonials: [] }));
    before = answer;
    return late;
  };
}

const wrongTotal: Breakage = ({ rawQueryString }, answer) =>
  rawQueryString.startsWith('type=video')
    ? withBody(answer, (body) => ({
        ...body,
        pagination: { ...body.pagination, total: body.pagination.total + 1 },
      }))
    : answer;

const noHeader: Breakage = (
  _,
  { headers: { 'x-content-type-options': __, ...headers } = {}, ...answer },
) => ({
  ...answer,
  headers,
});

const replacedVary: Breakage = (_, answer) => ({
  ...answer,
  headers: { ...answer.headers, ...(answer.headers?.vary && { vary: 'Origin' }) },
});

const wrongTotals = (heading: string) => [
  heading,
  'each type',
  expect.stringMatching(/^type=video&page=1: total: \d+ instead of \d+$/),
];

test('a header that is dropped or replaced, a total that is wrong, a write that is not read and what is not compressed are each named, with exit code 1', async () => {
  const late = losingWrites();
  const service = await servedApi((event, answer) =>
    [late, wrongTotal, noHeader, replacedVary].reduce((made, breaks) => breaks(event, made), answer),
  );
  const { code, stdout } = await checkOf(service, '--json');
  const { rows, held, checks }: Outcome & { held: number } = JSON.parse(stdout);
  const notHeld = rows.filter((row) => !row.held).map(({ heading, name, seen }) => [heading, name, seen]);
  expect(notHeld).toEqual([
    [
      'Clients',
      '50 clients at once: each finds what it created in its very next list',
      expect.stringMatching(/^clients that did not find it: \[.+\] instead of \[\]$/),
    ],
    ...['Lists of what waits beside the index', 'Lists from the index'].map(wrongTotals),
    [
      'Published lists',
      'a published token in the address is as good as in the header, and links carry it on',
      'Vary: Origin',
    ],
    wrongTotals('Lists after changes and an erasure'),
    // Whoever changes an answer gets it as it is.
    [
      'Limits',
      'a large answer leaves compressed where gzip is accepted, and as it is elsewhere',
      'Content-Encoding: null instead of gzip',
    ],
    [
      'Every answer of a function',
      'X-Content-Type-Options: nosniff',
      expect.stringMatching(/^none \(GET \/v1\/testimonials 200\); (\d+) of \1 answers$/),
    ],
  ]);
  expect({ code, held }).toEqual({ code: 1, held: checks - notHeld.length });
  expect(await textOf(service.table)).not.toContain('check-');
});
