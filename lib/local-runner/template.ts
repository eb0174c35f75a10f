/** Reads from a synthesized CloudFormation template what the local runner serves. */
import { join } from 'node:path';
import * as v from 'valibot';
import { localTableName } from './connection.ts';
import { type RecordFilter, recordFilter, unsupported } from './record-filter.ts';

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
  name: string;
  definition: v.InferOutput<typeof tableProperties>;
}

/**
 * A function that is invoked with what the table's stream brings: one invocation at a time for a shard, again until it reports
 * no failure, in halves where it fails as a whole.
 */
export interface TemplateEventSource {
  /** Logical id. */
  functionId: string;
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
  table: TemplateTable;
  eventSources: TemplateEventSource[];
  hasEventBus: boolean;
  /** Logical ids of the functions that a deployment invokes when it is done, without an event. */
  triggers: string[];
  cors?: TemplateCors;
}

const resourceSchema = v.object({
  Type: v.string(),
  Properties: v.optional(v.record(v.string(), v.unknown()), {}),
  Metadata: v.optional(v.record(v.string(), v.unknown()), {}),
});

const textOrReference = v.union([v.string(), v.object({ Ref: v.string() })]);
const functionProperties = v.object({
  Handler: v.string(),
  Environment: v.optional(v.object({ Variables: v.record(v.string(), textOrReference) }), { Variables: {} }),
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
  const all = Object.entries(Resources);
  const ofType = (type: string) => all.filter(([, { Type }]) => Type === type);
  /** Follows a value to the function that it refers to in the end, by an integration, an alias or a version. */
  const functionBehind = (value: unknown, where: string): string => {
    const id = resourceIn(value, where);
    const { Type, Properties } = Resources[id] ?? {};
    if (Type === 'AWS::ApiGatewayV2::Integration') return functionBehind(Properties?.IntegrationUri, id);
    const isBefore = Type === 'AWS::Lambda::Version' || Type === 'AWS::Lambda::Alias';
    return isBefore ? functionBehind(Properties?.FunctionName, id) : id;
  };

  const [[tableId, { Properties: table }] = unsupported('The template', 'no table')] = ofType(
    'AWS::DynamoDB::GlobalTable',
  );
  const names = new Map([[tableId, localTableName]]);
  for (const [id, { Properties }] of ofType('AWS::Events::EventBus')) {
    names.set(id, v.parse(v.string(), Properties.Name));
  }
  // Functions that CloudFormation itself calls during a deployment are none of the service.
  const ofDeployment = all.flatMap(([id, { Properties }]) =>
    Properties.ServiceToken === undefined ? [] : functionBehind(Properties.ServiceToken, id),
  );
  const functions = ofType('AWS::Lambda::Function').filter(([id]) => !ofDeployment.includes(id));
  const [api] = ofType('AWS::ApiGatewayV2::Api');
  const cors = api?.[1].Properties.CorsConfiguration;
  return {
    routes: new Map(
      ofType('AWS::ApiGatewayV2::Route').map(([id, { Properties }]) => [
        v.parse(v.string(), Properties.RouteKey),
        functionBehind(Properties.Target, id),
      ]),
    ),
    functions: new Map(functions.map(([id, each]) => [id, readFunction(id, each, assetRoot, names)])),
    table: { name: localTableName, definition: v.parse(tableProperties, table) },
    eventSources: ofType('AWS::Lambda::EventSourceMapping').map(([id, { Properties }]) => {
      if (resourceIn(Properties.EventSourceArn, id) !== tableId) unsupported(id, 'another source');
      return readEventSource(id, Properties, functionBehind(Properties.FunctionName, id));
    }),
    triggers: ofType('Custom::Trigger').map(([id, { Properties }]) =>
      functionBehind(Properties.HandlerArn, id),
    ),
    hasEventBus: names.size > 1,
    ...(cors !== undefined && { cors: v.parse(corsProperties, cors) }),
  };
}

type Resource = v.InferOutput<typeof resourceSchema>;

/** The logical id of the resource that a value refers to, by a Ref or a Fn::GetAtt, however deep: the last one. */
function resourceIn(value: unknown, where: string): string {
  const text = JSON.stringify(value ?? null);
  // Names that are none of the template's have colons.
  const [, id] = [...text.matchAll(/"(?:Ref":|Fn::GetAtt":\[)"(\w+)"/g)].at(-1) ?? [];
  return id ?? unsupported(where, text);
}

/** @param names of what the variables may refer to */
function readFunction(
  logicalId: string,
  { Properties, Metadata }: Resource,
  assetRoot: string,
  names: ReadonlyMap<string, string>,
): TemplateFunction {
  const { Handler, Environment, MemorySize, Timeout } = v.parse(functionProperties, Properties);
  const variables = Object.entries(Environment.Variables).map(([name, value]) => {
    const text = typeof value === 'string' ? value : names.get(value.Ref);
    return [name, text ?? unsupported(`${logicalId}.Environment.${name}`, JSON.stringify(value))];
  });
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

function readEventSource(where: string, properties: unknown, functionId: string): TemplateEventSource {
  const { success, output: its, issues } = v.safeParse(eventSourceProperties, properties);
  if (!success) return unsupported(where, v.summarize(issues));
  return {
    functionId,
    batchSize: its.BatchSize,
    windowMs: its.MaximumBatchingWindowInSeconds * 1000,
    accepts: recordFilter(
      its.FilterCriteria.Filters.map(({ Pattern }) => Pattern),
      where,
    ),
  };
}
