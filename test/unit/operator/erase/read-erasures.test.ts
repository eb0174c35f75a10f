import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { erasedMessage } from '../../../../functions/index-testimonials/handler.ts';
import { erasedAttribute, tableKey, ttlAttribute } from '../../../../functions/persistence/keys.ts';
import { readErasures } from '../../../../lib/operator/erase/read-erasures.ts';

const id = 'test_1234567890121';
const other = 'test_9876543210982';
// As Powertools and Lambda log.
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
const both = { acme: [id], other: [other] };

describe('erasures are read', () => {
  test('of what aws logs filter-log-events prints', () => {
    const events = [logged('acme', id), platform, indexed, logged('other', other), logged('acme', id)];
    const text = {
      events: events.map((message, i) => ({ logStreamName: 's', timestamp: 1, message, eventId: String(i) })),
      searchedLogStreams: [],
    };
    expect(read(JSON.stringify(text, null, 4))).toEqual(both);
  });

  test('of the lines of aws logs tail, short and detailed, and of an export', () => {
    const text = [
      `2026-11-22T03:11:02 ${logged('acme', id)}`,
      `2026-11-22T03:11:02.622000+00:00 2026/11/22/[$LATEST]0f ${logged('other', other)}`,
      `2026-11-22T03:11:02.622Z ${indexed}`,
      platform,
      '',
    ];
    expect(read(text.join('\n'))).toEqual(both);
  });

  test('of lines with an organization and an id, with the line ends of any system', () => {
    const lines = [
      { organization: 'acme', id },
      { organization: 'other', id: other },
    ].map((each) => JSON.stringify(each));
    expect(read(lines.join('\n'))).toEqual(both);
    expect(read(`${lines.join('\r\n')}\r\n`)).toEqual(both);
    expect(read(lines[0] ?? '')).toEqual({ acme: [id] });
  });

  test('of what a scan of a table finds, in whose keys organizations have a prefix', () => {
    const found = [
      { organization: 'ORG#acme', id },
      { organization: 'ORG#other', id: other },
    ];
    expect(read(JSON.stringify(found, null, 4))).toEqual(both);
  });

  test.each([['{"events":[]}'], [''], ['[]'], [indexed]])('%j names none', (text) => {
    expect(read(text)).toEqual({});
  });
});

describe('what could be an erasure is not passed over', () => {
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
    [JSON.stringify([{ organization: 'acme', id: null }]), 'Entry 1', 'id must be a text.'],
    [event('Task timed out'), 'Event 1', anObject],
    [event('{"message":"Testimonial erased","organization":"acme"}'), 'Event 1', anId],
  ])('%j', (text, where, rule) => {
    expect(() => read(text)).toThrow(`${where} of erased.json: ${rule}`);
  });
});

test('the commands of docs/operations.md ask for what is logged and stored', () => {
  const page = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
  expect(page).toContain(`--filter-pattern '{ $.message = "${erasedMessage}" }'`);
  expect(page).toContain(`attribute_exists(${erasedAttribute})`);
  expect(page).toContain(`{organization: ${tableKey.partition}.S, id: ${erasedAttribute}.S}`);
  expect(page).toContain(`AttributeName=${ttlAttribute}`);
});
