/** docs/events-schema.json has the schemas of the code, and docs/events.md valid examples. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { type EventName, eventDetails, eventSource } from '../../../functions/publish-events/event.ts';

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const schema = read('events-schema.json');
const [, examples = ''] = /```json\n([\s\S]*?)```/.exec(read('events.md')) ?? [];

/** The schema of each kind of event on the page. */
const kinds: Record<EventName, 'testimonial' | 'erased' | 'imported'> = {
  'testimonial.created': 'testimonial',
  'testimonial.approved': 'testimonial',
  'testimonial.rejected': 'testimonial',
  'testimonial.pending': 'testimonial',
  'testimonial.tagged': 'testimonial',
  'testimonial.erased': 'erased',
  'testimonials.imported': 'imported',
};

test.each(Object.entries(eventDetails))('the file has the schema of %s', (name, detail) => {
  const { $schema: _, ...expected } = toJsonSchema(detail);
  expect(JSON.parse(schema).$defs[kinds[name as EventName]]).toEqual(expected); // a key of the table
});

test('the page has a valid example of each kind of event', () => {
  const events = examples
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map((event) => event['detail-type']).sort()).toEqual(Object.keys(kinds).sort());
  for (const { source, 'detail-type': name, detail } of events) {
    expect(source).toBe(eventSource);
    v.parse(eventDetails[name as EventName], detail); // as the line before says
  }
});
