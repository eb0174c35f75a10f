/** The HTTP API: its routes, throttling, access log and CORS. */

import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  CorsHttpMethod,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { headersOf, type OperationContract } from '../../functions/http/contract.ts';
import type { Stage } from './stage.ts';

export interface TestimonialsApiProps {
  stage: Stage;
  operations: { contract: OperationContract; function: Alias }[];
  /** What is below a path and answers with pages, where the deployment has that. */
  pages?: { path: string; function: Alias } | undefined;
  /** Answers a request that belongs to no route with the API's own 404. */
  notFound: Alias;
  /** Requests a second that it takes, and as many at once. */
  rate: number;
  /** Origins whose pages may call the API; none when empty. */
  corsOrigins: string[];
  /** A domain of its own beside the one that API Gateway gives it, with a certificate for it in the same region. */
  domain?: { name: string; certificateArn: string } | undefined;
}

export class TestimonialsApi extends Construct {
  readonly httpApi: HttpApi;
  readonly url: string;
  /** Where the DNS record of its own domain has to point. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, props: TestimonialsApiProps) {
    super(scope, id);
    const { stage, operations, rate, corsOrigins, domain } = props;
    const contracts = operations.map(({ contract }) => contract);
    const headers = headersOf(contracts);
    const methods = [...new Set(contracts.map(({ method }) => method))].sort();
    this.httpApi = new HttpApi(this, 'HttpApi', {
      apiName: `testimonials-${stage.name}`,
      createDefaultStage: false,
      ...(corsOrigins.length > 0 && {
        corsPreflight: {
          allowOrigins: corsOrigins,
          allowMethods: methods.map((method) => CorsHttpMethod[method]),
          allowHeaders: headers.request,
          exposeHeaders: headers.response,
          maxAge: Duration.hours(1),
        },
      }),
    });

    this.#addRoutes(props);

    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: stage.logRetention,
      removalPolicy: stage.removalPolicy,
    });
    const httpStage = new HttpStage(this, 'Stage', {
      httpApi: this.httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: rate, burstLimit: rate },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(
          JSON.stringify({
            requestId: AccessLogField.contextRequestId(),
            method: AccessLogField.contextHttpMethod(),
            path: AccessLogField.contextPath(),
            status: AccessLogField.contextStatus(),
            responseLength: AccessLogField.contextResponseLength(),
            latencyMs: AccessLogField.contextResponseLatency(),
            integrationLatencyMs: AccessLogField.contextIntegrationLatency(),
            integrationError: AccessLogField.contextIntegrationErrorMessage(),
            sourceIp: AccessLogField.contextIdentitySourceIp(),
            userAgent: AccessLogField.contextIdentityUserAgent(),
          }),
        ),
      },
    });
    this.url = httpStage.url;
    this.domainTarget = domain && this.#serveAt(domain, httpStage);
  }

  #addRoutes({ operations, pages, notFound }: TestimonialsApiProps): void {
    const { httpApi } = this;
    const routes = [
      ...operations.map(({ contract, function: fn }) => ({
        id: contract.operationId,
        key: HttpRouteKey.with(contract.path, HttpMethod[contract.method]),
        fn,
      })),
      ...(pages
        ? [
            { id: 'pages', key: HttpRouteKey.with(pages.path, HttpMethod.ANY), fn: pages.function },
            {
              id: 'pagesBelow',
              key: HttpRouteKey.with(`${pages.path}/{page+}`, HttpMethod.ANY),
              fn: pages.function,
            },
          ]
        : []),
      { id: 'notFound', key: HttpRouteKey.DEFAULT, fn: notFound },
    ];
    for (const { id, key, fn } of routes) {
      // The CDK's own types differ only in how they write an absent property.
      const integration = new HttpLambdaIntegration('Integration', fn as IFunction);
      const route = new HttpRoute(this, id, { httpApi, routeKey: key, integration });
      Validations.of(route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason:
          'The functions authorize every request themselves, by API token or session; an authorizer would add a hop to each.',
      });
    }
  }

  #serveAt({ name, certificateArn }: { name: string; certificateArn: string }, stage: HttpStage): string {
    const domainName = new DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new ApiMapping(this, 'Mapping', { api: this.httpApi, domainName, stage });
    return domainName.regionalDomainName;
  }
}
