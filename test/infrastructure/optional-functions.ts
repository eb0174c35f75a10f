/** The optional functions: moderation over HTTP, the desk, and pages. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { decide } from '../iam/decide.ts';
import { policiesOf } from '../iam/policies.ts';
import { everything, type Synthesized, synthesizeWith } from './synthesized.ts';

const corsOrigins = 'https://www.example.com';
const complete = synthesizeWith({ stage: 'prod', ...everything });
const without = synthesizeWith({ corsOrigins });
const moderating = synthesizeWith({ moderation: 'true', corsOrigins });
const withDesk = synthesizeWith({ desk: 'true', corsOrigins });
const withPages = synthesizeWith({ pages: 'true', corsOrigins });

const routesOf = ({ all }: Synthesized) =>
  all('ApiGatewayV2::Route').map(({ Properties }) => Properties.RouteKey);
const corsOf = ({ one }: Synthesized) => one('ApiGatewayV2::Api').Properties.CorsConfiguration;
const always = ['POST /v1/testimonials', 'GET /v1/testimonials', 'GET /docs/openapi.json'];

test.each([
  {
    name: 'ModerateTestimonials',
    made: moderating,
    routes: ['GET', 'PATCH', 'DELETE'].map((method) => `${method} /v1/testimonials/{id}`),
    methods: ['DELETE', 'GET', 'PATCH', 'POST'],
    headers: ['Words-May-Remain'],
    trace: /moderat/i,
  },
  {
    name: 'ServeDesk',
    made: withDesk,
    routes: ['ANY /desk', 'ANY /desk/{page+}'],
    methods: ['GET', 'POST'],
    trace: /desk/i,
  },
  {
    name: 'ServePages',
    made: withPages,
    routes: ['/f/{id}', '/f/{id}/thanks', '/w/{id}', '/embed.js', '/share.png'].map((path) => `ANY ${path}`),
    methods: ['GET', 'POST'],
    trace: /ServePages|embed/,
  },
])('$name serves its routes, and CORS allows their methods', (optional) => {
  const { name, made, routes, methods, headers = [], trace } = optional;
  expect(routesOf(without)).toEqual([...always, '$default']);
  expect(routesOf(made)).toEqual([...always, ...routes, '$default']);
  expect(corsOf(without).AllowMethods).toEqual(['GET', 'POST']);
  const exposed = [...corsOf(without).ExposeHeaders, ...headers].sort();
  expect(corsOf(made)).toEqual({ ...corsOf(without), AllowMethods: methods, ExposeHeaders: exposed });
  const uris = made.all('ApiGatewayV2::Integration').map(({ Properties }) => Properties.IntegrationUri.Ref);
  expect(uris.filter((each) => each.startsWith(name))).toHaveLength(routes.length);
  expect(JSON.stringify(without.json)).not.toMatch(trace);
});

test.each([
  ['CreateTestimonial', 'PutItem', 'ORG#acme#1#ORDINALS'],
  ['CreateTestimonial', 'PutItem', 'ORGANIZATIONS'],
  ['CreateTestimonial', 'Query', 'ORG#acme'],
  ['ListTestimonials', 'PutItem', 'ORG#acme'],
  ['ListTestimonials', 'GetItem', 'ORG#acme#KEY#1'],
  ['IndexTestimonials', 'GetItem', 'TOKEN#1'],
  ['Operator/Read', 'GetItem', 'TOKEN#1'],
  ['Operator/Read', 'PutItem', 'ORG#acme'],
  ['Operator/Read', 'PutItem', 'PAGE#1'],
  ['CreateTestimonial', 'GetItem', 'PAGE#1'],
  ['IndexTestimonials', 'GetItem', 'PAGE#1'],
  ['ModerateTestimonials', 'PutItem', 'TOKEN#1'],
  ['ModerateTestimonials', 'PutItem', 'ORG#acme#1#ORDINALS'],
  ['ModerateTestimonials', 'GetItem', 'ORG#acme#1#ORDINALS'],
  ['ModerateTestimonials', 'PutItem', 'ORGANIZATIONS'],
  ['ModerateTestimonials', 'PutItem', 'ORG#acme#KEY#1'],
  ['ModerateTestimonials', 'DeleteItem', 'ORG#acme'],
  ['ModerateTestimonials', 'Query', 'ORG#acme'],
  ['ServeDesk', 'PutItem', 'ORG#acme#1#ORDINALS'],
  ['ServeDesk', 'DeleteItem', 'ORG#acme#KEY#1'],
  ['ServeDesk', 'GetItem', 'TOKEN#1'],
  ['ServeDesk', 'Query', 'DESK#1'],
  ['ServeDesk', 'Query', 'ORGANIZATIONS'],
  ['ServeDesk', 'UpdateItem', 'RENEWAL'],
  ['ServePages', 'PutItem', 'PAGE#1'],
  ['ServePages', 'PutItem', 'ORG#acme#1#ORDINALS'],
  ['ServePages', 'DeleteItem', 'ORG#acme'],
  ['ServePages', 'PutItem', 'ORG#acme#ERASURES'],
  ['ServePages', 'GetItem', 'TOKEN#1'],
  ['ServePages', 'GetItem', 'DESK#1'],
  ['ServePages', 'Query', 'ORGANIZATIONS'],
  // People and sessions of the desk.
  ...['CreateTestimonial', 'ListTestimonials', 'IndexTestimonials'].flatMap((name) =>
    ['GetItem', 'PutItem', 'DeleteItem'].map((action) => [name, action, 'DESK#1'] as const),
  ),
])('%s may not %s of %s', (name, action, partition) => {
  const { policyOf, requestOf } =
    { ModerateTestimonials: moderating, ServePages: withPages }[name] ?? withDesk;
  expect(policyOf(name)).not.toEqual([]);
  expect(decide(policyOf(name), requestOf(action, partition)).isAllowed).toBe(false);
});

test('only the function that SECURITY.md names may write tokens', () => {
  const { json, requestOf } = complete;
  const writing = [...policiesOf(json)].filter(
    ([, statements]) => decide(statements, requestOf('PutItem', 'TOKEN#1')).isAllowed,
  );
  expect(writing.map(([name]) => name).toSorted()).toEqual(['CheckBeforeTraffic', 'Operator/Write']);
  for (const page of ['SECURITY.md', 'docs/operations.md'])
    expect(readFileSync(page, 'utf8')).toMatch(/One\s+function (can|may) write tokens:\s/);
});

test('the desk knows whether there are pages', () => {
  const hasPages = ({ one }: Synthesized) =>
    one('Lambda::Function', 'ServeDesk').Properties.Environment.Variables.HAS_PAGES;
  expect([hasPages(withDesk), hasPages(complete)]).toEqual(['false', 'true']);
});

test('the outputs include moderation and pages in the next step, and the URL of the desk', () => {
  expect(JSON.stringify(moderating.template.findOutputs('NextStep'))).toContain(' --moderation');
  expect(JSON.stringify(without.template.findOutputs('NextStep'))).not.toContain('--moderation');
  expect(JSON.stringify(withPages.template.findOutputs('NextStep'))).toContain(' --pages');
  withDesk.template.hasOutput('DeskUrl', Match.anyValue());
});
