/** CloudFront and its firewall in front of the API. */
import { describe, expect, test } from '@jest/globals';

import { Match, type Template } from 'aws-cdk-lib/assertions';
import { CachePolicy, OriginRequestPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { pageRoutes } from '../../functions/domain/page.ts';
import { tokenParameter } from '../../functions/http/operation.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { documentRoute } from '../../functions/list-testimonials/document.ts';
import { readPermissions } from '../../functions/list-testimonials/read-permissions.ts';
import { everything, otherTemplate, synthesizeWith } from './synthesized.ts';

const stage = { stage: 'prod', ...everything };
const template = otherTemplate(stage, 'front-door');
const configOf = (template: Template) =>
  Object.values(template.findResources('AWS::CloudFront::Distribution'))[0]?.Properties.DistributionConfig;
const config = configOf(template);
const idOf = (type: string) => Object.keys(template.findResources(`AWS::${type}`))[0];

/** Matches a rate rule with these criteria, which responds with 429. */
const rateRule = (criteria: object) =>
  Match.objectLike({
    Action: { Block: { CustomResponse: Match.objectLike({ ResponseCode: 429 }) } },
    Statement: { RateBasedStatement: Match.objectLike({ EvaluationWindowSec: 60, ...criteria }) },
  });

describe('the firewall', () => {
  test('counts requests by token, in header or URL, and by IP address', () => {
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

  test.each([
    [{}, 75_000],
    [{ organizationRate: 20 }, 1200],
    [{ stageRate: 100, organizationRate: 0 }, 6000],
  ])('with %j lets a token send as many requests a minute as its organization may', (values, limit) => {
    otherTemplate({ ...stage, ...values }, 'front-door').hasResourceProperties('AWS::WAFv2::WebACL', {
      Rules: Match.arrayWith([rateRule({ Limit: limit, AggregateKeyType: 'CUSTOM_KEYS' })]),
    });
  });

  test('shows samples, and keeps a log of the requests that it blocks, without tokens and sessions', () => {
    const substituted = (field: object) => ({ Action: 'SUBSTITUTION', Field: field });
    template.hasResourceProperties('AWS::WAFv2::WebACL', {
      VisibilityConfig: Match.objectLike({ SampledRequestsEnabled: true }),
      // Of samples and of logs
      // (https://docs.aws.amazon.com/waf/latest/APIReference/API_DataProtectionConfig.html).
      DataProtectionConfig: {
        DataProtections: [
          substituted({ FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization'] }),
          substituted({ FieldType: 'SINGLE_HEADER', FieldKeys: ['cookie'] }),
          substituted({ FieldType: 'QUERY_STRING' }),
        ],
      },
    });
    const [log] = Object.entries(template.findResources('AWS::Logs::LogGroup'));
    const [id, { Properties = {}, ...kept } = {}] = log ?? [];
    // Firewalls write to no other groups
    // (https://docs.aws.amazon.com/waf/latest/developerguide/logging-cw-logs.html).
    const [beginning, end] = Properties.LogGroupName['Fn::Join'][1];
    expect(beginning).toBe('aws-waf-logs-testimonials-prod-');
    // A new stack of the same stage has another id.
    expect(JSON.stringify(end)).toContain('AWS::StackId');
    expect([kept, Properties.RetentionInDays]).toMatchObject([
      { DeletionPolicy: 'RetainExceptOnCreate' },
      30,
    ]);
    template.hasResource('AWS::WAFv2::LoggingConfiguration', {
      Properties: {
        ResourceArn: { 'Fn::GetAtt': [idOf('WAFv2::WebACL'), 'Arn'] },
        LoggingFilter: {
          DefaultBehavior: 'DROP',
          Filters: [
            {
              Behavior: 'KEEP',
              Requirement: 'MEETS_ALL',
              Conditions: [{ ActionCondition: { Action: 'BLOCK' } }],
            },
          ],
        },
      },
      DependsOn: [idOf('Logs::ResourcePolicy')],
    });
    const [policy] = Object.values(template.findResources('AWS::Logs::ResourcePolicy'));
    expect(JSON.stringify(policy)).toContain(`"${id}","Arn"`);
    expect(JSON.stringify(policy)).toContain('delivery.logs.amazonaws.com');
  });

  test('is in us-east-1, where those of CloudFront have to be', () => {
    expect(config.WebACLId).toEqual({ 'Fn::GetAtt': [idOf('WAFv2::WebACL'), 'Arn'] });
    const { app, stack } = synthesizeWith(stage);
    const manifest = app.synth().getNestedAssembly('assembly-OtherRegions');
    const regions = manifest.stacks.map(({ stackName, environment: { region } }) => [stackName, region]);
    expect(Object.fromEntries(regions)).toEqual({
      'testimonials-prod-front-door': 'us-east-1',
      'testimonials-prod-backup-copy': 'eu-west-1',
    });
    expect(stack.region).toMatch(/^\$\{Token/);
    for (const { tags, terminationProtection } of manifest.stacks)
      expect([tags, terminationProtection]).toEqual([{ service: 'testimonials', stage: 'prod' }, true]);
  });
});

describe('the distribution', () => {
  test('passes the host and everything else on to the API, with the client certificate', () => {
    const behaviors = [config.DefaultCacheBehavior, ...config.CacheBehaviors];
    for (const { OriginRequestPolicyId, TargetOriginId } of behaviors) {
      expect(OriginRequestPolicyId).toBe(OriginRequestPolicy.ALL_VIEWER.originRequestPolicyId);
      expect(TargetOriginId).toBe(config.Origins[0].Id);
    }
    expect(config).toMatchObject({
      Aliases: [everything.domainName],
      ViewerCertificate: { AcmCertificateArn: everything.frontDoorCertificateArn },
      Origins: [
        {
          DomainName: everything.frontDoorOrigin,
          CustomOriginConfig: {
            OriginProtocolPolicy: 'https-only',
            OriginSSLProtocols: ['TLSv1.2'],
            OriginMtlsConfig: { ClientCertificateArn: everything.frontDoorClientCertificateArn },
          },
        },
      ],
    });
    const without = configOf(otherTemplate({ ...stage, frontDoorClientCertificateArn: null }, 'front-door'));
    const { OriginMtlsConfig: _, ...origin } = config.Origins[0].CustomOriginConfig;
    expect(without.Origins).toEqual([{ ...config.Origins[0], CustomOriginConfig: origin }]);
  });

  test('speaks only TLS 1.2 and later with visitors, and lets no published read begin without it', () => {
    expect(config.ViewerCertificate).toMatchObject({
      MinimumProtocolVersion: 'TLSv1.2_2021',
      SslSupportMethod: 'sni-only',
    });
    const behaviors = [config.DefaultCacheBehavior, ...config.CacheBehaviors];
    // A redirect would come after the token of a published read was sent.
    expect(behaviors.map(({ ViewerProtocolPolicy }) => ViewerProtocolPolicy)).toEqual([
      'redirect-to-https',
      'https-only',
      ...Array(4).fill('redirect-to-https'),
    ]);
    // The API compresses its responses itself.
    expect(behaviors.map(({ Compress }) => Compress)).toEqual(Array(6).fill(false));
    expect(config).toMatchObject({ Enabled: true, HttpVersion: 'http2and3', IPV6Enabled: true });
  });

  test('caches published reads, walls and their files, and the OpenAPI document, and nothing else', () => {
    expect(config.DefaultCacheBehavior.CachePolicyId).toBe(CachePolicy.CACHING_DISABLED.cachePolicyId);
    const cached = config.CacheBehaviors.map((behavior: Record<string, unknown>) => {
      expect(behavior.CachePolicyId).toEqual({ Ref: idOf('CloudFront::CachePolicy') });
      return behavior.PathPattern;
    });
    const { wall, liveElement, shareImage } = pageRoutes;
    expect(cached).toEqual([
      listTestimonialsContract.path,
      wall.replace('{id}', '*'),
      liveElement,
      shareImage,
      documentRoute.path,
    ]);
    // Creates have the path of published reads.
    expect(config.CacheBehaviors[0].AllowedMethods).toContain('POST');
  });

  test('caches as the headers say, for each token and website', () => {
    const [policy] = Object.values(template.findResources('AWS::CloudFront::CachePolicy'));
    const {
      Name,
      MinTTL,
      DefaultTTL,
      MaxTTL,
      ParametersInCacheKeyAndForwardedToOrigin: key,
    } = policy?.Properties.CachePolicyConfig ?? {};
    // The account has one list of these names.
    expect(Name).toBe('testimonials-prod');
    // A higher minimum would override no-store
    // (https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_CachePolicyConfig.html).
    expect([MinTTL, DefaultTTL]).toEqual([0, 0]);
    expect(MaxTTL).toBeGreaterThanOrEqual(3600);
    expect(key.QueryStringsConfig).toEqual({ QueryStringBehavior: 'all' });
    const varying = readPermissions.flatMap(({ headers }) =>
      'vary' in headers ? headers.vary.split(', ') : [],
    );
    expect(key.HeadersConfig.Headers).toEqual(varying);
    const uncached = config.CustomErrorResponses.map(
      ({ ErrorCode, ErrorCachingMinTTL }: Record<string, number>) => {
        expect(ErrorCachingMinTTL).toBe(0);
        return ErrorCode;
      },
    );
    // All that CloudFront caches without a header that says so
    // (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/HTTPStatusCodes.html).
    expect(uncached).toEqual([404, 414, 500, 501, 502, 503, 504]);
  });
});

test('a stage without a front door has one stack', () => {
  const { app } = synthesizeWith({ stage: 'prod' });
  expect(app.node.tryFindChild('OtherRegions')).toBeUndefined();
});
