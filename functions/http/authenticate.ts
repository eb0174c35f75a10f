/** Who calls, and whether they may: bearer tokens (RFC 6750), in the header or, of those that everyone may read, in the address. */
import type { MiddlewareObj } from '@middy/core';
import type { FindToken } from '../domain/stores.ts';
import {
  hashSecret,
  idOfToken,
  isExpired,
  isPublic,
  isWellFormed,
  type Permission,
} from '../domain/token.ts';
import { ApiError } from './api-error.ts';
import type { ApiEvent, ApiResponse } from './api-event.ts';
import { type Access, type Operation, tokenParameter } from './operation.ts';
import { queryValues } from './validate.ts';

const challenge = 'Bearer realm="testimonials"';

/**
 * Sets `event.caller` and `event.access`. Refuses with 401 a token that is missing, malformed (without a read), unknown, expired
 * or revoked, and with 403 one that has none of the permissions that allow the operation, or one that does not allow what the
 * query asks for. A token in the address counts where the header has none; whether one that may not stand there is known is
 * not told. Where both are sent, a cache that goes by the address alone must not keep the answer.
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
      const inHeader = bearerToken(event.headers?.authorization);
      const token = inHeader ?? addressToken(event);
      if (token === undefined) {
        throw unauthorized('Send an API token in the header Authorization: Bearer <token>.', challenge);
      }
      const found = isWellFormed('tst', token) ? await findToken(hashSecret(token)) : undefined;
      const isValid =
        found &&
        !isExpired(found, now().getTime()) &&
        (inHeader !== undefined || found.permissions.every(isPublic));
      if (!isValid) {
        const message = inHeader === undefined ? notInAddress : 'The API token is not valid.';
        throw unauthorized(message, `${challenge}, error="invalid_token"`);
      }
      if (inHeader === undefined) event.addressToken = token;
      event.caller = { ...found, id: idOfToken(found) };
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
    after: ({ event, response }) => {
      const hasBoth = event.addressToken === undefined && addressTokens(event).length > 0;
      if (hasBoth && response) response.headers = { ...response.headers, 'cache-control': 'no-store' };
    },
  };
}

const notInAddress =
  'The API token is not valid in an address, where only one with testimonials:read-published may stand. ' +
  'This token has stood in an address: revoke it.';

/** @throws {ApiError} bad_request where there are several */
function addressToken<Input>(event: ApiEvent<Input>): string | undefined {
  const [token, ...others] = addressTokens(event);
  if (others.length > 0) {
    const details = { [tokenParameter]: 'must be given only once' };
    throw new ApiError('bad_request', 'The request has invalid parameters.', { details });
  }
  return token;
}

function addressTokens<Input>({ rawQueryString = '' }: ApiEvent<Input>): string[] {
  return queryValues(rawQueryString)[tokenParameter] ?? [];
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
