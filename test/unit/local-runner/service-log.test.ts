import { beforeEach, describe, expect, test } from '@jest/globals';
import { type AnsweredRequest, serviceLog } from '../../../lib/local-runner/service-log.ts';

let printed: string;
beforeEach(() => {
  printed = '';
});
const print = (text: string) => {
  printed += text;
};

/** A line as functions log it. */
const line = (fields: object) =>
  `${JSON.stringify({ level: 'INFO', message: 'Request answered', service: 'ListTestimonials', timestamp: '2026-11-22T12:56:06.681Z', sampling_rate: 0, ...fields })}\n`;

const request = (fields: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  requestId: 'request-1',
  method: 'GET',
  path: '/v1/testimonials',
  status: 200,
  body: Buffer.from('{}'),
  milliseconds: 11.6,
  ...fields,
});

const metrics = `${JSON.stringify({ _aws: { Timestamp: 1, CloudWatchMetrics: [] }, ListRounds: 2, requestId: 'request-1' })}\n`;
const refusal = Buffer.from(
  '{"error":{"code":"bad_request","message":"No.","details":{"limit":"is wrong","page":"too"}}}',
);

describe('as text', () => {
  const log = () => serviceLog('text', print);

  test('a request is one line, with the organization that its function names', () => {
    const { printed: functionPrints, answered } = log();
    functionPrints(metrics);
    functionPrints(line({ requestId: 'request-1', organization: 'acme', status: 200 }));
    expect(printed).toBe('');
    answered(request());
    answered(request({ requestId: 'request-2', method: 'POST', status: 201 }));
    expect(printed).toBe('GET /v1/testimonials 200 12 ms acme\nPOST /v1/testimonials 201 12 ms\n');
  });

  test.each([
    ['/desk/open%23', 'tsi_'],
    ['/desk/open%2523', 'tsi%5f'],
    ['/', '%74ST%255F'],
    ['/desk/', 'TSS_'],
  ])('a secret in the path %s%s… is not printed', (before, prefix) => {
    const path = `${before}${prefix}${'aB3'.repeat(12)}/more?x`;
    log().answered(request({ path }));
    expect(printed).toBe(`GET ${before}… 200 12 ms\n`);
  });

  test.each<[string, Partial<AnsweredRequest>, string]>([
    ['a refusal, what the client is told', { status: 400, body: refusal }, 'No. limit is wrong; page too'],
    [
      'the gateway, what it says',
      { status: 413, body: Buffer.from('{"message":"Too"}') },
      '{"message":"Too"}',
    ],
    [
      'a function that is no more, its error',
      { status: 500, error: new Error('Task timed out') },
      'Task timed out',
    ],
  ])('the reason is, of %s', (_, fields, reason) => {
    log().answered(request(fields));
    expect(printed).toBe(`GET /v1/testimonials ${fields.status} 12 ms: ${reason}\n`);
  });

  test('a page has no reason: whoever sees it is told', () => {
    log().answered(request({ status: 400, body: Buffer.from('<!doctype html>\n<title>') }));
    expect(printed).toBe('GET /v1/testimonials 400 12 ms\n');
  });

  test('the reason of a failure is its stack and that of its cause', () => {
    const { printed: told, answered } = log();
    const cause = { name: 'Error', message: 'deep', stack: 'Error: deep\n    at b.ts:2:1' };
    const reason = { name: 'TypeError', message: 'odd', stack: 'TypeError: odd\n    at a.ts:1:1', cause };
    told(line({ level: 'ERROR', requestId: 'request-1', organization: 'acme', status: 500, reason }));
    answered(request({ status: 500, body: Buffer.from('{"error":{"message":"The service failed"}}') }));
    expect(printed).toBe(
      'GET /v1/testimonials 500 12 ms acme: TypeError: odd\n      at a.ts:1:1\n  caused by Error: deep\n      at b.ts:2:1\n',
    );
  });

  test('beside requests, warnings and errors are said in words, and nothing else', () => {
    const { printed: functionPrints, told } = log();
    functionPrints(line({ message: 'Organization indexed', organization: 'acme' }));
    const failure = { message: 'Indexing failed', service: 'IndexTestimonials', organization: 'acme' };
    functionPrints(line({ level: 'ERROR', ...failure, error: 'Error: no' }));
    functionPrints(line({ level: 'WARN', message: 'Odd' }));
    told('IndexTestimonials: Nobody is told');
    expect(printed).toBe(
      'IndexTestimonials: Indexing failed (organization acme, error Error: no)\n' +
        'ListTestimonials: Odd\n' +
        'IndexTestimonials: Nobody is told\n',
    );
  });

  test('what somebody prints while looking for a fault is shown as it is', () => {
    log().printed('here { a: 1 }\n');
    expect(printed).toBe('here { a: 1 }\n');
  });

  test('nothing that a client sends does anything to the terminal', () => {
    const body = Buffer.from(JSON.stringify({ error: { message: '\u001b[2J\u0007' } }));
    log().answered(request({ path: '/\u009b2J', status: 404, body }));
    expect(printed).toBe('GET /\uFFFD2J 404 12 ms: \uFFFD[2J\uFFFD\n');
  });
});

test('as JSON, all that functions print is printed, and what no function could say', () => {
  const { printed: functionPrints, answered, told } = serviceLog('json', print);
  const lines = [metrics, line({ requestId: 'request-1', organization: 'acme', status: 200 })];
  for (const each of lines) functionPrints(each);
  answered(request());
  expect(printed).toBe(lines.join(''));
  answered(request({ status: 500, error: new Error('Task timed out') }));
  told('odd');
  expect(printed).toBe(`${lines.join('')}Task timed out\nodd\n`);
});
