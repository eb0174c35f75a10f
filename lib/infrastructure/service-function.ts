/** A Lambda function of the service, with its bundle, role, log and alias. */
import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { LogLevel, NodejsFunction, OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { apiMegabytes } from '../../functions/fair-use/prices.ts';
import { requestTimeoutMs } from '../../functions/timing.ts';
import type { Stage } from './context.ts';
import { bundling, substitutes } from './function-bundle.ts';

/** Writes the additional files of a bundle into its folder. */
const assetsProgram = fileURLToPath(new URL('../../bin/assets.ts', import.meta.url));

export type Assets = ['desk'] | ['pages'] | ['document', ...options: ('moderation' | 'media')[]];

interface ServiceFunctionProps {
  stage: Stage;
  description: string;
  /** The path of another entry point, in whose bundle no module is replaced. */
  entry?: string;
  /** Additional variables. */
  environment?: Record<string, string>;
  /** Milliseconds; `requestTimeoutMs` by default. */
  timeoutMs?: number;
  /** Megabytes. */
  memorySize?: number;
  /** Concurrent invocations reserved for this function, which are also its maximum. */
  reservedConcurrency?: number | undefined;
  /** The stage's by default. */
  logRetention?: RetentionDays;
  /** The files in the bundle besides code: the files of pages, or the OpenAPI document with its options. */
  assets?: Assets | undefined;
  /** Receives asynchronous invocations that failed. */
  deadLetters?: Queue;
}

/** Returns a name such as `FunctionErrors` as `function-errors`. */
export const kebabCase = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();

/**
 * Node.js 24 on arm64. The functions need far less than 1,024 MB, but CPU is proportional to memory. With 0.6
 * of a core, parsing, compressing and TLS take single milliseconds.
 *
 * Each deployment publishes a version of code, settings and runtime together. Words depend on Unicode, which
 * is part of the runtime, so Lambda must not update the runtime of a version
 * (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-update.html). Old versions are kept, so that the
 * alias can return to them. A rollback deletes the version of its deployment, because Lambda publishes no
 * version that equals the last one (https://docs.aws.amazon.com/lambda/latest/api/API_PublishVersion.html).
 * Otherwise the same code could not be deployed again (https://github.com/aws/aws-cdk/issues/10274).
 */
export class ServiceFunction extends NodejsFunction {
  /** Points to the current version. All invocations use it. */
  readonly live: lambda.Alias;
  /** Namespace of the metrics that CloudWatch derives from the log. */
  readonly metricNamespace: string;

  /** @param id the folder in `functions` whose `lambda.ts` exports `handler`, unless there is an `entry` */
  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { stage, description, timeoutMs = requestTimeoutMs, memorySize = apiMegabytes } = props;
    const { reservedConcurrency, deadLetters, assets, entry } = props;
    const [kind = '', ...options] = assets ?? [];
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: props.logRetention ?? stage.logRetention,
      removalPolicy: stage.removalPolicy,
    });
    // Lambda's default role may write to every log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    super(scope, id, {
      // A recovered table changes a reference to a literal name. The CDK then adds a version, but Lambda
      // publishes none if nothing differs. The table name in the description makes it differ.
      description: stage.recoveredTable ? `${description}: ${stage.recoveredTable.tableName}` : description,
      entry: entry ?? fileURLToPath(new URL(`../../functions/${kebabCase(id)}/lambda.ts`, import.meta.url)),
      runtime: lambda.Runtime.NODEJS_24_X,
      runtimeManagementMode: lambda.RuntimeManagementMode.FUNCTION_UPDATE,
      currentVersionOptions: {
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        ...(deadLetters && { onFailure: new SqsDestination(deadLetters) }),
      },
      architecture: lambda.Architecture.ARM_64,
      memorySize,
      timeout: Duration.millis(timeoutMs),
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      role,
      logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      // Logs failed and timed-out invocations, but not the start and end of every invocation
      // (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html).
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      environment: { POWERTOOLS_SERVICE_NAME: id, ...props.environment },
      bundling: {
        ...bundling,
        format: OutputFormat.ESM,
        sourceMap: true,
        sourceMapMode: SourceMapMode.DEFAULT,
        // The map only names the sources. Stack traces need no more, and debuggers have the files. Their
        // texts would be most of a bundle.
        sourcesContent: false,
        externalModules: [],
        logLevel: LogLevel.WARNING,
        ...(assets && {
          commandHooks: {
            beforeBundling: () => [],
            beforeInstall: () => [],
            afterBundling: (_: string, folder: string) => [
              [process.execPath, assetsProgram, kind, folder, ...options]
                .map((each) => JSON.stringify(each))
                .join(' '),
            ],
          },
        }),
        esbuildArgs: Object.fromEntries(
          Object.entries(entry ? {} : substitutes()).map(([module, file]) => [`--alias:${module}`, file]),
        ),
      },
    });
    this.live = this.addAlias('live');
    this.metricNamespace = stage.metricsNamespace;
  }
}
