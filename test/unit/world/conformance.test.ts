/** The stores in memory keep what those in DynamoDB keep: whatever is tested on them is worth as much. */
import { describe, test } from '@jest/globals';
import { idempotencyKeyCases } from '../../conformance/idempotency-key-store.ts';
import { indexStoreCases } from '../../conformance/index-store.ts';
import { renewalCases } from '../../conformance/renewal-store.ts';
import { testimonialStoreCases } from '../../conformance/testimonial-store.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';

describe('in memory', () => {
  test.each([...testimonialStoreCases, ...indexStoreCases, ...idempotencyKeyCases, ...renewalCases])(
    '$name',
    ({ holds }) => holds(inMemoryBackend(), 'acme'),
  );
});
