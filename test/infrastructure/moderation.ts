import { describe, expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { decide } from '../iam/decide.ts';
import { policiesOf, tableArnOf } from '../iam/policies.ts';
import { synthesizeWith } from './synthesized.ts';

const { template } = synthesizeWith({
  protect: 'true',
  moderation: 'true',
  reservedConcurrency: '50',
  corsOrigins: 'https://www.example.com',
});
const { template: without } = synthesizeWith({ corsOrigins: 'https://www.example.com' });
const json = template.toJSON() as { Resources: unknown }; // as CloudFormation has it
const policy = policiesOf(json).get('ModerateTestimonials') ?? [];

const routesOf = (from: typeof template) =>
  Object.values(from.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => Properties.RouteKey);
const methodsOf = (from: typeof template) =>
  Object.values(from.findResources('AWS::ApiGatewayV2::Api'))[0]?.Properties.CorsConfiguration.AllowMethods;

test('three routes lead to one function, where that is asked for, and pages may use their methods', () => {
  const two = ['POST /v1/testimonials', 'GET /v1/testimonials'];
  const path = '/v1/testimonials/{id}';
  expect(routesOf(without)).toEqual([...two, '$default']);
  expect(routesOf(template)).toEqual([...two, `GET ${path}`, `PATCH ${path}`, `DELETE ${path}`, '$default']);
  expect(methodsOf(without)).toEqual(['GET', 'POST']);
  expect(methodsOf(template)).toEqual(['DELETE', 'GET', 'PATCH', 'POST']);
  const uris = Object.values(template.findResources('AWS::ApiGatewayV2::Integration')).map(
    ({ Properties }) => Properties.IntegrationUri.Ref,
  );
  expect(uris.filter((each) => each.startsWith('ModerateTestimonials'))).toHaveLength(3);
  expect(JSON.stringify(without.toJSON())).not.toMatch(/moderat/i);
});

describe('the function that moderates', () => {
  test('has what the others of the API have: their limits, its concurrency, its gradual shift and its alarms', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: 'Read, change or erase one testimonial',
      Timeout: 10,
      MemorySize: 1024,
      ReservedConcurrentExecutions: 50,
      Environment: { Variables: Match.objectLike({ ORGANIZATION_BUDGET: '0.5', ORGANIZATION_RATE: '1250' }) },
    });
    const shifted = Object.keys(template.findResources('AWS::CodeDeploy::DeploymentGroup'));
    expect(shifted.filter((id) => id.startsWith('ShiftModerateTestimonials'))).toHaveLength(1);
    const names = Object.keys(template.findResources('AWS::CloudWatch::Alarm')).join();
    for (const name of ['Errors', 'Throttles', 'Duration']) {
      expect(names).toContain(`AlarmsModerateTestimonials${name}`);
    }
  });

  test('takes over before the index function does', () => {
    const aliases = Object.entries(template.findResources('AWS::Lambda::Alias'));
    const aliasOf = (name: string) => aliases.find(([id]) => id.startsWith(name));
    expect(aliasOf('IndexTestimonials')?.[1].DependsOn).toContain(aliasOf('ModerateTestimonials')?.[0]);
  });

  test.each([
    ['PutItem', 'TOKEN#1'],
    ['PutItem', 'ORG#acme#1#ORDINALS'],
    ['GetItem', 'ORG#acme#1#ORDINALS'],
    ['PutItem', 'ORGANIZATIONS'],
    ['PutItem', 'ORG#acme#KEY#1'],
    ['DeleteItem', 'ORG#acme'],
    ['Query', 'ORG#acme'],
  ])('may not %s of %s', (action, partition) => {
    const request = {
      ...{ action: `dynamodb:${action}`, resource: tableArnOf(json) },
      context: { 'dynamodb:LeadingKeys': [partition] },
    };
    expect(decide(policy, request).isAllowed).toBe(false);
  });
});

test('the next step is to check these, too', () => {
  expect(JSON.stringify(template.findOutputs('NextStep'))).toContain(' --moderation');
  expect(JSON.stringify(without.findOutputs('NextStep'))).not.toContain('--moderation');
});
