/** What a new OpenAPI document breaks for the clients of an old one. */
import type { openApiDocument } from '../../../lib/openapi/document.ts';

export type Document = ReturnType<typeof openApiDocument>;

/** The keywords of JSON Schema that are compared. */
interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  type?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}

interface Operation {
  /** Any of these is enough, each of some permissions. */
  security: Record<string, string[]>[];
  parameters?: { name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { headers?: Record<string, unknown>; content?: Record<string, { schema: Schema }> }
  >;
}

const json = 'application/json';
const lowest = ['minimum', 'minLength'] as const;
const highest = ['maximum', 'maxLength', 'maxItems'] as const;

/**
 * Names each change that breaks a client: a promise of the old document that the new one does not make, and what the new one
 * demands more of whatever the old one has.
 */
export function breakingChanges(before: Document, after: Document): string[] {
  const [old, now] = [new Terms(before), new Terms(after)];
  const gone = [...old.promises].filter((promise) => !now.promises.has(promise));
  const isWithin = (promise: string) => gone.some((other) => promise.startsWith(`${other}, `));
  const risen = [...now.demands].filter(
    ([demand, { of, amount }]) =>
      old.promises.has(of) && amount > (old.demands.get(demand)?.amount ?? Number.NEGATIVE_INFINITY),
  );
  return [
    ...gone.filter((promise) => !isWithin(promise)).map((promise) => `${promise}: gone`),
    ...risen.map(([demand]) => `${demand}: new`),
  ];
}

/** Who writes what a schema describes: a client, the service in an answer, or the service in an error. */
type Kind = 'asked' | 'answered' | 'refused';

/** The terms of a document, each by a place in it: `GET /v1/testimonials, parameter page`. */
class Terms {
  /** What a client may count on: all that is there, and what of it is always there. */
  readonly promises = new Set<string>();
  /** What a client has to send or to understand, `of` which place, and how much. */
  readonly demands = new Map<string, { of: string; amount: number }>();
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        // Only `openApiDocument` makes these.
        this.#readOperation(`${method.toUpperCase()} ${path}`, operation as Operation);
      }
    }
  }

  #demand(of: string, what: string, amount = 0): void {
    this.demands.set(`${of}, ${what}`, { of, amount });
  }

  #readOperation(place: string, { security, parameters = [], requestBody, responses }: Operation): void {
    this.promises.add(place);
    for (const { name, required, schema } of parameters) {
      this.#readSchema('asked', `${place}, parameter ${name}`, schema);
      if (required) this.#demand(place, `required ${name}`);
    }
    const body = requestBody?.content[json]?.schema;
    if (body) {
      this.#readSchema('asked', `${place}, body`, body);
      this.#demand(place, 'required body');
    }
    for (const [status, { headers = {}, content }] of Object.entries(responses)) {
      const answer = `${place}, ${status}`;
      this.promises.add(answer);
      for (const header of Object.keys(headers)) this.promises.add(`${answer}, header ${header}`);
      const schema = content?.[json]?.schema;
      const shapes = schema?.anyOf ?? (schema ? [schema] : []);
      // An error may have another shape, and any other answer for whoever a new permission allows.
      if (status < '400')
        this.#demand(answer, 'more shapes than permissions', shapes.length - security.length);
      for (const shape of shapes) {
        const name = shape.$ref?.split('/').at(-1) ?? 'a shape';
        this.#readSchema(status < '400' ? 'answered' : 'refused', `${answer}, ${name}`, shape);
      }
    }
  }

  /** A client goes by the status of an error, which may have a code that is new. */
  #readSchema(kind: Kind, place: string, given: Schema): void {
    const schema = this.#resolved(given);
    this.promises.add(place).add(`${place}, ${schema.type}`);
    for (const value of schema.enum ?? []) {
      if (kind === 'asked') this.promises.add(`${place}, value ${value}`);
      if (kind === 'answered') this.#demand(place, `value ${value}`);
    }
    for (const name of schema.required ?? []) {
      if (kind === 'asked') this.#demand(place, `required ${name}`);
      else this.promises.add(`${place}, required ${name}`);
    }
    if (kind === 'asked') {
      if (schema.enum) this.#demand(place, 'some values only');
      for (const each of lowest) this.#demand(place, each, schema[each] ?? Number.NEGATIVE_INFINITY);
      for (const each of highest) this.#demand(place, each, -(schema[each] ?? Number.POSITIVE_INFINITY));
    }
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      this.#readSchema(kind, `${place}, ${name}`, property);
    }
    if (schema.items) this.#readSchema(kind, `${place}, each`, schema.items);
  }

  #resolved(schema: Schema): Schema {
    const name = schema.$ref?.slice('#/components/schemas/'.length);
    return name === undefined
      ? schema
      : ((this.#document.components.schemas[name] as Schema | undefined) ?? {});
  }
}
