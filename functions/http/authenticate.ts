/** Authentication with bearer tokens (RFC 6750), in the header or, for tokens that everyone may read, in the URL. */
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
import type { ApiEvent, Middleware } from './api-event.ts';
import { type Access, type Operation, tokenParameter } from './operation.ts';
import { queryValues } from './validate.ts';

const challenge = 'Bearer realm="testimonials"';

/**
 * Sets `event.caller` and `event.access`. Responds 401 to a token that is missing, malformed (without a read), unknown, expired or
 * revoked, and 403 if the token lacks the permission for the operation or for a parameter of the query. The header wins over a token
 * in the URL. The response to a secret token in a URL does not reveal whether the token exists. If a request has a token in both, no
 * cache may store the response, because a cache can key on the URL alone.
 */
export function authenticate<Input>(options: {
  findToken: FindToken;
  now: () => Date;
  accesses: Operation['accesses'];
}): Middleware<Input> {
  const { findToken, now, accesses } = options;
  const [{ permission: needed }] = accesses;
  return {
    before: async ({ event }) => {
      const inHeader = bearerToken(event.headers?.authorization);
      const token = inHeader ?? urlToken(event);
      if (token === undefined) {
        throw unauthorized('Send an API token in the header Authorization: Bearer <token>.', challenge);
      }
      const record = isWellFormed('tst', token) ? await findToken(hashSecret(token)) : undefined;
      const isValid =
        record &&
        !isExpired(record, now().getTime()) &&
        (inHeader !== undefined || record.permissions.every(isPublic));
      if (!isValid) {
        const message =
          inHeader === undefined ? notInUrl : 'The API token is not valid. It may be expired or revoked.';
        throw unauthorized(message, `${challenge}, error="invalid_token"`);
      }
      if (inHeader === undefined) event.urlToken = token;
      event.caller = { ...record, id: idOfToken(record) };
      const access = accesses.find(({ permission }) => record.permissions.includes(permission));
      if (!access) {
        throw forbidden(`The API token does not have the permission ${needed}.`, needed);
      }
      const refused = refusedOf(access, event.rawQueryString ?? '');
      if (refused !== undefined) {
        throw forbidden(`An API token with ${access.permission} cannot request ${refused}.`, needed);
      }
      event.access = access;
    },
    after: ({ event, response }) => {
      const hasBoth = event.urlToken === undefined && urlTokens(event).length > 0;
      if (hasBoth && response) response.headers = { ...response.headers, 'cache-control': 'no-store' };
    },
  };
}

const notInUrl =
  'The API token is not valid in a URL. Only tokens with testimonials:read-published are. ' +
  'Revoke this token, because URLs are logged and shared.';

/** @throws {ApiError} bad_request if there are several */
function urlToken<Input>(event: ApiEvent<Input>): string | undefined {
  const [token, ...others] = urlTokens(event);
  if (others.length > 0) {
    const details = { [tokenParameter]: 'must be given only once' };
    throw new ApiError('bad_request', 'The request has invalid parameters.', { details });
  }
  return token;
}

function urlTokens<Input>({ rawQueryString = '' }: ApiEvent<Input>): string[] {
  return queryValues(rawQueryString)[tokenParameter] ?? [];
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? '')?.[1];
}

/** Returns the first parameter with a value that an access does not allow: `status=pending`. */
function refusedOf({ refuses = {} }: Access, rawQueryString: string): string | undefined {
  const values = queryValues(rawQueryString);
  return Object.entries(refuses).flatMap(([name, refused]) =>
    refused.filter((value) => values[name]?.includes(value)).map((value) => `${name}=${value}`),
  )[0];
}

function forbidden(message: string, scope: Permission): ApiError {
  const headers = { 'www-authenticate': `${challenge}, error="insufficient_scope", scope="${scope}"` };
  return new ApiError('forbidden', message, { headers });
}

function unauthorized(message: string, wwwAuthenticate: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'www-authenticate': wwwAuthenticate } });
}
