/** The limits of API Gateway, and CORS. Only a service behind a URL has them. */
import assert from 'node:assert/strict';
import { createTestimonialContract } from '../../../functions/create-testimonial/contract.ts';
import { headersOf } from '../../../functions/http/contract.ts';
import { listTestimonialsContract } from '../../../functions/list-testimonials/contract.ts';
import { expectEqual } from './expectations.ts';
import type { Organization } from './organization.ts';
import { expectKeptApart, pageLists } from './published-reads.ts';
import {
  type ApiRequest,
  createRequest,
  responseText,
  type ServiceResponse,
  testimonialBody,
} from './requests.ts';
import { each, rule, type Suite } from './suite.ts';

const megabyte = 1024 * 1024;

const contentOf = (bytes: number) => createRequest(testimonialBody({ content: 'x'.repeat(bytes) }));

/** They are made when they are sent, because each is megabytes. */
const tooLarge: [string, () => ApiRequest][] = [
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
  ['a body above the 10 MB of API Gateway', () => contentOf(10 * megabyte)],
  // https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
  ['a body above the 6 MB of a function', () => contentOf(7 * megabyte)],
  ['a request line and headers above 10,240 bytes together', () => ({ query: `tags=${'x'.repeat(10_240)}` })],
];

export const limits: Suite = {
  name: 'Limits of API Gateway',
  rules: [
    // AWS documents the limits, but not every response to a request beyond them.
    each(
      'nothing is stored if the gateway refuses',
      tooLarge,
      async (api, _, request) => {
        const seen = await api.send(request()).then(
          (response) => {
            assert(response.status >= 400, responseText(response));
            return responseText(response);
          },
          // Some servers respond before they have read the whole body, and close the connection.
          (error: Error) => `the connection ended: ${error.message}`,
        );
        expectEqual('the total', await api.total(), 0);
        return seen;
      },
      'gateway',
    ),
  ],
};

// The headers of the two operations that every deployment has.
const apiHeaders = headersOf([createTestimonialContract, listTestimonialsContract]);

const originOf = ({ service }: Organization) => service.driver.origin ?? '';

function expectAllowed({ headers }: ServiceResponse, origin: string): void {
  const allowed = headers['access-control-allow-origin'];
  assert(
    allowed === origin || allowed === '*',
    `access-control-allow-origin: ${allowed ?? 'none'}: is ${origin} in corsOrigins?`,
  );
}

function expectListed({ headers }: ServiceResponse, name: string, values: readonly string[]): void {
  const listed = (headers[name] ?? '').toLowerCase().split(/\s*,\s*/);
  if (listed.includes('*')) return;
  const missing = values.filter((value) => !listed.includes(value.toLowerCase()));
  expectEqual(`${name} lacks`, missing, []);
}

export const cors: Suite = {
  name: 'CORS',
  rules: [
    rule(
      'a preflight allows the origin, the methods and the headers that the API needs',
      async (api) => {
        const headers = {
          origin: originOf(api),
          'access-control-request-method': 'POST',
          'access-control-request-headers': apiHeaders.request.join(',').toLowerCase(),
        };
        const response = await api.send({ method: 'OPTIONS', token: '', headers });
        assert([200, 204].includes(response.status), responseText(response));
        expectAllowed(response, originOf(api));
        const optional = api.service.driver.moderation ? ['PATCH', 'DELETE'] : [];
        expectListed(response, 'access-control-allow-methods', ['GET', 'POST', ...optional]);
        // `*` does not include Authorization
        // (https://fetch.spec.whatwg.org/#cors-non-wildcard-request-header-name).
        expectListed(response, 'access-control-allow-headers', apiHeaders.request);
      },
      'origin',
    ),
    each(
      'a page may read, including its headers,',
      [
        ['a list', ''],
        ['an error', 'page=0'],
      ],
      async (api, _, query) => {
        const response = await api.list(query, { headers: { origin: originOf(api) } });
        expectAllowed(response, originOf(api));
        expectListed(response, 'access-control-expose-headers', apiHeaders.response);
      },
      'origin',
    ),
    each(
      'a page may read a published list; caches keep it for that page and token only, with its token',
      pageLists,
      async (api, _, list) => {
        const response = await list(api, { origin: originOf(api) });
        expectAllowed(response, originOf(api));
        expectKeptApart(response);
      },
      'origin',
    ),
  ],
};
