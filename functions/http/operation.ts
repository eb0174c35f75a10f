/** An operation as its function has to know it: its route, and who may call it. Its contract has the rest, for readers. */
import type { Payer } from '../domain/stores.ts';
import type { Permission } from '../domain/token.ts';

/** A permission that allows an operation, and which budget of the organization pays then. */
export interface Access extends Pick<Payer, 'budget' | 'share'> {
  permission: Permission;
  /** Values of parameters that it does not allow, by the parameter's name. */
  refuses?: Readonly<Record<string, readonly string[]>>;
}

export interface Operation<Allowing extends Access = Access> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: `/${string}`;
  /** Any of these permissions is enough; the first is the one that a token without any is told of. */
  accesses: readonly [Allowing, ...Allowing[]];
}

/** The access of a token that its organization keeps to itself. */
export function ownAccess<const Allowing extends Permission>(permission: Allowing) {
  return { permission, budget: 'general', share: 1 } as const;
}

/** The route key of an operation as API Gateway writes it: `GET /v1/testimonials`. */
export function routeKey({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** The parameter in which a token may stand that everyone may read. */
export const tokenParameter = 'token';
