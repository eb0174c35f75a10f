/** A Lambda function of the service: how all of them are built, run and logged. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  Architecture,
  LoggingFormat,
  Runtime,
  RuntimeManagementMode,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogLevel, NodejsFunction, OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { apiMegabytes } from '../../functions/fair-use/prices.ts';
import { requestTimeoutMs } from '../../functions/timing.ts';
import { bundling, substitutes } from './function-bundle/bundling.ts';
import type { Stage } from './stage.ts';

export interface ServiceFunctionProps {
  stage: Stage;
  description: string;
  /** The file that exports `handler`. */
  entry: string;
  /** Milliseconds; the API's functions have the default. */
  timeoutMs?: number;
  /** Megabytes. */
  memorySize?: number;
  /** Invocations at once that it has for itself, and no more; as many as the account has left when absent. */
  reservedConcurrency?: number | undefined;
  /** Of its log; that of the stage by default. */
  logRetention?: RetentionDays;
}

/**
 * Node.js 24 on arm64, bundled with everything it needs. 1,024 MB: the functions need far less memory, but CPU
 * comes with memory, and at this size (0.6 of a core) parsing, compressing and TLS take single milliseconds
 * while an idle wait for DynamoDB, most of an invocation, costs little.
 *
 * Each deployment makes a version, code, settings and runtime together: Unicode, which splits words, comes with the runtime, so
 * that Lambda must not renew it under a running version
 * (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-update.html). Old versions are kept: those who
 * roll back point the alias at one.
 */
export class ServiceFunction extends NodejsFunction {
  /** Names the version that serves; whoever invokes the function goes by it. */
  readonly live: Alias;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { stage, description, entry, timeoutMs = requestTimeoutMs, memorySize = apiMegabytes } = props;
    const { reservedConcurrency } = props;
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: props.logRetention ?? stage.logRetention,
      removalPolicy: stage.removalPolicy,
    });
    // A role of its own: Lambda's default one may write to every log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    super(scope, id, {
      description,
      entry,
      runtime: Runtime.NODEJS_24_X,
      runtimeManagementMode: RuntimeManagementMode.FUNCTION_UPDATE,
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
      architecture: Architecture.ARM_64,
      memorySize,
      timeout: Duration.millis(timeoutMs),
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      tracing: Tracing.ACTIVE,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      environment: {
        POWERTOOLS_SERVICE_NAME: id,
        POWERTOOLS_METRICS_NAMESPACE: stage.metricsNamespace,
      },
      bundling: {
        ...bundling,
        mainFields: [...bundling.mainFields],
        format: OutputFormat.ESM,
        sourceMap: true,
        sourceMapMode: SourceMapMode.DEFAULT,
        sourcesContent: true,
        externalModules: [],
        logLevel: LogLevel.WARNING,
        esbuildArgs: Object.fromEntries(
          Object.entries(substitutes).map(([module, file]) => [`--alias:${module}`, file]),
        ),
      },
    });
    this.live = this.addAlias('live');
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray accepts trace segments only on all resources: its actions know no narrower one.',
    });
  }
}
