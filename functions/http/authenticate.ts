/** Who calls, and whether they may: bearer tokens (RFC 6750). */
import type { MiddlewareObj } from '@middy/core';
import type { FindToken } from '../domain/stores.ts';
import { hashToken, isExpired, isWellFormedToken, type Permission } from '../domain/token.ts';
import { ApiError } from './api-error.ts';
import type { ApiEvent, ApiResponse } from './api-event.ts';
import type { Access, Operation } from './operation.ts';
import { queryValues } from './validate.ts';

const challenge = 'Bearer realm="testimonials"';

/**
 * Sets `event.caller` and `event.access`. Refuses with 401 a token that is missing, malformed (without a read), unknown, expired
 * or revoked, and with 403 one that has none of the permissions that allow the operation, or one that does not allow what the
 * query asks for.
 */
export function authenticate<Input>(options: {
  findToken: FindToken;
  now: () => Date;
  accesses: Operation['accesses'];
}): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  const { findToken, now, accesses } = options;
  const [{ permission: needed }] = accesses;
  return {
    before: async ({ event }) => {
      const token = bearerToken(event.headers?.authorization);
      if (token === undefined) {
        throw unauthorized('Send an API token in the header Authorization: Bearer <token>.', challenge);
      }
      const found = isWellFormedToken(token) ? await findToken(hashToken(token)) : undefined;
      if (!found || isExpired(found, now().getTime())) {
        throw unauthorized('The API token is not valid.', `${challenge}, error="invalid_token"`);
      }
      event.caller = found;
      const access = accesses.find((each) => found.permissions.includes(each.permission));
      if (!access) {
        throw forbidden(`The API token does not have the permission ${needed}.`, needed);
      }
      const refused = refusedOf(access, event.rawQueryString ?? '');
      if (refused !== undefined) {
        throw forbidden(`With ${access.permission} an API token may not ask for ${refused}.`, needed);
      }
      event.access = access;
    },
  };
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? '')?.[1];
}

/** The first parameter whose value an access does not allow, `status=pending`. */
function refusedOf({ refuses = {} }: Access, rawQueryString: string): string | undefined {
  const values = queryValues(rawQueryString);
  return Object.entries(refuses)
    .flatMap(([name, refused]) => refused.map((value) => ({ name, value })))
    .filter(({ name, value }) => values[name]?.includes(value))
    .map(({ name, value }) => `${name}=${value}`)[0];
}

/** @param scope the permission that is needed */
function forbidden(message: string, scope: Permission): ApiError {
  const headers = { 'www-authenticate': `${challenge}, error="insufficient_scope", scope="${scope}"` };
  return new ApiError('forbidden', message, { headers });
}

function unauthorized(message: string, wwwAuthenticate: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'www-authenticate': wwwAuthenticate } });
}
