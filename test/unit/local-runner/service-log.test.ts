import { beforeEach, describe, expect, test } from '@jest/globals';
import { type LoggedRequest, serviceLog } from '../../../lib/local-runner/service-log.ts';

let printed: string;
beforeEach(() => {
  printed = '';
});
const print = (text: string) => {
  printed += text;
};

/** Returns a log line of a function. */
const line = (fields: object) =>
  `${JSON.stringify({ level: 'INFO', message: 'Request completed', service: 'ListTestimonials', timestamp: '2026-11-22T12:56:06.681Z', sampling_rate: 0, ...fields })}\n`;

const requestOf = (fields: Partial<LoggedRequest> = {}): LoggedRequest => ({
  requestId: 'request-1',
  method: 'GET',
  path: '/v1/testimonials',
  status: 200,
  body: Buffer.from('{}'),
  milliseconds: 11.6,
  ...fields,
});

const metrics = `${JSON.stringify({ _aws: { Timestamp: 1, CloudWatchMetrics: [] }, ListRounds: 2, requestId: 'request-1' })}\n`;
const errorBody = Buffer.from(
  '{"error":{"code":"bad_request","message":"No.","details":{"limit":"is wrong","page":"too"}}}',
);

describe('as text', () => {
  const log = () => serviceLog('text', print);

  test('a request is one line, with its organization', () => {
    const { output, request } = log();
    output(metrics);
    output(line({ requestId: 'request-1', organization: 'acme', status: 200 }));
    expect(printed).toBe('');
    request(requestOf());
    request(requestOf({ requestId: 'request-2', method: 'POST', status: 201 }));
    expect(printed).toBe('GET /v1/testimonials 200 12 ms acme\nPOST /v1/testimonials 201 12 ms\n');
  });

  test('a form that a robot sent says that nothing was stored', () => {
    const { output, request } = log();
    output(line({ requestId: 'request-1', status: 303, isRobot: true }));
    request(requestOf({ method: 'POST', path: '/f/x', status: 303 }));
    expect(printed).toBe('POST /f/x 303 12 ms: sent as fast as a robot would, so nothing was stored\n');
  });

  test.each([
    ['/desk/open%23', 'tsi_'],
    ['/desk/open%2523', 'tsi%5f'],
    ['/', '%74ST%255F'],
    ['/desk/', 'TSS_'],
    ['/desk/feed?secret=', 'tsf_'],
    ['/desk/feed?secret%3d', 'ts%2566%5f'],
  ])('a secret in the path %s%s… is not printed', (before, prefix) => {
    const path = `${before}${prefix}${'aB3'.repeat(12)}/more?x`;
    log().request(requestOf({ path }));
    expect(printed).toBe(`GET ${before}… 200 12 ms\n`);
  });

  test.each<[string, Partial<LoggedRequest>, string]>([
    ['the response of a function', { status: 400, body: errorBody }, 'No. limit is wrong; page too'],
    [
      'the response of the gateway',
      { status: 413, body: Buffer.from('{"message":"Too"}') },
      '{"message":"Too"}',
    ],
    [
      'the error of a function that timed out',
      { status: 500, error: new Error('Task timed out') },
      'Task timed out',
    ],
  ])('the reason is %s', (_, fields, reason) => {
    log().request(requestOf(fields));
    expect(printed).toBe(`GET /v1/testimonials ${fields.status} 12 ms: ${reason}\n`);
  });

  test('a page has no reason, because it shows the error itself', () => {
    log().request(requestOf({ status: 400, body: Buffer.from('<!doctype html>\n<title>') }));
    expect(printed).toBe('GET /v1/testimonials 400 12 ms\n');
  });

  test('the reason of a failure is its stack and the stack of its cause', () => {
    const { output, request } = log();
    const cause = { name: 'Error', message: 'deep', stack: 'Error: deep\n    at b.ts:2:1' };
    const reason = { name: 'TypeError', message: 'odd', stack: 'TypeError: odd\n    at a.ts:1:1', cause };
    output(line({ level: 'ERROR', requestId: 'request-1', organization: 'acme', status: 500, reason }));
    request(requestOf({ status: 500, body: Buffer.from('{"error":{"message":"The service failed"}}') }));
    expect(printed).toBe(
      'GET /v1/testimonials 500 12 ms acme: TypeError: odd\n      at a.ts:1:1\n  caused by Error: deep\n      at b.ts:2:1\n',
    );
  });

  test('outside requests, only warnings and errors are printed, in words', () => {
    const { output, message } = log();
    output(line({ message: 'Organization indexed', organization: 'acme' }));
    const failure = { message: 'Indexing failed', service: 'IndexTestimonials', organization: 'acme' };
    output(line({ level: 'ERROR', ...failure, error: 'Error: no' }));
    output(line({ level: 'WARN', message: 'Odd' }));
    message('IndexTestimonials: Not shown elsewhere');
    expect(printed).toBe(
      'IndexTestimonials: Indexing failed (organization acme, error Error: no)\n' +
        'ListTestimonials: Odd\n' +
        'IndexTestimonials: Not shown elsewhere\n',
    );
  });

  test('other output of a function is printed unchanged', () => {
    log().output('here { a: 1 }\n');
    expect(printed).toBe('here { a: 1 }\n');
  });

  test('control characters from a client never reach the terminal', () => {
    const body = Buffer.from(JSON.stringify({ error: { message: '\u001b[2J\u0007' } }));
    log().request(requestOf({ path: '/\u009b2J', status: 404, body }));
    expect(printed).toBe('GET /\uFFFD2J 404 12 ms: \uFFFD[2J\uFFFD\n');
  });
});

test('as JSON, the output of functions is printed unchanged, and errors outside any function', () => {
  const { output, request, message } = serviceLog('json', print);
  const lines = [metrics, line({ requestId: 'request-1', organization: 'acme', status: 200 })];
  for (const each of lines) output(each);
  request(requestOf());
  expect(printed).toBe(lines.join(''));
  request(requestOf({ status: 500, error: new Error('Task timed out') }));
  message('odd');
  expect(printed).toBe(`${lines.join('')}Task timed out\nodd\n`);
});
