/** CloudFront and its firewall in front of the API. */
import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { pageRoutes } from '../../functions/domain/page.ts';
import { tokenParameter } from '../../functions/http/operation.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { documentRoute } from '../../functions/list-testimonials/document.ts';
import type { DeploymentContext, Stage } from './context.ts';
import { kebabCase } from './service-function.ts';

const { wall, liveElement, shareImage } = pageRoutes;
const cachedPages = [wall.replace('{id}', '*'), liveElement, shareImage, documentRoute.path];

// CloudFront would cache these for ten seconds, whatever their headers say
// (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/custom-error-pages-expiration.html).
const uncachedErrors = [404, 414, 500, 501, 502, 503, 504];
const notCached = Duration.seconds(0);

export class FrontDoor extends Construct {
  constructor(scope: Construct, id: string, stage: Stage, context: DeploymentContext) {
    super(scope, id);
    // A stage with a front door has all three: `readContext` makes sure.
    const { domainName = '', frontDoorOrigin = '', frontDoorCertificateArn = '' } = context;
    const { frontDoorClientCertificateArn: ClientCertificateArn } = context;
    const name = `testimonials-${stage.name}`;
    const uncached = {
      origin: new HttpOrigin(frontDoorOrigin),
      cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
      // The API gets the host that the visitor called: it finds its domain by it, makes links of it, and has the certificate for it
      // (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-https-cloudfront-to-custom-origin.html).
      originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER,
      // The API compresses its responses itself.
      compress: false,
    };
    const cachePolicy = new cloudfront.CachePolicy(this, 'AsHeadersSay', {
      cachePolicyName: name,
      // Caches for as long as the response says, and nothing that does not say so.
      defaultTtl: notCached,
      maxTtl: Duration.days(1),
      enableAcceptEncodingGzip: true,
      // So no token gets a response to another one, and no website one without its CORS headers.
      headerBehavior: cloudfront.CacheHeaderBehavior.allowList('Authorization', 'Origin'),
      queryStringBehavior: cloudfront.CacheQueryStringBehavior.all(),
    });
    const cached = { ...uncached, cachePolicy };
    const publishedReads = { ...cached, viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY };
    const allowedMethods = cloudfront.AllowedMethods.ALLOW_ALL;
    const distribution = new cloudfront.Distribution(this, 'Distribution', {
      comment: name,
      domainNames: [domainName],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', frontDoorCertificateArn),
      httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
      webAclId: this.#firewall(name, context).attrArn,
      defaultBehavior: { ...uncached, allowedMethods },
      additionalBehaviors: {
        // Creates have the path of published reads.
        [listTestimonialsContract.path]: { ...publishedReads, allowedMethods },
        ...Object.fromEntries(cachedPages.map((path) => [path, cached])),
      },
      errorResponses: uncachedErrors.map((httpStatus) => ({ httpStatus, ttl: notCached })),
    });
    // The construct has exactly one resource, and no property for the client certificate.
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
      ByTokenInAddress: byToken({ queryArgument: { name: tokenParameter, ...transformed('URL_DECODE') } }),
      ByAddress: { limit: 6000, aggregateKeyType: 'IP' },
    };
    // The status tells a browser's page about the limit. The body is the gateway's for the same status.
    const body = { contentType: 'APPLICATION_JSON', content: '{"message":"Too Many Requests"}' };
    const responseHeaders = [{ name: 'Retry-After', value: '60' }];
    const customResponse = { responseCode: 429, customResponseBodyKey: 'TooMany', responseHeaders };
    const rateRules = Object.entries(limits).map(([name, limit], priority) => ({
      ...{ name, priority, ...measuredAs(kebabCase(name)) },
      action: { block: { customResponse } },
      statement: { rateBasedStatement: { evaluationWindowSec: 60, ...limit } },
    }));
    const reputation = { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' };
    const reputationRule = {
      ...{ name: 'Reputation', priority: rateRules.length, ...measuredAs('reputation') },
      overrideAction: { none: {} },
      statement: { managedRuleGroupStatement: reputation },
    };
    return new CfnWebACL(this, 'Firewall', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      ...measuredAs(metricName),
      customResponseBodies: { TooMany: body },
      rules: [...rateRules, reputationRule],
    });
  }
}

const measuredAs = (metricName: string) => ({
  visibilityConfig: { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false },
});

const transformed = (...types: string[]) => ({
  textTransformations: types.map((type, priority) => ({ type, priority })),
});
