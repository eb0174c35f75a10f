/** Tests that the check of log lines finds leaks and covers every logger. */
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { hashSecret, makeSecret } from '../../functions/domain/token.ts';
import { leaksIn, logsOf, WatchedLogger } from '../watched-logs.ts';

const token = makeSecret('tst', randomInt);
const content = 'Amazing "product"\nof them';

describe('the check finds', () => {
  test.each([
    ['a token', token, 'a token'],
    ['a token in a header', `Bearer ${token}`, 'a token'],
    ['the hash of a token', hashSecret(token), 'the hash of a token'],
    ['an e-mail address', 'jane.doe+news@mail.example.com', 'an e-mail address'],
    ['a content', content, 'a text'],
    ['a content in nested JSON', JSON.stringify({ body: { content } }), 'a text'],
    ['an author', { author: { name: 'Jané Doe' } }, 'a text'],
    ['the message of a nested error', new Error('no', { cause: new Error(content) }), 'a text'],
  ])('%s', (_, leak, name) => {
    const log = JSON.stringify({
      message: 'Request failed',
      reason: leak instanceof Error ? String(leak.cause) : leak,
    });
    expect(leaksIn(log, [content, 'Jané Doe'])).toEqual([expect.stringMatching(`^${name}: `)]);
  });
});

test('the check finds nothing in the log line of a request', () => {
  const line = {
    level: 'INFO',
    message: 'Request completed',
    timestamp: '2026-01-15T10:30:00.000Z',
    service: 'CreateTestimonial',
    requestId: 'b1946ac9-2d5c-4f8e-9d5a-7c9e6f3d2a10',
    route: 'POST /v1/testimonials',
    organization: 'acme',
    status: 201,
  };
  expect(leaksIn(JSON.stringify(line), [content])).toEqual([]);
});

test('a watched logger keeps lines of every level', async () => {
  const logger = new WatchedLogger();
  const { logged } = await logsOf(async () => {
    logger.debug('a debug line', { deep: { organization: 'acme' } });
    logger.error('an error line', new Error('its reason'));
  });
  expect(logged.split('\n')).toEqual([
    expect.stringContaining('"acme"'),
    expect.stringContaining('its reason'),
  ]);
  expect(logger.lines).toMatchObject([{ level: 'DEBUG' }, { level: 'ERROR' }]);
});

test('every logger of a suite is watched, except those whose lines a test reads itself', () => {
  const files = globSync('test/**/*.ts').filter((file) => !file.startsWith('test/benchmark/'));
  const loggers = files.filter((file) =>
    /from '@aws-lambda-powertools\/logger'/.test(readFileSync(file, 'utf8')),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(loggers.toSorted()).toEqual(['test/integration/restore.test.ts', 'test/watched-logs.ts']);
});
