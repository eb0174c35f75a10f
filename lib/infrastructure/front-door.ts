/** CloudFront and its firewall in front of the API. */
import { ArnFormat, CfnOutput, Duration, Fn, Stack, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, ResourcePolicy } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { pageRoutes } from '../../functions/domain/page.ts';
import { tokenParameter } from '../../functions/http/operation.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { documentRoute } from '../../functions/list-testimonials/document.ts';
import type { DeploymentContext, Stage } from './context.ts';
import type { Measure } from './measure.ts';
import { certificateMeasure } from './outside-measures.ts';
import { kebabCase } from './service-function.ts';

const { wall, liveElement, shareImage } = pageRoutes;
const cachedPages = [wall.replace('{id}', '*'), liveElement, shareImage, documentRoute.path];

// CloudFront would cache these for ten seconds, whatever their headers say
// (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/custom-error-pages-expiration.html).
const uncachedErrors = [404, 414, 500, 501, 502, 503, 504];
const notCached = Duration.seconds(0);

export class FrontDoor extends Construct {
  readonly measures: Measure[];

  constructor(scope: Construct, id: string, stage: Stage, context: DeploymentContext) {
    super(scope, id);
    // A stage with a front door has all three, which `readContext` ensures.
    const { domainName = '', frontDoorOrigin = '', frontDoorCertificateArn = '' } = context;
    const { frontDoorClientCertificateArn: ClientCertificateArn } = context;
    const name = `testimonials-${stage.name}`;
    const uncached = {
      origin: new HttpOrigin(frontDoorOrigin),
      cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
      // Forwards the visitor's Host header: API Gateway selects the domain by it, its certificate must match
      // it, and the API builds links from it
      // (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-https-cloudfront-to-custom-origin.html).
      originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER,
      // The API compresses its responses itself.
      compress: false,
    };
    const cachePolicy = new cloudfront.CachePolicy(this, 'AsHeadersSay', {
      cachePolicyName: name,
      // Caches a response for as long as it says, and does not cache any other response.
      defaultTtl: notCached,
      maxTtl: Duration.days(1),
      enableAcceptEncodingGzip: true,
      // Part of the cache key, so that a response never reaches another token, or a website whose origin its
      // CORS headers lack.
      headerBehavior: cloudfront.CacheHeaderBehavior.allowList('Authorization', 'Origin'),
      queryStringBehavior: cloudfront.CacheQueryStringBehavior.all(),
    });
    const cached = { ...uncached, cachePolicy };
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', frontDoorCertificateArn);
    const publishedReads = { ...cached, viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY };
    const allowedMethods = cloudfront.AllowedMethods.ALLOW_ALL;
    const firewall = this.#firewall(name, context);
    this.#logBlocked(firewall, name, stage);
    const distribution = new cloudfront.Distribution(this, 'Distribution', {
      comment: name,
      domainNames: [domainName],
      certificate,
      httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
      webAclId: firewall.attrArn,
      defaultBehavior: { ...uncached, allowedMethods },
      additionalBehaviors: {
        // Creates have the same path as published reads.
        [listTestimonialsContract.path]: { ...publishedReads, allowedMethods },
        ...Object.fromEntries(cachedPages.map((path) => [path, cached])),
      },
      errorResponses: uncachedErrors.map((httpStatus) => ({ httpStatus, ttl: notCached })),
    });
    // The construct has exactly one resource, and lacks a property for the client certificate.
    const resource = distribution.node.defaultChild as cloudfront.CfnDistribution;
    const property = 'DistributionConfig.Origins.0.CustomOriginConfig.OriginMtlsConfig';
    resource.addPropertyOverride(property, ClientCertificateArn && { ClientCertificateArn });
    Validations.of(distribution).acknowledge(
      { id: 'AwsSolutions-CFR1', reason: 'Testimonials come from all countries.' },
      {
        id: 'AwsSolutions-CFR3',
        reason: 'URLs may contain tokens. The API logs requests without their URLs.',
      },
    );
    const description = 'Target of the CNAME or alias record of the API’s domain';
    new CfnOutput(Stack.of(this), 'FrontDoorTarget', { description, value: distribution.domainName });
    const ofClient =
      ClientCertificateArn && Certificate.fromCertificateArn(this, 'ClientCertificate', ClientCertificateArn);
    this.measures = [
      errorMeasure(distribution),
      certificateMeasure([certificate, ofClient].filter((each) => !!each)),
    ];
  }

  /** Limits the requests of a token, in header or URL, and of an IP address. */
  #firewall(
    metricName: string,
    { stageRate, organizationRate = stageRate / 4 }: DeploymentContext,
  ): CfnWebACL {
    const byToken = (key: CfnWebACL.RateBasedStatementCustomKeyProperty) => ({
      limit: 60 * (organizationRate || stageRate),
      aggregateKeyType: 'CUSTOM_KEYS',
      customKeys: [key],
    });
    // The API ignores the case of the scheme and the number of blanks.
    const header = { name: 'authorization', ...transformed('COMPRESS_WHITE_SPACE', 'LOWERCASE') };
    const limits = {
      ByToken: byToken({ header }),
      ByTokenInUrl: byToken({ queryArgument: { name: tokenParameter, ...transformed('URL_DECODE') } }),
      ByAddress: { limit: 6000, aggregateKeyType: 'IP' },
    };
    // The status tells a page in a browser about the limit. The body is the same as API Gateway's for this
    // status.
    const body = { contentType: 'APPLICATION_JSON', content: '{"message":"Too Many Requests"}' };
    const responseHeaders = [{ name: 'Retry-After', value: '60' }];
    const customResponse = { responseCode: 429, customResponseBodyKey: 'TooMany', responseHeaders };
    const rateRules = Object.entries(limits).map(([name, limit], priority) => ({
      name,
      priority,
      ...measuredAs(kebabCase(name)),
      action: { block: { customResponse } },
      statement: { rateBasedStatement: { evaluationWindowSec: 60, ...limit } },
    }));
    const reputation = { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' };
    const reputationRule = {
      name: 'Reputation',
      priority: rateRules.length,
      ...measuredAs('reputation'),
      overrideAction: { none: {} },
      statement: { managedRuleGroupStatement: reputation },
    };
    return new CfnWebACL(this, 'Firewall', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      ...measuredAs(metricName),
      customResponseBodies: { TooMany: body },
      rules: [...rateRules, reputationRule],
      // Keeps tokens and sessions out of samples and the log.
      dataProtectionConfig: {
        dataProtections: secretFields.map((field) => ({ field, action: 'SUBSTITUTION' })),
      },
    });
  }

  /** Keeps a log of the requests that the firewall blocks. */
  #logBlocked({ attrArn }: CfnWebACL, name: string, { logRetention: retention, removalPolicy }: Stage): void {
    const stack = Stack.of(this);
    // Firewalls write only to groups with this prefix
    // (https://docs.aws.amazon.com/waf/latest/developerguide/logging-cw-logs.html). The end of the name is
    // the stack's own, because a group can outlive an earlier stack.
    const own = Fn.select(4, Fn.split('-', Fn.select(2, Fn.split('/', stack.stackId))));
    const log = new LogGroup(this, 'Blocked', {
      logGroupName: `aws-waf-logs-${name}-${own}`,
      retention,
      removalPolicy,
    });
    const writers = new PolicyStatement({
      principals: [new ServicePrincipal('delivery.logs.amazonaws.com')],
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [log.logGroupArn],
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
    });
    const policy = new ResourcePolicy(this, 'BlockedPolicy', { policyStatements: [writers] });
    const logging = new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: attrArn,
      logDestinationConfigs: [
        stack.formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: log.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ALL',
            Conditions: [{ ActionCondition: { Action: 'BLOCK' } }],
          },
        ],
      },
    });
    logging.node.addDependency(policy);
  }
}

const secretFields = [
  { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization'] },
  { fieldType: 'SINGLE_HEADER', fieldKeys: ['cookie'] },
  { fieldType: 'QUERY_STRING' },
];

/** Compares CloudFront's 5xx with all requests, because it has no metric of the failures alone. */
function errorMeasure(distribution: cloudfront.Distribution): Measure {
  const period = Duration.minutes(5);
  const failures = 'rate * requests / 100';
  const usingMetrics = {
    rate: distribution.metric5xxErrorRate({ period }),
    requests: distribution.metricRequests({ period, statistic: Stats.SUM }),
  };
  return {
    metric: new MathExpression({ expression: `IF(${failures} >= 5, rate, 0)`, usingMetrics, period }),
    alarm: { section: 'FrontDoorErrors', threshold: 5, periods: 3, raisedIn: 2, isUrgent: true },
  };
}

const measuredAs = (metricName: string) => ({
  visibilityConfig: { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true },
});

const transformed = (...types: string[]) => ({
  textTransformations: types.map((type, priority) => ({ type, priority })),
});
