/** The HTTP API: its routes, throttling, access log and CORS. */
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import * as apigateway from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import {
  createTestimonialContract,
  createUploadContract,
} from '../../functions/create-testimonial/contract.ts';
import { mediaRoutes, pageRoutes } from '../../functions/domain/page.ts';
import { headersOf, type OperationContract } from '../../functions/http/contract.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { documentRoute } from '../../functions/list-testimonials/document.ts';
import { moderationContracts } from '../../functions/moderate-testimonials/contract.ts';
import { deskPath } from '../../functions/serve-desk/parts/paths.ts';
import type { DeploymentContext as Context, Stage } from './context.ts';
import type { ServiceFunction } from './service-function.ts';

// Paths by the ids of their routes. The ids name resources, so they must never change.
const deskRoutes = { pages: deskPath, pagesBelow: `${deskPath}/{page+}` };

/** The functions behind the routes. An optional function has routes if the deployment has it. */
export interface ApiFunctions {
  create: ServiceFunction;
  list: ServiceFunction;
  moderate: ServiceFunction | undefined;
  desk: ServiceFunction | undefined;
  pages: ServiceFunction | undefined;
}

export class TestimonialsApi extends Construct {
  readonly httpApi: apigateway.HttpApi;
  readonly url: string;
  readonly accessLog: LogGroup;
  /** The certificate of the API's own domain. */
  readonly certificate: ICertificate | undefined;
  /** Target of the DNS record for the API's own domain. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, stage: Stage, functions: ApiFunctions, context: Context) {
    super(scope, id);
    const { stageRate, corsOrigins, domainName, certificateArn, closeDefaultEndpoint } = context;
    const optional = functions.moderate ? moderationContracts : [];
    const contracts = [createTestimonialContract, listTestimonialsContract, ...optional];
    const headers = headersOf(contracts);
    const methods = [...new Set(contracts.map(({ method }) => method))].sort();
    this.httpApi = new apigateway.HttpApi(this, 'HttpApi', {
      apiName: `testimonials-${stage.name}`,
      createDefaultStage: false,
      ...(closeDefaultEndpoint && { disableExecuteApiEndpoint: true }),
      ...(corsOrigins.length > 0 && {
        corsPreflight: {
          allowOrigins: corsOrigins,
          allowMethods: methods.map((method) => apigateway.CorsHttpMethod[method]),
          allowHeaders: headers.request,
          exposeHeaders: headers.response,
          maxAge: Duration.hours(1),
        },
      }),
    });

    this.#addRoutes(functions, context);

    this.accessLog = new LogGroup(this, 'AccessLog', {
      retention: stage.logRetention,
      removalPolicy: stage.removalPolicy,
    });
    const httpStage = new apigateway.HttpStage(this, 'Stage', {
      httpApi: this.httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: stageRate, burstLimit: stageRate },
      accessLogSettings: {
        destination: new apigateway.LogGroupLogDestination(this.accessLog),
        format: AccessLogFormat.custom(
          JSON.stringify({
            requestId: AccessLogField.contextRequestId(),
            // Includes the method. Leaves out the path, because a client may send a secret in it.
            route: '$context.routeKey',
            status: AccessLogField.contextStatus(),
            responseLength: AccessLogField.contextResponseLength(),
            latencyMs: AccessLogField.contextResponseLatency(),
            integrationLatencyMs: AccessLogField.contextIntegrationLatency(),
            integrationError: AccessLogField.contextIntegrationErrorMessage(),
            error: AccessLogField.contextErrorResponseType(),
            sourceIp: AccessLogField.contextIdentitySourceIp(),
            userAgent: AccessLogField.contextIdentityUserAgent(),
          }),
        ),
      },
    });
    this.url = domainName === undefined ? this.httpApi.apiEndpoint : `https://${domainName}`;
    this.certificate = certificateArn
      ? Certificate.fromCertificateArn(this, 'Certificate', certificateArn)
      : undefined;
    this.domainTarget = this.#domainOf(context, httpStage);
  }

  #addRoutes({ create, list, moderate, desk, pages }: ApiFunctions, { media }: Context): void {
    const addOperations = (
      contracts: readonly Pick<OperationContract, 'operationId' | 'method' | 'path'>[],
      fn?: ServiceFunction,
    ) => {
      for (const { operationId, path, method } of contracts)
        this.#addRoute(operationId, apigateway.HttpRouteKey.with(path, apigateway.HttpMethod[method]), fn);
    };
    const addPages = (paths: Record<string, string>, fn?: ServiceFunction) => {
      for (const [id, path] of Object.entries(paths))
        this.#addRoute(id, apigateway.HttpRouteKey.with(path, apigateway.HttpMethod.ANY), fn);
    };
    addOperations([createTestimonialContract], create);
    addOperations([listTestimonialsContract], list);
    addOperations([{ ...documentRoute, operationId: 'document' }], list);
    addOperations(moderationContracts, moderate);
    addPages(deskRoutes, desk);
    addPages(pageRoutes, pages);
    if (media) {
      addPages(mediaRoutes, pages);
      addOperations([createUploadContract], create);
    }
    // Responds with the API's own 404.
    this.#addRoute('notFound', apigateway.HttpRouteKey.DEFAULT, list);
  }

  #addRoute(id: string, routeKey: apigateway.HttpRouteKey, fn: ServiceFunction | undefined): void {
    if (!fn) return;
    // The CDK's types differ only in how they declare optional properties.
    const integration = new HttpLambdaIntegration('Integration', fn.live as IFunction);
    const route = new apigateway.HttpRoute(this, id, { httpApi: this.httpApi, routeKey, integration });
    Validations.of(route).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The functions authorize every request themselves, by API token or session. An authorizer would add a call per request.',
    });
  }

  /** Adds a domain to the API. With a truststore, it accepts only clients with a certificate. */
  #domainOf(context: Context, stage: apigateway.HttpStage): string | undefined {
    const { domainName: name, truststoreUri, truststoreVersion: version } = context;
    const { certificate } = this;
    if (name === undefined || certificate === undefined) return undefined;
    const { hostname = '', pathname = '' } = URL.parse(truststoreUri ?? '') ?? {};
    const bucket = hostname && Bucket.fromBucketName(this, 'Truststore', hostname);
    const domainName = new apigateway.DomainName(this, 'Domain', {
      domainName: name,
      certificate,
      securityPolicy: apigateway.SecurityPolicy.TLS_1_2,
      ...(bucket && { mtls: { bucket, key: pathname.slice(1), ...(version && { version }) } }),
    });
    new apigateway.ApiMapping(this, 'Mapping', { api: this.httpApi, domainName, stage });
    return domainName.regionalDomainName;
  }
}
