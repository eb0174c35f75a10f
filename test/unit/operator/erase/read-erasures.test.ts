import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { erasedAttribute, tableKey, ttlAttribute } from '../../../../functions/dynamodb/keys.ts';
import { erasedMessage } from '../../../../functions/index-testimonials/handler.ts';
import { readErasures } from '../../../../lib/operator/erase/read-erasures.ts';

const id = 'test_1234567890121';
const other = 'test_9876543210982';
// Lines as Powertools and Lambda write them.
const logged = (organization: string, testimonial: string) =>
  JSON.stringify({
    level: 'INFO',
    message: 'Testimonial erased',
    timestamp: '2026-11-22T03:11:02.622Z',
    service: 'IndexTestimonials',
    organization,
    id: testimonial,
  });
const indexed = JSON.stringify({ level: 'INFO', message: 'Organization indexed', organization: 'acme' });
const platform = JSON.stringify({ time: '2026-11-22T03:11:02.622Z', type: 'platform.start', record: {} });

const read = (text: string) =>
  Object.fromEntries(Array.from(readErasures(text, 'erased.json'), ([name, ids]) => [name, [...ids]]));

const lines = [
  { organization: 'acme', id },
  { organization: 'other', id: other },
].map((each) => JSON.stringify(each));
const events = [logged('acme', id), platform, indexed, logged('other', other), logged('acme', id)];

/** An event as EventBridge writes it to a log. */
const delivered = (organization: string, testimonial: string) =>
  JSON.stringify({
    version: '0',
    id: '17793124-05d4-b198-2fde-7ededc63b103',
    'detail-type': 'testimonial.erased',
    source: 'testimonials',
    account: '123456789012',
    time: '2026-11-22T03:11:02Z',
    resources: [],
    detail: {
      version: 1,
      identity: `${organization}/${testimonial}/erased`,
      organization,
      id: testimonial,
      update: 9,
    },
  });

test.each([
  [
    'aws logs filter-log-events of the events in another region',
    JSON.stringify({
      events: [delivered('acme', id), delivered('other', other), delivered('acme', id)].map((message) => ({
        message,
      })),
    }),
  ],
  [
    'aws logs filter-log-events',
    JSON.stringify(
      {
        events: events.map((message, i) => ({ logStreamName: 's', timestamp: 1, message, eventId: `${i}` })),
        searchedLogStreams: [],
      },
      null,
      4,
    ),
  ],
  [
    'aws logs tail, short and detailed, and an export',
    [
      `2026-11-22T03:11:02 ${logged('acme', id)}`,
      `2026-11-22T03:11:02.622000+00:00 2026/11/22/[$LATEST]0f ${logged('other', other)}`,
      `2026-11-22T03:11:02.622Z ${indexed}`,
      platform,
      '',
    ].join('\n'),
  ],
  ['lines with an organization and an id', lines.join('\n')],
  ['such lines from Windows', `${lines.join('\r\n')}\r\n`],
  [
    'aws dynamodb scan, with the prefix of keys',
    JSON.stringify([
      { organization: 'ORG#acme', id },
      { organization: 'ORG#other', id: other },
    ]),
  ],
])('erasures are read from %s', (_, text) => {
  expect(read(text)).toEqual({ acme: [id], other: [other] });
});

test.each([['{"events":[]}'], [''], ['[]'], [indexed]])('%j names no erasure', (text) => {
  expect(read(text)).toEqual({});
});

describe('a line that could be an erasure is not skipped', () => {
  const plain = (value: unknown) =>
    `${JSON.stringify({ organization: 'acme', id })}\n${JSON.stringify(value)}\n`;
  const event = (message: string) => JSON.stringify({ events: [{ message }] });
  const anId = 'id must be the id of a testimonial';
  const aName = 'organization must be 1 to 63 of a-z, 0-9 and -';
  const anObject = 'must be a JSON object with organization and id.';
  test.each([
    [plain({ organization: 'acme' }), 'Line 2', anId],
    [plain({ organisation: 'acme', id }), 'Line 2', aName],
    [plain({ organization: 'Acme Ltd', id }), 'Line 2', aName],
    [plain({ organization: 'acme', id: 'test_1' }), 'Line 2', anId],
    [plain('x'), 'Line 2', anObject],
    [`${plain({ organization: 'acme', id })}{"organization":"acme","id":"te`, 'Line 3', anObject],
    ['organization,id\nacme,test_1234567890121', 'Line 1', anObject],
    [JSON.stringify([{ organization: 'acme', id: null }]), 'Entry 1', 'id must be a string.'],
    [event('Task timed out'), 'Event 1', anObject],
    [event('{"message":"Testimonial erased","organization":"acme"}'), 'Event 1', anId],
  ])('%j', (text, where, rule) => {
    expect(() => read(text)).toThrow(`${where} of erased.json: ${rule}`);
  });
});

test('the commands of docs/recovery.md match the log and the table', () => {
  const page = readFileSync(new URL('../../../../docs/recovery.md', import.meta.url), 'utf8');
  expect(page).toContain(`--filter-pattern '{ $.message = "${erasedMessage}" }'`);
  expect(page).toContain(`attribute_exists(${erasedAttribute})`);
  expect(page).toContain(`{organization: ${tableKey.partition}.S, id: ${erasedAttribute}.S}`);
  expect(page).toContain(`AttributeName=${ttlAttribute}`);
});
