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
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { headers?: Record<string, unknown>; content?: Record<string, { schema: Schema }> }
  >;
}

const json = 'application/json';
const lowest = ['minimum', 'minLength'] as const;
const highest = ['maximum', 'maxLength', 'maxItems'] as const;

/** Names each change that breaks a client: `GET /v1/testimonials: the parameter page is gone`. */
export function breakingChanges(before: Document, after: Document): string[] {
  const comparison = new Comparison(before, after);
  return Object.entries(before.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      // Only `openApiDocument` makes these.
      const [old, now] = [operation as Operation, after.paths[path]?.[method] as Operation | undefined];
      if (!now) return [`${name} is gone`];
      return comparison.ofOperations(old, now).map((change) => `${name}: ${change}`);
    }),
  );
}

class Comparison {
  readonly #before: Document;
  readonly #after: Document;

  constructor(before: Document, after: Document) {
    this.#before = before;
    this.#after = after;
  }

  ofOperations(old: Operation, now: Operation): string[] {
    return [...this.#parameters(old, now), ...this.#body(old, now), ...this.#answers(old, now)];
  }

  #parameters(old: Operation, now: Operation): string[] {
    const known = new Map((old.parameters ?? []).map((parameter) => [parameter.name, parameter]));
    const current = new Map((now.parameters ?? []).map((parameter) => [parameter.name, parameter]));
    return [
      ...[...known.values()].flatMap(({ name, schema }) => {
        const next = current.get(name);
        if (!next) return [`the parameter ${name} is gone`];
        return this.#schema(asked, `the parameter ${name}`, schema, next.schema);
      }),
      ...[...current.values()]
        .filter(({ name, required }) => required && !known.get(name)?.required)
        .map(({ name }) => `the parameter ${name} is now required`),
    ];
  }

  #body(old: Operation, now: Operation): string[] {
    const [was, is] = [old, now].map(({ requestBody }) => requestBody?.content[json]?.schema);
    if (!was) return is ? ['a body is now required'] : [];
    return is ? this.#schema(asked, 'the body', was, is) : ['the body is gone'];
  }

  #answers(old: Operation, now: Operation): string[] {
    const allowedBy = ({ security = [] }: Operation) => security.length;
    const isNewlyAllowed = allowedBy(now) > allowedBy(old);
    return Object.entries(old.responses).flatMap(([status, response]) => {
      const next = now.responses[status];
      if (!next) return [`the answer ${status} is gone`];
      const gone = Object.keys(response.headers ?? {}).filter((name) => !(name in (next.headers ?? {})));
      const [was, is] = [response, next].map(({ content }) => content?.[json]?.schema);
      return [
        ...gone.map((name) => `the header ${name} of ${status} is gone`),
        ...(was ? this.#answer(status, was, is ?? {}, isNewlyAllowed) : []),
      ];
    });
  }

  /**
   * A client goes by the status of an error: it may have a code that is new, and other shapes beside the one it had. Any other
   * answer has the shape that it had, and another one for none but who is allowed by a permission that is new.
   */
  #answer(status: string, was: Schema, is: Schema, isNewlyAllowed: boolean): string[] {
    const where = `the answer ${status}`;
    const shapesOf = (schema: Schema) => schema.anyOf ?? [schema];
    if (status < '400') {
      const [olds, nows] = [shapesOf(was), shapesOf(is)];
      const kept = olds.map((old) => [old, nows.find(({ $ref }) => $ref === old.$ref) ?? is] as const);
      return [
        ...kept.flatMap(([old, now]) => this.#schema(answered, where, old, now)),
        ...(nows.length > olds.length && !isNewlyAllowed ? [`${where} can have another shape`] : []),
      ];
    }
    const changes = shapesOf(was).flatMap((old) =>
      shapesOf(is).map((now) => this.#schema(refused, where, old, now)),
    );
    return changes.find((each) => each.length === 0) ?? changes.flat();
  }

  /** @param rules of what a client sends, or of what it gets */
  #schema(rules: typeof asked, where: string, was: Schema, is: Schema): string[] {
    const [old, now] = [resolve(was, this.#before), resolve(is, this.#after)];
    if (old.type !== now.type) return [`${where} is ${now.type} and no longer ${old.type}`];
    return [
      ...rules(where, old, now),
      ...Object.entries(old.properties ?? {}).flatMap(([name, property]) => {
        const next = now.properties?.[name];
        if (!next) return [`${where} no longer has ${name}`];
        return this.#schema(rules, `${where}, ${name}`, property, next);
      }),
      ...(old.items && now.items ? this.#schema(rules, `${where}, each`, old.items, now.items) : []),
    ];
  }
}

/** What a client sends: nothing of it may be demanded or narrowed. */
function asked(where: string, old: Schema, now: Schema): string[] {
  const noMore = (old.enum ?? []).filter((value) => now.enum && !now.enum.includes(value));
  const tightened = [
    ...lowest.filter((keyword) => (now[keyword] ?? -Infinity) > (old[keyword] ?? -Infinity)),
    ...highest.filter((keyword) => (now[keyword] ?? Infinity) < (old[keyword] ?? Infinity)),
  ];
  const demanded = (now.required ?? []).filter((name) => !old.required?.includes(name));
  return [
    ...noMore.map((value) => `${where} no longer takes ${value}`),
    ...(now.enum && !old.enum ? [`${where} takes only ${now.enum.join(', ')}`] : []),
    ...tightened.map((keyword) => `${where} has another ${keyword}: ${now[keyword]}`),
    ...demanded.map((name) => `${where} now requires ${name}`),
  ];
}

/** What a client gets: nothing of it may be missing or be something else. */
function answered(where: string, old: Schema, now: Schema): string[] {
  const unheard = (now.enum ?? []).filter((value) => old.enum && !old.enum.includes(value));
  return [...unheard.map((value) => `${where} can be ${value}`), ...refused(where, old, now)];
}

/** An error: nothing of it may be missing. */
function refused(where: string, old: Schema, now: Schema): string[] {
  const optional = (old.required ?? []).filter((name) => !now.required?.includes(name));
  return optional.filter((name) => now.properties?.[name]).map((name) => `${where} may lack ${name}`);
}

function resolve(schema: Schema, { components }: Document): Schema {
  const name = schema.$ref?.slice('#/components/schemas/'.length);
  return name === undefined ? schema : ((components.schemas[name] as Schema | undefined) ?? {});
}
