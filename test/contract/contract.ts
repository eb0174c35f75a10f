/**
 * The contract of the API, as far as it is seen from outside: every suite, in the order in which they are played.
 *
 * A rule is written once. `npm test` plays it on the handlers in this process (test/integration/contract.test.ts), `npm run
 * check` over HTTP against a URL (test/check). Where it makes sense in one of them only, it says what it needs.
 */
import { authentication } from './authentication.ts';
import { createFields } from './create-fields.ts';
import { createRequests } from './create-request.ts';
import { everyAnswerRules } from './every-answer.ts';
import { cors, limits } from './gateway.ts';
import { idempotencyKeys } from './idempotency-key.ts';
import { listParameters } from './list-parameters.ts';
import { listResults } from './list-results.ts';
import { manyTestimonials } from './many-testimonials.ts';
import { erasure, moderation } from './moderation.ts';
import { erasureOverHttp, oneTestimonial } from './one-testimonial.ts';
import { pagination } from './pagination.ts';
import { publishedReads } from './published-reads.ts';
import { rule, type Suite } from './suite.ts';

/** What holds of all answers that the other suites got. */
export const everyAnswerSuite: Suite = {
  name: 'Every answer of a function',
  isAlone: true,
  rules: [
    ...everyAnswerRules.map((name) =>
      rule(name, async ({ service }) => service.everyAnswer.expectHeld(name)),
    ),
    rule('another X-Request-Id each time', async ({ service }) => service.everyAnswer.expectOwnIds()),
  ],
};

export const suites: readonly Suite[] = [
  // First: they wait for the list index, and the others are played meanwhile.
  erasure,
  erasureOverHttp,
  listResults,
  authentication,
  createRequests,
  createFields,
  idempotencyKeys,
  listParameters,
  pagination,
  moderation,
  oneTestimonial,
  publishedReads,
  manyTestimonials,
  limits,
  cors,
  // Last: it looks at the answers to all of them.
  everyAnswerSuite,
];
