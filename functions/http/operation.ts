/** The route of an operation, and the permissions that allow it. Its contract adds the documentation. */
import type { Payer } from '../domain/payer.ts';
import type { Permission } from '../domain/token.ts';

/** A permission that allows an operation, and the budget that pays for it. */
export interface Access extends Pick<Payer, 'budget' | 'share'> {
  permission: Permission;
  /** The values that the access does not allow, by parameter. */
  refuses?: Readonly<Record<string, readonly string[]>>;
}

export interface Operation<Allowing extends Access = Access> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: `/${string}`;
  /** A token needs one of these permissions. The error for a token without any names the first. */
  accesses: readonly [Allowing, ...Allowing[]];
}

/** Returns the access of a permission for secret tokens. The general budget pays. */
export function secretTokenAccess<const Allowing extends Permission>(permission: Allowing) {
  return { permission, budget: 'general', share: 1 } as const;
}

/** Returns an operation for secret tokens with a permission. The general budget pays. */
export function secretTokenOperation(
  method: Operation['method'],
  path: Operation['path'],
  permission: Permission,
): Operation {
  return { method, path, accesses: [secretTokenAccess(permission)] };
}

/** Returns the route key of an operation in API Gateway's form: `GET /v1/testimonials`. */
export function routeKey({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** The query parameter for a token that everyone may read. */
export const tokenParameter = 'token';
