/** Reads from a synthesized CloudFormation template what the local runner serves. */
import { join } from 'node:path';
import * as v from 'valibot';
import { isObject, lastReference, resolveText, unsupported } from './intrinsic-functions.ts';
import { type RecordFilter, recordFilter } from './record-filter.ts';

/** A function as the template defines it. */
export interface TemplateFunction {
  logicalId: string;
  /** The id of its construct in the stack: `ListTestimonials`. */
  name: string;
  /** The folder with the bundled code. */
  codePath: string;
  /** `<file>.<export>` */
  handler: string;
  environment: Record<string, string>;
  memoryMb: number;
  timeoutMs: number;
}

/** A table as the template defines it, in the words of DynamoDB's CreateTable. */
export interface TemplateTable {
  logicalId: string;
  name: string;
  definition: v.InferOutput<typeof tableProperties>;
  /** What the table's stream says of a change; without it the table has no stream. */
  streamViewType?: StreamViewType;
}

export type StreamViewType = v.InferOutput<typeof streamViewType>;

/** A function that is invoked with what a table's stream brings. */
export interface TemplateEventSource {
  /** Logical id. */
  functionId: string;
  /** Logical id. */
  tableId: string;
  /** Records an invocation, at most. */
  batchSize: number;
  /** How long a record waits for others at most, in milliseconds. */
  windowMs: number;
  /** Invocations beside each other for a shard. */
  lanes: number;
  accepts: RecordFilter;
  /** True when the function says which records of a batch failed. */
  reportsBatchItemFailures: boolean;
  /** True when a batch whose invocation failed is split in two. */
  bisects: boolean;
  /** Infinite when the template sets no limit. */
  maximumRetryAttempts: number;
  /** Logical id of what is told of records that were given up. */
  onFailure?: string;
}

export type TemplateCors = v.InferOutput<typeof corsProperties>;

export interface ServiceTemplate {
  /** Route key (`GET /v1/testimonials`, `$default`) to logical id of the function. */
  routes: Map<string, string>;
  functions: Map<string, TemplateFunction>;
  tables: TemplateTable[];
  eventSources: TemplateEventSource[];
  /** Their names. */
  eventBuses: string[];
  /** Logical ids of the functions that a deployment invokes when it is done, without an event. */
  triggers: string[];
  cors?: TemplateCors;
}

const resourceSchema = v.object({
  Type: v.string(),
  Properties: v.optional(v.record(v.string(), v.unknown()), {}),
  Metadata: v.optional(v.record(v.string(), v.unknown()), {}),
});

const functionProperties = v.object({
  Handler: v.string(),
  Environment: v.optional(v.object({ Variables: v.record(v.string(), v.unknown()) }), { Variables: {} }),
  MemorySize: v.optional(v.number(), 128),
  Timeout: v.optional(v.number(), 3),
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

const streamViewType = v.picklist(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']);

const streamProperties = v.object({
  StreamSpecification: v.optional(v.object({ StreamViewType: streamViewType })),
});

// The defaults of Lambda for a DynamoDB stream.
const eventSourceProperties = v.object({
  EventSourceArn: v.unknown(),
  FunctionName: v.unknown(),
  BatchSize: v.optional(v.number(), 100),
  MaximumBatchingWindowInSeconds: v.optional(v.number(), 0),
  ParallelizationFactor: v.optional(v.number(), 1),
  BisectBatchOnFunctionError: v.optional(v.boolean(), false),
  MaximumRetryAttempts: v.optional(v.number(), -1),
  DestinationConfig: v.optional(v.object({ OnFailure: v.object({ Destination: v.unknown() }) })),
  FunctionResponseTypes: v.optional(v.array(v.string()), []),
  FilterCriteria: v.optional(v.object({ Filters: v.array(v.object({ Pattern: v.string() })) }), {
    Filters: [],
  }),
});

const texts = v.optional(v.array(v.string()), []);
const corsProperties = v.object({
  AllowOrigins: v.array(v.string()),
  AllowMethods: texts,
  AllowHeaders: texts,
  ExposeHeaders: texts,
  MaxAge: v.optional(v.number(), 0),
});

/**
 * Reads a template.
 * @param template the parsed JSON
 * @param assetRoot the folder (cdk.out) that asset paths are relative to
 * @param tableName gives a table its local name
 * @throws when the template uses something that the local runner does not serve
 */
export function readTemplate(
  template: unknown,
  assetRoot: string,
  tableName: (logicalId: string) => string,
): ServiceTemplate {
  const { Resources } = v.parse(v.object({ Resources: v.record(v.string(), resourceSchema) }), template);
  const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);

  const tables = ofType('AWS::DynamoDB::GlobalTable').map(([logicalId, { Properties }]) =>
    readTable(logicalId, Properties, tableName(logicalId)),
  );
  const eventBuses = ofType('AWS::Events::EventBus').map(([logicalId, { Properties }]) => ({
    logicalId,
    name: v.parse(v.string(), Properties.Name),
  }));
  const references = new Map([...tables, ...eventBuses].map(({ logicalId, name }) => [logicalId, name]));

  const functionBehind = functionsIn(Resources);
  // What CloudFormation itself calls during a deployment is none of the service.
  const ofDeployment = Object.entries(Resources).flatMap(([logicalId, { Properties }]) =>
    isObject(Properties.ServiceToken) ? [functionBehind(Properties.ServiceToken, logicalId)] : [],
  );
  const ofService = ofType('AWS::Lambda::Function').filter(
    ([logicalId]) => !ofDeployment.includes(logicalId),
  );

  const functions = new Map(
    ofService.map(([logicalId, { Properties, Metadata }]) => {
      const { Handler, Environment, MemorySize, Timeout } = v.parse(functionProperties, Properties);
      const variables = Object.entries(Environment.Variables).map(([name, value]) => [
        name,
        resolveText(value, references, `${logicalId}.Environment.${name}`),
      ]);
      const fn: TemplateFunction = {
        logicalId,
        name: v.parse(v.string(), Metadata['aws:cdk:path']).split('/')[1] ?? logicalId,
        codePath: join(assetRoot, v.parse(v.string(), Metadata['aws:asset:path'])),
        handler: Handler,
        environment: Object.fromEntries(variables),
        memoryMb: MemorySize,
        timeoutMs: Timeout * 1000,
      };
      return [logicalId, fn];
    }),
  );

  const routes = new Map(
    ofType('AWS::ApiGatewayV2::Route').map(([logicalId, { Properties }]) => {
      const routeKey = v.parse(v.string(), Properties.RouteKey);
      if (routeKey.includes('+}'))
        throw unsupported(logicalId, `route ${routeKey} with a greedy path parameter`);
      const integration = Resources[lastReference(Properties.Target, logicalId)];
      return [routeKey, functionBehind(integration?.Properties.IntegrationUri, logicalId)];
    }),
  );

  const cors = ofType('AWS::ApiGatewayV2::Api')[0]?.[1].Properties.CorsConfiguration;
  const eventSources = ofType('AWS::Lambda::EventSourceMapping').map(([logicalId, { Properties }]) =>
    readEventSource(logicalId, Properties, functionBehind),
  );
  const triggers = ofType('Custom::Trigger').map(([logicalId, { Properties }]) =>
    functionBehind(Properties.HandlerArn, logicalId),
  );
  return {
    ...{ routes, functions, tables, eventSources, triggers },
    eventBuses: eventBuses.map(({ name }) => name),
    ...(cors !== undefined && { cors: v.parse(corsProperties, cors) }),
  };
}

function readTable(logicalId: string, properties: unknown, name: string): TemplateTable {
  const { StreamSpecification } = v.parse(streamProperties, properties);
  return {
    logicalId,
    name,
    definition: v.parse(tableProperties, properties),
    ...(StreamSpecification && { streamViewType: StreamSpecification.StreamViewType }),
  };
}

type FunctionBehind = (reference: unknown, where: string) => string;

/** Finds the logical id of the function behind a reference, which may go by an alias or a version. */
function functionsIn(resources: Record<string, v.InferOutput<typeof resourceSchema>>): FunctionBehind {
  return function functionBehind(reference, where): string {
    const id = lastReference(reference, where);
    const { Type, Properties } = resources[id] ?? {};
    const isBefore = Type === 'AWS::Lambda::Version' || Type === 'AWS::Lambda::Alias';
    return isBefore ? functionBehind(Properties?.FunctionName, id) : id;
  };
}

function readEventSource(
  logicalId: string,
  properties: unknown,
  functionBehind: FunctionBehind,
): TemplateEventSource {
  const its = v.parse(eventSourceProperties, properties);
  const patterns = its.FilterCriteria.Filters.map(({ Pattern }) => Pattern);
  return {
    functionId: functionBehind(its.FunctionName, logicalId),
    tableId: lastReference(its.EventSourceArn, logicalId),
    batchSize: its.BatchSize,
    windowMs: its.MaximumBatchingWindowInSeconds * 1000,
    accepts: recordFilter(patterns, logicalId),
    lanes: its.ParallelizationFactor,
    reportsBatchItemFailures: its.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    bisects: its.BisectBatchOnFunctionError,
    maximumRetryAttempts: its.MaximumRetryAttempts < 0 ? Number.POSITIVE_INFINITY : its.MaximumRetryAttempts,
    ...(its.DestinationConfig && {
      onFailure: lastReference(its.DestinationConfig.OnFailure.Destination, logicalId),
    }),
  };
}
