/** docs/events.md: its schema is made of the code's, and its examples satisfy that. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { type EventName, eventDetails, eventSource } from '../../../functions/publish-events/event.ts';

const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
const [schema = '', examples = ''] = Array.from(page.matchAll(/```json\n([\s\S]*?)```/g), ([, text]) => text);

/** Which schema of the page each kind of event has. */
const kinds: Record<EventName, 'testimonial' | 'erased' | 'imported'> = {
  'testimonial.created': 'testimonial',
  'testimonial.approved': 'testimonial',
  'testimonial.rejected': 'testimonial',
  'testimonial.pending': 'testimonial',
  'testimonial.tagged': 'testimonial',
  'testimonial.erased': 'erased',
  'testimonials.imported': 'imported',
};

test.each(Object.entries(eventDetails))('the schema of %s is that of the code', (name, detail) => {
  const { $schema: _, ...expected } = toJsonSchema(detail);
  expect(JSON.parse(schema).$defs[kinds[name as EventName]]).toEqual(expected); // a key of the table
});

test('there is an example of each kind of event, which satisfies the schema', () => {
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
