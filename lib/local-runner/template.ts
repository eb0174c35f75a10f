/** Reads the routes, functions, table and event sources of a synthesized CloudFormation template. */
import { join } from 'node:path';
import * as v from 'valibot';
import { localTableName } from './settings.ts';

export type ServiceTemplate = ReturnType<typeof readTemplate>;

export type TemplateFunction = ReturnType<typeof readFunction>;

export type TemplateTable = ServiceTemplate['table'];

/**
 * The table's stream as the source of a function. Each shard has one invocation at a time. A batch that
 * throws is retried in halves.
 */
export type TemplateEventSource = ServiceTemplate['eventSources'][number];

/** The bucket with the bytes of media. */
export type TemplateBucket = ReturnType<typeof readBucket>;

export type TemplateCors = v.InferOutput<typeof corsProperties>;

const resource = v.looseObject({
  Type: v.string(),
  Properties: v.optional(v.record(v.string(), v.unknown()), {}),
});

const functionResource = v.object({
  Properties: v.object({
    Handler: v.string(),
    // A reference becomes a logical id. Only the table's name is needed, which `variablesFor` sets.
    Environment: v.object({
      Variables: v.record(
        v.string(),
        v.union([
          v.string(),
          v.pipe(
            v.object({ Ref: v.string() }),
            v.transform(({ Ref }) => Ref),
          ),
        ]),
      ),
    }),
    MemorySize: v.number(),
    Timeout: v.number(),
  }),
  Metadata: v.object({ 'aws:cdk:path': v.string(), 'aws:asset:path': v.string() }),
});

const keySchema = v.array(v.object({ AttributeName: v.string(), KeyType: v.picklist(['HASH', 'RANGE']) }));

const tableProperties = v.object({
  AttributeDefinitions: v.array(
    v.object({ AttributeName: v.string(), AttributeType: v.picklist(['S', 'N', 'B']) }),
  ),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: v.array(
    v.object({
      IndexName: v.string(),
      KeySchema: keySchema,
      Projection: v.object({
        ProjectionType: v.picklist(['ALL', 'KEYS_ONLY', 'INCLUDE']),
        NonKeyAttributes: v.exactOptional(v.array(v.string())),
      }),
    }),
  ),
});

const value = v.union([v.string(), v.strictObject({ prefix: v.string() })]);

/** A pattern of Lambda's event filtering: allowed values or prefixes for each field. */
export type FilterPattern = v.InferOutput<typeof value>[] | { [field: string]: FilterPattern };

/** Other comparisons are not supported here. */
const filterPattern: v.GenericSchema<FilterPattern> = v.lazy((input) =>
  Array.isArray(input) ? v.array(value) : v.record(v.string(), filterPattern),
);

// The maximum age of records is not emulated.
const eventSourceProperties = v.object({
  BatchSize: v.number(),
  MaximumBatchingWindowInSeconds: v.number(),
  ParallelizationFactor: v.literal(1),
  BisectBatchOnFunctionError: v.literal(true),
  MaximumRetryAttempts: v.optional(v.literal(-1)),
  FunctionResponseTypes: v.tuple([v.literal('ReportBatchItemFailures')]),
  FilterCriteria: v.object({
    Filters: v.array(v.object({ Pattern: v.pipe(v.string(), v.parseJson(), filterPattern) })),
  }),
});

const corsProperties = v.object({
  AllowOrigins: v.array(v.string()),
  AllowMethods: v.array(v.string()),
  AllowHeaders: v.array(v.string()),
  ExposeHeaders: v.array(v.string()),
  MaxAge: v.number(),
});

const lifecycleRule = v.object({
  Status: v.literal('Enabled'),
  Prefix: v.string(),
  ExpirationInDays: v.number(),
  TagFilters: v.optional(v.tuple([v.object({ Key: v.string(), Value: v.string() })])),
});

const bucketProperties = v.object({
  CorsConfiguration: v.object({
    CorsRules: v.array(
      v.object({ AllowedMethods: v.array(v.string()), AllowedOrigins: v.array(v.string()) }),
    ),
  }),
  LifecycleConfiguration: v.object({ Rules: v.array(lifecycleRule) }),
});

/**
 * Reads a template.
 * @param template the parsed JSON
 * @param assetRoot the folder (cdk.out) to which asset paths are relative
 * @throws if the template uses a feature that the local runner lacks
 */
export function readTemplate(template: unknown, assetRoot: string) {
  const { Resources } = v.parse(v.object({ Resources: v.record(v.string(), resource) }), template);
  const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
  /** Follows references through integrations, aliases and versions to a function. */
  const functionBehind = (value: unknown): string => {
    const id = resourceIn(value);
    const { Type, Properties } = Resources[id] ?? unsupported(id, 'another resource');
    if (Type === 'AWS::Lambda::Function') return id;
    return functionBehind(Properties.IntegrationUri ?? Properties.FunctionName);
  };

  const [[tableId, { Properties: table }] = unsupported('The template', 'no table')] = ofType(
    'AWS::DynamoDB::GlobalTable',
  );
  const routes = ofType('AWS::ApiGatewayV2::Route').map(
    ([, { Properties }]) => [String(Properties.RouteKey), functionBehind(Properties.Target)] as const,
  );
  // The queue of the check before a rollout is used only during deployments.
  const isQueue = (arn: unknown) => Resources[resourceIn(arn)]?.Type === 'AWS::SQS::Queue';
  const mappings = ofType('AWS::Lambda::EventSourceMapping').filter(
    ([, { Properties }]) => !isQueue(Properties.EventSourceArn),
  );
  const eventSources = mappings.map(([id, { Properties }]) => {
    if (resourceIn(Properties.EventSourceArn) !== tableId) unsupported(id, 'another source');
    const source = served(eventSourceProperties, Properties, id);
    return {
      /** Logical id. */
      functionId: functionBehind(Properties.FunctionName),
      /** Maximum number of records per invocation. */
      batchSize: source.BatchSize,
      /** Maximum time that a record waits for others, in milliseconds. */
      windowMs: source.MaximumBatchingWindowInSeconds * 1000,
      accepts: recordFilter(source.FilterCriteria.Filters.map(({ Pattern }) => Pattern)),
    };
  });
  const triggers = ofType('Custom::Trigger').map(([, { Properties }]) =>
    functionBehind(Properties.HandlerArn),
  );
  // CloudFormation calls the other functions during a deployment.
  const functionIds = [
    ...routes.map(([, id]) => id),
    ...eventSources.map((each) => each.functionId),
    ...triggers,
  ];
  const [bucket] = ofType('AWS::S3::Bucket').map(([id, { Properties }]) => readBucket(id, Properties));
  const cors = ofType('AWS::ApiGatewayV2::Api')[0]?.[1].Properties.CorsConfiguration;
  return {
    /** Logical ids of functions by route key (`GET /v1/testimonials`, `$default`). */
    routes: new Map(routes),
    functions: new Map(functionIds.map((id) => [id, readFunction(id, Resources[id], assetRoot)])),
    /** In the format of DynamoDB's CreateTable. */
    table: { name: localTableName, definition: served(tableProperties, table, tableId) },
    eventSources,
    /** Logical ids of the functions that a deployment invokes at its end. */
    triggers,
    ...(bucket && { bucket }),
    hasEventBus: ofType('AWS::Events::EventBus').length > 0,
    ...(cors !== undefined && { cors: served(corsProperties, cors, 'CORS') }),
  };
}

/** Returns the logical id in the last Ref or Fn::GetAtt of a value, at any depth. */
function resourceIn(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  // Pseudo parameters such as AWS::Region have colons.
  const [, id] = [...text.matchAll(/"(?:Ref":|Fn::GetAtt":\[)"(\w+)"/g)].at(-1) ?? [];
  return id ?? unsupported('A reference', text);
}

function readBucket(name: string, properties: unknown) {
  const { CorsConfiguration, LifecycleConfiguration } = served(bucketProperties, properties, name);
  return {
    /** A reference to the bucket becomes its logical id. */
    name,
    cors: CorsConfiguration.CorsRules,
    lifecycle: LifecycleConfiguration.Rules.map(({ Prefix, ExpirationInDays, TagFilters }) => ({
      prefix: Prefix,
      days: ExpirationInDays,
      ...(TagFilters && { tag: { key: TagFilters[0].Key, value: TagFilters[0].Value } }),
    })),
  };
}

function readFunction(logicalId: string, resource: unknown, assetRoot: string) {
  const { Properties, Metadata } = served(functionResource, resource, logicalId);
  return {
    logicalId,
    /** The id of its construct in the stack: `ListTestimonials`. */
    name: Metadata['aws:cdk:path'].split('/')[1] ?? logicalId,
    /** Folder with the bundled code. */
    codePath: join(assetRoot, Metadata['aws:asset:path']),
    /** `<file>.<export>` */
    handler: Properties.Handler,
    environment: Properties.Environment.Variables,
    memoryMb: Properties.MemorySize,
    timeoutMs: Properties.Timeout * 1000,
  };
}

function served<Schema extends v.GenericSchema>(
  schema: Schema,
  part: unknown,
  where: string,
): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, part);
  return success ? output : unsupported(where, v.summarize(issues));
}

/** Throws for a part of the template that the local runner cannot emulate. */
function unsupported(where: string, what: string): never {
  throw new Error(`The local runner does not support this part of the template, ${where}: ${what}`);
}

/** Returns a function that tests whether a record matches one of the patterns. */
export function recordFilter(patterns: readonly FilterPattern[]): (record: unknown) => boolean {
  return (record) => patterns.some((pattern) => matches(record, pattern));
}

function matches(field: unknown, pattern: FilterPattern): boolean {
  if (!Array.isArray(pattern))
    return Object.entries(pattern).every(([name, inner]) => matches(Object(field)[name], inner));
  return pattern.some((each) =>
    typeof each === 'string' ? field === each : typeof field === 'string' && field.startsWith(each.prefix),
  );
}
