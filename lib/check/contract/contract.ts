/**
 * The contract of the API for clients: every suite, in the order in which they run.
 *
 * A rule is written once. `npm test` runs it on the handlers in this process
 * (test/integration/contract.test.ts), and `npm run check` runs it over HTTP (lib/check). A rule that makes
 * sense in only one of them names the capability that it needs.
 */
import { authentication } from './authentication.ts';
import { createFields } from './create-fields.ts';
import { createRequests } from './create-request.ts';
import { desk } from './desk.ts';
import { openApi } from './document.ts';
import { everyResponseRules } from './every-response.ts';
import { cors, limits } from './gateway.ts';
import { idempotencyKeys } from './idempotency-key.ts';
import { listParameters } from './list-parameters.ts';
import { listResults } from './list-results.ts';
import { manyTestimonials } from './many-testimonials.ts';
import { media } from './media.ts';
import { erasure, moderation } from './moderation.ts';
import { erasureOverHttp, oneTestimonial } from './one-testimonial.ts';
import { pages } from './pages.ts';
import { pagination } from './pagination.ts';
import { publishedReads } from './published-reads.ts';
import { rule, type Suite } from './suite.ts';

/** Rules about all responses that the other suites received. */
export const everyResponseSuite: Suite = {
  name: 'Every response of a function',
  isAlone: true,
  rules: [
    ...everyResponseRules.map((name) =>
      rule(name, async ({ service }) => service.everyResponse.expectHeld(name)),
    ),
    rule('each has its own X-Request-Id', async ({ service }) => service.everyResponse.expectOwnIds()),
  ],
};

export const suites: readonly Suite[] = [
  // First, because they wait for the list index while the others run.
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
  openApi,
  pages,
  media,
  desk,
  manyTestimonials,
  limits,
  cors,
  // Last, because it checks the responses of all the others.
  everyResponseSuite,
];
