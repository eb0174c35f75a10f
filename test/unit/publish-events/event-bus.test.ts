import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { beforeEach, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import type { TestimonialEvent } from '../../../functions/publish-events/event.ts';
import { eventBridgeBus } from '../../../functions/publish-events/event-bus.ts';

const eventBridge = mockClient(EventBridgeClient);
beforeEach(() => void eventBridge.reset());

const detail = {
  version: 1 as const,
  identity: 'i',
  organization: 'acme',
  id: 'test_1',
  time: '2026-01-15T10:00:00.000Z',
  update: 1,
};
const erased: TestimonialEvent = { name: 'testimonial.erased', detail };

test('each event is one entry of one call, with its detail as JSON', async () => {
  eventBridge.on(PutEventsCommand).resolves({ Entries: [{ EventId: '1' }, { EventId: '2' }] });
  expect(await eventBridgeBus('bus').put([erased, erased])).toEqual([undefined, undefined]);
  const entry = {
    EventBusName: 'bus',
    Source: 'testimonials',
    DetailType: 'testimonial.erased',
    Detail: JSON.stringify(detail),
  };
  expect(eventBridge.calls().map(({ args: [{ input }] }) => input)).toEqual([{ Entries: [entry, entry] }]);
});

test('the reason of a rejected or missing entry is at its position', async () => {
  const Entries = [{ EventId: '1' }, { ErrorCode: 'ThrottlingException' }];
  eventBridge.on(PutEventsCommand).resolves({ FailedEntryCount: 1, Entries });
  const results = await eventBridgeBus('bus').put([erased, erased, erased]);
  expect(results).toEqual([undefined, 'ThrottlingException', 'no response']);
});

test('an error of the whole call passes through', async () => {
  const error = new Error('read ECONNRESET');
  eventBridge.on(PutEventsCommand).rejects(error);
  await expect(eventBridgeBus('bus').put([erased])).rejects.toBe(error);
});
