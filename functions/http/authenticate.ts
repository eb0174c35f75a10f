/** Who calls, and whether they may: bearer tokens (RFC 6750). */
import type { MiddlewareObj } from '@middy/core';
import type { FindToken } from '../domain/stores.ts';
import { hashToken, isExpired, isWellFormedToken, type Permission } from '../domain/token.ts';
import { ApiError } from './api-error.ts';
import type { ApiEvent, ApiResponse } from './api-event.ts';

const challenge = 'Bearer realm="testimonials"';

/**
 * Sets `event.caller`. Refuses with 401 a token that is missing, malformed (without a read), unknown, expired
 * or revoked, and with 403 one that lacks the permission.
 */
export function authenticate<Input>(options: {
  findToken: FindToken;
  now: () => Date;
  permission: Permission;
}): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  const { findToken, now, permission } = options;
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
      if (!found.permissions.includes(permission)) {
        throw new ApiError('forbidden', `The API token does not have the permission ${permission}.`, {
          headers: { 'www-authenticate': `${challenge}, error="insufficient_scope", scope="${permission}"` },
        });
      }
    },
  };
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? '')?.[1];
}

function unauthorized(message: string, wwwAuthenticate: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'www-authenticate': wwwAuthenticate } });
}
