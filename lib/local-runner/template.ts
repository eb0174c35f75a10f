/** Reads from a synthesized CloudFormation template what the local runner serves. */
import { join } from 'node:path';
import * as v from 'valibot';

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

export interface TemplateCors {
  allowOrigins: string[];
  allowMethods: string[];
  allowHeaders: string[];
  exposeHeaders: string[];
  maxAge: number;
}

export interface ServiceTemplate {
  /** Route key (`GET /v1/testimonials`, `$default`) to logical id of the function. */
  routes: Map<string, string>;
  functions: Map<string, TemplateFunction>;
  tables: TemplateTable[];
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
      Projection: v.object({ ProjectionType: v.picklist(['ALL', 'KEYS_ONLY', 'INCLUDE']) }),
    }),
  ),
});

const corsProperties = v.object({
  AllowOrigins: v.array(v.string()),
  AllowMethods: v.optional(v.array(v.string()), []),
  AllowHeaders: v.optional(v.array(v.string()), []),
  ExposeHeaders: v.optional(v.array(v.string()), []),
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

  const tables = ofType('AWS::DynamoDB::GlobalTable').map(([logicalId, { Properties }]) => ({
    logicalId,
    name: tableName(logicalId),
    definition: v.parse(tableProperties, Properties),
  }));
  const references = new Map(tables.map(({ logicalId, name }) => [logicalId, name]));

  const functions = new Map(
    ofType('AWS::Lambda::Function').map(([logicalId, { Properties, Metadata }]) => {
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
      if (routeKey.includes('{')) throw unsupported(logicalId, `route ${routeKey} with a path parameter`);
      const integration = Resources[lastReference(Properties.Target)];
      return [routeKey, lastReference(integration?.Properties.IntegrationUri)];
    }),
  );

  const cors = ofType('AWS::ApiGatewayV2::Api')[0]?.[1].Properties.CorsConfiguration;
  return { routes, functions, tables, ...(cors !== undefined && { cors: readCors(cors) }) };
}

function readCors(properties: unknown): TemplateCors {
  const { AllowOrigins, AllowMethods, AllowHeaders, ExposeHeaders, MaxAge } = v.parse(
    corsProperties,
    properties,
  );
  return {
    allowOrigins: AllowOrigins,
    allowMethods: AllowMethods,
    allowHeaders: AllowHeaders,
    exposeHeaders: ExposeHeaders,
    maxAge: MaxAge,
  };
}

function resolveText(value: unknown, references: Map<string, string>, where: string): string {
  if (typeof value === 'string') return value;
  const reference = isObject(value) && typeof value.Ref === 'string' ? references.get(value.Ref) : undefined;
  if (reference === undefined) throw unsupported(where, JSON.stringify(value));
  return reference;
}

/** The logical id that an intrinsic function refers to: of a Ref, a Fn::GetAtt, or the last one in a Fn::Join. */
function lastReference(value: unknown): string {
  if (isObject(value)) {
    if (typeof value.Ref === 'string') return value.Ref;
    const attribute = value['Fn::GetAtt'];
    if (Array.isArray(attribute)) return String(attribute[0]);
    const join = value['Fn::Join'];
    if (Array.isArray(join) && Array.isArray(join[1])) return lastReference(join[1].findLast(isObject));
  }
  throw unsupported('A route', JSON.stringify(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function unsupported(where: string, what: string): Error {
  return new Error(`${where} uses what the local runner does not serve: ${what}`);
}
