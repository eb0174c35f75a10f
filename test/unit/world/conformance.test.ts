/** The stores in memory pass the same conformance cases as those in DynamoDB. */
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
