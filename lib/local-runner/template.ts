/** Reads from a synthesized CloudFormation template what the local runner serves. */
import { join } from 'node:path';
import * as v from 'valibot';
import { localTableName } from './connection.ts';
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
}

/**
 * A function that is invoked with what a table's stream brings: one invocation at a time for a shard, again until it reports
 * no failure, in halves where it fails as a whole.
 */
export interface TemplateEventSource {
  /** Logical id. */
  functionId: string;
  /** Logical id. */
  tableId: string;
  /** Records an invocation, at most. */
  batchSize: number;
  /** How long a record waits for others at most, in milliseconds. */
  windowMs: number;
  accepts: RecordFilter;
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

// The defaults of Lambda for a DynamoDB stream; records that grow too old are not played.
const eventSourceProperties = v.object({
  EventSourceArn: v.unknown(),
  FunctionName: v.unknown(),
  BatchSize: v.optional(v.number(), 100),
  MaximumBatchingWindowInSeconds: v.optional(v.number(), 0),
  ParallelizationFactor: v.optional(v.literal(1)),
  BisectBatchOnFunctionError: v.literal(true),
  MaximumRetryAttempts: v.optional(v.literal(-1)),
  FunctionResponseTypes: v.tuple([v.literal('ReportBatchItemFailures')]),
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
 * @throws when the template uses something that the local runner does not serve
 */
export function readTemplate(template: unknown, assetRoot: string): ServiceTemplate {
  const { Resources } = v.parse(v.object({ Resources: v.record(v.string(), resourceSchema) }), template);
  const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);

  const tables = ofType('AWS::DynamoDB::GlobalTable').map(([logicalId, { Properties }]) => ({
    logicalId,
    name: localTableName,
    definition: v.parse(tableProperties, Properties),
  }));
  const eventBuses = ofType('AWS::Events::EventBus').map(([logicalId, { Properties }]) => ({
    logicalId,
    name: v.parse(v.string(), Properties.Name),
  }));
  const references = new Map([...tables, ...eventBuses].map(({ logicalId, name }) => [logicalId, name]));

  const functionBehind = functionsIn(Resources);
  // Functions that CloudFormation itself calls during a deployment are none of the service.
  const ofDeployment = Object.entries(Resources).flatMap(([logicalId, { Properties }]) =>
    isObject(Properties.ServiceToken) ? [functionBehind(Properties.ServiceToken, logicalId)] : [],
  );
  const functions = new Map(
    ofType('AWS::Lambda::Function')
      .filter(([logicalId]) => !ofDeployment.includes(logicalId))
      .map(([logicalId, resource]) => [logicalId, readFunction(logicalId, resource, assetRoot, references)]),
  );

  const routes = new Map(
    ofType('AWS::ApiGatewayV2::Route').map(([logicalId, { Properties }]) => {
      const routeKey = v.parse(v.string(), Properties.RouteKey);
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
    routes,
    functions,
    tables,
    eventSources,
    triggers,
    eventBuses: eventBuses.map(({ name }) => name),
    ...(cors !== undefined && { cors: v.parse(corsProperties, cors) }),
  };
}

type Resource = v.InferOutput<typeof resourceSchema>;

function readFunction(
  logicalId: string,
  { Properties, Metadata }: Resource,
  assetRoot: string,
  references: Map<string, string>,
): TemplateFunction {
  const { Handler, Environment, MemorySize, Timeout } = v.parse(functionProperties, Properties);
  const variables = Object.entries(Environment.Variables).map(([name, value]) => [
    name,
    resolveText(value, references, `${logicalId}.Environment.${name}`),
  ]);
  return {
    logicalId,
    name: v.parse(v.string(), Metadata['aws:cdk:path']).split('/')[1] ?? logicalId,
    codePath: join(assetRoot, v.parse(v.string(), Metadata['aws:asset:path'])),
    handler: Handler,
    environment: Object.fromEntries(variables),
    memoryMb: MemorySize,
    timeoutMs: Timeout * 1000,
  };
}

type FunctionBehind = (reference: unknown, where: string) => string;

/** Finds the logical id of the function behind a reference, which may go by an alias or a version. */
function functionsIn(resources: Record<string, Resource>): FunctionBehind {
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
  const { success, output: its, issues } = v.safeParse(eventSourceProperties, properties);
  if (!success) throw unsupported(logicalId, v.summarize(issues));
  const patterns = its.FilterCriteria.Filters.map(({ Pattern }) => Pattern);
  return {
    functionId: functionBehind(its.FunctionName, logicalId),
    tableId: lastReference(its.EventSourceArn, logicalId),
    batchSize: its.BatchSize,
    windowMs: its.MaximumBatchingWindowInSeconds * 1000,
    accepts: recordFilter(patterns, logicalId),
  };
}
