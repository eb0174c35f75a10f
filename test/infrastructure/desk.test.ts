import { expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { decide } from '../iam/decide.ts';
import { policiesOf, tableArnOf } from '../iam/policies.ts';
import { synthesizeWith } from './synthesized.ts';

const corsOrigins = 'https://www.example.com';
const { template } = synthesizeWith({ protect: 'true', desk: 'true', corsOrigins });
const { template: without } = synthesizeWith({ corsOrigins });
const json = template.toJSON() as { Resources: unknown }; // as CloudFormation has it
const policy = policiesOf(json).get('ServeDesk') ?? [];

const routesOf = (from: typeof template) =>
  Object.values(from.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => Properties.RouteKey);

test('all below /desk leads to one function, where that is asked for, and pages of other origins may use no more than before', () => {
  const two = ['POST /v1/testimonials', 'GET /v1/testimonials'];
  expect(routesOf(without)).toEqual([...two, '$default']);
  expect(routesOf(template)).toEqual([...two, 'ANY /desk', 'ANY /desk/{page+}', '$default']);
  const cors = (from: typeof template) =>
    Object.values(from.findResources('AWS::ApiGatewayV2::Api'))[0]?.Properties.CorsConfiguration;
  expect(cors(template)).toEqual(cors(without));
  expect(/desk/i.test(JSON.stringify(without.toJSON()))).toBe(false);
  template.hasOutput('DeskUrl', Match.anyValue());
});

test('it has what the others of the API have: their limits, their gradual shift and their alarms', () => {
  template.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'Pages on which people moderate who were invited',
    Timeout: 10,
    MemorySize: 1024,
    Environment: {
      Variables: Match.objectLike({
        ORGANIZATION_BUDGET: '0.5',
        ORGANIZATION_RATE: '1250',
        CORS_ORIGINS: corsOrigins,
      }),
    },
  });
  const shifted = Object.keys(template.findResources('AWS::CodeDeploy::DeploymentGroup'));
  expect(shifted.filter((id) => id.startsWith('ShiftServeDesk'))).toHaveLength(1);
  const names = Object.keys(template.findResources('AWS::CloudWatch::Alarm')).join();
  for (const name of ['Errors', 'Throttles', 'Duration']) expect(names).toContain(`AlarmsServeDesk${name}`);
});

test.each([
  ['PutItem', 'ORG#acme#1#ORDINALS'],
  ['PutItem', 'ORG#acme#KEY#1'],
  ['GetItem', 'TOKEN#1'],
  ['Query', 'DESK#1'],
  ['Query', 'ORGANIZATIONS'],
  ['UpdateItem', 'RENEWAL'],
])('it may not %s of %s', (action, partition) => {
  const request = {
    ...{ action: `dynamodb:${action}`, resource: tableArnOf(json) },
    context: { 'dynamodb:LeadingKeys': [partition] },
  };
  expect(decide(policy, request).isAllowed).toBe(false);
});

test.each(['CreateTestimonial', 'ListTestimonials', 'IndexTestimonials'])(
  '%s may not read or write who gets in',
  (name) => {
    const rights = policiesOf(json).get(name) ?? [];
    for (const action of ['GetItem', 'PutItem', 'DeleteItem']) {
      const request = {
        ...{ action: `dynamodb:${action}`, resource: tableArnOf(json) },
        context: { 'dynamodb:LeadingKeys': ['DESK#1'] },
      };
      expect(decide(rights, request).isAllowed).toBe(false);
    }
  },
);
