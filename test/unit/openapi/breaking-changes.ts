/** Finds changes of an OpenAPI document that break existing clients. */
import type { openApiDocument } from '../../../lib/openapi/document.ts';

export type Document = ReturnType<typeof openApiDocument>;

/** The compared keywords of JSON Schema. */
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

type Content = { content?: Record<string, { schema: Schema }> };

interface Operation {
  /** Alternatives, each with its permissions. */
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: Content;
  responses: Record<string, Content & { headers?: Record<string, unknown> }>;
}

const lowest = ['minimum', 'minLength'] as const;
const highest = ['maximum', 'maxLength', 'maxItems'] as const;

/** Lists the breaking changes, as in `gone: GET /v1/testimonials: parameter page`. */
export function breakingChanges(before: Document, after: Document): string[] {
  const [old, now] = [new Facts(before), new Facts(after)];
  // Reports a removed part but not its subparts, and no demands of new parts, which no client uses yet.
  const gone = [...old.promises].filter(([each, of]) => !now.promises.has(each) && now.promises.has(of));
  const demands = [...now.demands].filter(([each, of]) => !old.demands.has(each) && old.promises.has(of));
  const bounds = [...old.bounds].filter(([each, bound]) => (now.bounds.get(each) ?? bound) < bound);
  return [
    ...gone.map(([each]) => `gone: ${each}`),
    ...demands.map(([each]) => `new: ${each}`),
    ...bounds.map(([each]) => `less: ${each}`),
  ];
}

/** The statements of a document, for comparison one by one. */
class Facts {
  /**
   * Promises to clients, which must not be removed, each with the promise that contains it. The document
   * itself is ''.
   */
  readonly promises = new Map([['', '']]);
  /** Demands on clients, which must not grow, each with the promise that contains it. */
  readonly demands = new Map<string, string>();
  /** Bounds, which must not get lower. */
  readonly bounds = new Map<string, number>();
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        this.#operation(`${method.toUpperCase()} ${path}`, operation as Operation); // the document's own shape
      }
    }
  }

  #operation(name: string, { security = [], parameters = [], requestBody, responses }: Operation): void {
    this.promises.set(name, '');
    for (const { name: parameter, required, schema } of parameters) {
      if (required) this.demands.set(`${name}: parameter ${parameter} is required`, name);
      this.#requestPart(`${name}: parameter ${parameter}`, schema, name);
    }
    if (requestBody) {
      this.demands.set(`${name}: body`, name);
      this.#requestPart(`${name}: body`, this.#anyOf(this.#shapesOf(requestBody)), name);
    }
    for (const [status, response] of Object.entries(responses)) {
      const where = `${name}: response ${status}`;
      this.promises.set(where, name);
      for (const header of Object.keys(response.headers ?? {})) {
        this.promises.set(`${where}, header ${header}`, where);
      }
      const isError = status >= '400';
      const shapes = this.#shapesOf(response);
      for (const shape of shapes) {
        // Each shape of a response has its own promises.
        const at = isError ? where : [where, nameOf(shape)].filter(Boolean).join(' ');
        this.#responsePart(at, shape, isError, at === where ? name : where);
      }
      // Clients handle errors by status. A new shape of a response needs a new permission, because clients
      // know the old ones.
      if (!isError) this.bounds.set(`${where}, permissions minus shapes`, security.length - shapes.length);
    }
  }

  /** Returns the shapes of a body, of which it has one. */
  #shapesOf({ content }: Content = {}): Schema[] {
    const schema = content?.['application/json']?.schema;
    return (schema && this.#resolved(schema).anyOf) ?? (schema ? [schema] : []);
  }

  /**
   * Returns one schema for the alternatives of a request: it has all their fields, and requires those that
   * each of them requires.
   */
  #anyOf(shapes: Schema[]): Schema {
    const [first = {}, ...others] = shapes.map((shape) => this.#resolved(shape));
    const required = first.required?.filter((name) =>
      others.every((other) => other.required?.includes(name)),
    );
    const properties = Object.assign({}, first.properties, ...others.map((other) => other.properties));
    return { ...first, properties, required: required ?? [] };
  }

  /** A part of a request, which must not become required or narrower. */
  #requestPart(where: string, schema: Schema, of: string): void {
    const { enum: values, required = [], ...own } = this.#own(where, schema, of);
    if (values) this.demands.set(`${where} allows only some values`, where);
    for (const value of values ?? []) this.promises.set(`${where} allows ${value}`, where);
    for (const name of required) this.demands.set(`${where} requires ${name}`, where);
    for (const each of lowest) this.bounds.set(`${where}, ${each}`, -(own[each] ?? -Infinity));
    for (const each of highest) this.bounds.set(`${where}, ${each}`, own[each] ?? Infinity);
    for (const [name, part] of partsOf(where, own)) this.#requestPart(name, part, where);
  }

  /** A part of a response, which must not be removed or, except for error codes, get new values. */
  #responsePart(where: string, schema: Schema, isError: boolean, of: string): void {
    const { enum: values = [], required = [], ...own } = this.#own(where, schema, of);
    if (!isError) for (const value of values) this.demands.set(`${where} can be ${value}`, where);
    for (const [name, part] of partsOf(where, own)) this.#responsePart(name, part, isError, where);
    for (const name of required)
      this.promises.set(`${where}, ${name} is always present`, `${where}, ${name}`);
  }

  #resolved(schema: Schema): Schema {
    const name = nameOf(schema);
    return (name === undefined ? schema : this.#document.components.schemas[name]) as Schema; // likewise
  }

  /** Notes a part, and resolves its reference. */
  #own(where: string, schema: Schema, of: string): Schema {
    const own = this.#resolved(schema);
    this.promises.set(where, of).set(`${where} is ${own.type}`, where);
    return own;
  }
}

/** Returns the name of a referenced schema. */
function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.slice('#/components/schemas/'.length);
}

function partsOf(where: string, { properties = {}, items }: Schema): [string, Schema][] {
  const parts = Object.entries(properties).map(([name, each]): [string, Schema] => [
    `${where}, ${name}`,
    each,
  ]);
  return items ? [...parts, [`${where}, each`, items]] : parts;
}
