/** The example template of CloudFront and its firewall, and its instructions in docs/operations.md. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { CachePolicy, OriginRequestPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { tokenParameter } from '../../functions/http/operation.ts';
import { readContext } from '../../lib/infrastructure/context.ts';
import { chapterOf } from '../operations-page.ts';

const templateFile = 'examples/front-door/template.yaml';
const stack = new Stack(new App(), 'FrontDoor');
// Throws for properties that CloudFormation does not know.
new CfnInclude(stack, 'Template', { templateFile });
const template = Template.fromStack(stack);

/** Matches a rate rule with these criteria, which responds with 429. */
const rateRule = (criteria: object) =>
  Match.objectLike({
    Action: { Block: { CustomResponse: Match.objectLike({ ResponseCode: 429 }) } },
    Statement: { RateBasedStatement: Match.objectLike({ EvaluationWindowSec: 60, ...criteria }) },
  });

test('the firewall counts requests by token, in header or URL, and by IP address', () => {
  const byToken = (key: object) =>
    rateRule({ AggregateKeyType: 'CUSTOM_KEYS', CustomKeys: [Match.objectLike(key)] });
  template.hasResourceProperties('AWS::WAFv2::WebACL', {
    Scope: 'CLOUDFRONT',
    Rules: Match.arrayWith([
      byToken({ Header: Match.objectLike({ Name: 'authorization' }) }),
      byToken({ QueryArgument: Match.objectLike({ Name: tokenParameter }) }),
      rateRule({ AggregateKeyType: 'IP' }),
    ]),
  });
});

test('by default a token may send as many requests as its organization', () => {
  const { stageRate } = readContext(new App().node);
  template.hasParameter('RequestsAMinuteByToken', { Default: (60 * stageRate) / 4 });
});

test('the distribution uses the firewall, forwards everything except the host, and caches nothing', () => {
  template.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: {
      WebACLId: { 'Fn::GetAtt': 'Firewall.Arn' },
      DefaultCacheBehavior: {
        CachePolicyId: CachePolicy.CACHING_DISABLED.cachePolicyId,
        OriginRequestPolicyId: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
        ViewerProtocolPolicy: 'https-only',
      },
    },
  });
});

test('the template has no YAML aliases, which CloudFormation rejects', () => {
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-formats.html
  expect(readFileSync(templateFile, 'utf8')).not.toMatch(/^[^#]*[:-] [&*]\w|<<:/m);
});

test('the operations page names each parameter that has no default', () => {
  const parameters: Record<string, { Default?: unknown }> = template.toJSON().Parameters;
  const needed = Object.entries(parameters).filter(
    ([name, each]) => each.Default === undefined && /^[A-Z]\w+Name$|Arn$/.test(name),
  );
  expect(needed.length).toBe(3);
  for (const [name] of needed) expect(chapterOf('Under attack')).toContain(`${name}=`);
});
