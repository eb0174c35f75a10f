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
import type { DeploymentContext, Stage } from './context.ts';

export interface TestimonialsApiProps {
  stage: Stage;
  operations: { contract: OperationContract; function: Alias }[];
  /** The paths of pages, by the id of their route, and the functions that serve them with every method. */
  pages: { id: string; path: string; function: Alias }[];
  /** Responds to requests without a route with the API's own 404. */
  notFound: Alias;
  context: Pick<DeploymentContext, 'stageRate' | 'corsOrigins' | 'domainName' | 'certificateArn'>;
}

export class TestimonialsApi extends Construct {
  readonly httpApi: HttpApi;
  readonly url: string;
  /** Target of the DNS record for the API's own domain. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, props: TestimonialsApiProps) {
    super(scope, id);
    const { stage, operations, context } = props;
    const { stageRate, corsOrigins } = context;
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
      throttle: { rateLimit: stageRate, burstLimit: stageRate },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(
          JSON.stringify({
            requestId: AccessLogField.contextRequestId(),
            // Includes the method. The path is left out because a client may send a secret in it.
            route: '$context.routeKey',
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
    this.domainTarget = this.#domainOf(context, httpStage);
  }

  #addRoutes({ operations, pages, notFound }: TestimonialsApiProps): void {
    for (const { contract, function: fn } of operations)
      this.#addRoute(contract.operationId, HttpRouteKey.with(contract.path, HttpMethod[contract.method]), fn);
    for (const { id, path, function: fn } of pages)
      this.#addRoute(id, HttpRouteKey.with(path, HttpMethod.ANY), fn);
    this.#addRoute('notFound', HttpRouteKey.DEFAULT, notFound);
  }

  #addRoute(id: string, routeKey: HttpRouteKey, fn: Alias): void {
    // The CDK's types differ only in how they declare optional properties.
    const integration = new HttpLambdaIntegration('Integration', fn as IFunction);
    const route = new HttpRoute(this, id, { httpApi: this.httpApi, routeKey, integration });
    Validations.of(route).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The functions authorize every request themselves, by API token or session. An authorizer would add a call per request.',
    });
  }

  /** Adds a domain to the API, which also keeps the URL that AWS assigned. */
  #domainOf(
    { domainName: name, certificateArn }: TestimonialsApiProps['context'],
    stage: HttpStage,
  ): string | undefined {
    if (name === undefined || certificateArn === undefined) return undefined;
    const domainName = new DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new ApiMapping(this, 'Mapping', { api: this.httpApi, domainName, stage });
    return domainName.regionalDomainName;
  }
}
