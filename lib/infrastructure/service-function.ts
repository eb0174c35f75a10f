/** A Lambda function of the service: how all of them are built, run and logged. */
import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  Architecture,
  LoggingFormat,
  Runtime,
  RuntimeManagementMode,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { LogLevel, NodejsFunction, OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { apiMegabytes } from '../../functions/fair-use/prices.ts';
import { requestTimeoutMs } from '../../functions/timing.ts';
import type { Stage } from './context.ts';
import { bundling, substitutes } from './function-bundle.ts';

export interface ServiceFunctionProps {
  stage: Stage;
  description: string;
  /** Its folder in `functions`, whose `lambda.ts` exports `handler`. */
  folder: string;
  /** Milliseconds; the API's functions have the default. */
  timeoutMs?: number;
  /** Megabytes. */
  memorySize?: number;
  /** Invocations at once that it has for itself, and no more; as many as the account has left when absent. */
  reservedConcurrency?: number | undefined;
  /** How long its log is kept; as long as the stage's by default. */
  logRetention?: RetentionDays;
  /** A command that writes files beside the bundle: it is given a folder. */
  beside?: (folder: string) => string;
  /** Gets what it was asked for beside a stream and did not do. */
  deadLetters?: Queue;
}

/**
 * Node.js 24 on arm64, bundled with everything it needs. 1,024 MB: the functions need far less memory, but CPU
 * comes with memory, and at this size (0.6 of a core) parsing, compressing and TLS take single milliseconds
 * while an idle wait for DynamoDB, most of an invocation, costs little.
 *
 * Each deployment makes a version, code, settings and runtime together: Unicode, which splits words, comes with the runtime, so
 * that Lambda must not renew it under a running version
 * (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-update.html). Old versions are kept: those who
 * roll back point the alias at one. A version whose own deployment is rolled back is deleted with it: Lambda publishes none of
 * a function that is as its last version was
 * (https://docs.aws.amazon.com/lambda/latest/api/API_PublishVersion.html), so that the same code could not be deployed again
 * (https://github.com/aws/aws-cdk/issues/10274).
 */
export class ServiceFunction extends NodejsFunction {
  /** Names the version that serves; whoever invokes the function goes by it. */
  readonly live: Alias;
  /** Where CloudWatch keeps what is measured of its log. */
  readonly metricNamespace: string;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { stage, description, folder, timeoutMs = requestTimeoutMs, memorySize = apiMegabytes } = props;
    const { reservedConcurrency, deadLetters, beside } = props;
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
      // A new version is published only where something of the function is another, and to CloudFormation the name of a table of its
      // own is not what stands in the context, though the text be the same.
      description: stage.recoveredTable ? `${description}: ${stage.recoveredTable.tableName}` : description,
      entry: fileURLToPath(new URL(`../../functions/${folder}/lambda.ts`, import.meta.url)),
      runtime: Runtime.NODEJS_24_X,
      runtimeManagementMode: RuntimeManagementMode.FUNCTION_UPDATE,
      currentVersionOptions: {
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        ...(deadLetters && { onFailure: new SqsDestination(deadLetters) }),
      },
      architecture: Architecture.ARM_64,
      memorySize,
      timeout: Duration.millis(timeoutMs),
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Not its start and end of each invocation, but each that failed or ran out of time
      // (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html).
      systemLogLevelV2: SystemLogLevel.WARN,
      environment: { POWERTOOLS_SERVICE_NAME: id },
      bundling: {
        ...bundling,
        format: OutputFormat.ESM,
        sourceMap: true,
        sourceMapMode: SourceMapMode.DEFAULT,
        sourcesContent: true,
        externalModules: [],
        logLevel: LogLevel.WARNING,
        ...(beside && {
          commandHooks: {
            beforeBundling: () => [],
            beforeInstall: () => [],
            afterBundling: (_: string, folder: string) => [beside(folder)],
          },
        }),
        esbuildArgs: Object.fromEntries(
          Object.entries(substitutes()).map(([module, file]) => [`--alias:${module}`, file]),
        ),
      },
    });
    this.live = this.addAlias('live');
    this.metricNamespace = stage.metricsNamespace;
  }
}
