/** Authentication with bearer tokens (RFC 6750), in the header or, for published tokens, in the URL. */
import type { FindToken } from '../accounts/token-store.ts';
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
import { parameterOf, queryValues, withoutBrackets } from './validate.ts';

const challenge = 'Bearer realm="testimonials"';
const invalidToken = `${challenge}, error="invalid_token"`;

const notInUrl =
  'Only tokens with testimonials:read-published may be sent in a URL. ' +
  'Revoke this token, because URLs are logged and shared.';

/**
 * Sets `event.caller` and `event.access`. Responds 401 to a token that is missing, malformed (without a
 * read), unknown, expired or revoked, and 403 if the token lacks the permission for the operation or for a
 * parameter of the query. The header wins over a token in the URL. Any other token in the URL than a
 * published one gets a 401, even with a valid header. That response does not reveal whether the token exists.
 * If a request has a token in both places, caches must not store the response, because a cache can use the
 * URL alone as its key.
 */
export function authenticate<Input>(options: {
  findToken: FindToken;
  now: () => Date;
  accesses: Operation['accesses'];
}): Middleware<Input> {
  const { findToken, now, accesses } = options;
  const [{ permission: needed }] = accesses;
  const validRecord = async (token: string) => {
    const record = isWellFormed('tst', token) ? await findToken(hashSecret(token)) : undefined;
    return record && !isExpired(record, now().getTime()) ? record : undefined;
  };
  /** Returns the published token in the URL, if there is one. */
  const publishedToken = async (event: ApiEvent<Input>) => {
    const sent = [];
    // In sequence, so that a request with many unknown tokens costs one read.
    for (const { name, token } of urlTokens(event)) {
      const record = await validRecord(token);
      if (!record?.permissions.every(isPublic)) throw unauthorized(notInUrl, invalidToken);
      sent.push({ name, token, record });
    }
    const [first, ...others] = sent;
    if (others.length > 0) throw wrongParameter('must be given only once');
    if (first && first.name !== tokenParameter) throw wrongParameter(withoutBrackets(tokenParameter));
    return first;
  };
  return {
    before: async ({ event }) => {
      const inUrl = await publishedToken(event);
      const inHeader = bearerToken(event.headers?.authorization);
      const record = inHeader === undefined ? inUrl?.record : await validRecord(inHeader);
      if (!record) {
        throw inHeader === undefined
          ? unauthorized('Send an API token in the header Authorization: Bearer <token>.', challenge)
          : unauthorized('The API token is not valid. It may be expired or revoked.', invalidToken);
      }
      if (inHeader === undefined && inUrl) event.urlToken = inUrl.token;
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

/** Returns the tokens in the URL, with the names that they were sent under: `token`, or `token[]`. */
function urlTokens<Input>({ rawQueryString = '' }: ApiEvent<Input>): { name: string; token: string }[] {
  return Object.entries(queryValues(rawQueryString))
    .filter(([name]) => parameterOf(name) === tokenParameter)
    .flatMap(([name, tokens]) => tokens.map((token) => ({ name, token })));
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? '')?.[1];
}

/** Returns the first parameter and value that an access does not allow: `status=pending`. */
function refusedOf({ refuses = {} }: Access, rawQueryString: string): string | undefined {
  const values = queryValues(rawQueryString);
  return Object.entries(refuses).flatMap(([name, refused]) =>
    refused.filter((value) => values[name]?.includes(value)).map((value) => `${name}=${value}`),
  )[0];
}

function wrongParameter(problem: string): ApiError {
  const details = { [tokenParameter]: problem };
  return new ApiError('bad_request', 'The request has invalid parameters.', { details });
}

function forbidden(message: string, scope: Permission): ApiError {
  const headers = { 'www-authenticate': `${challenge}, error="insufficient_scope", scope="${scope}"` };
  return new ApiError('forbidden', message, { headers });
}

function unauthorized(message: string, wwwAuthenticate: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'www-authenticate': wwwAuthenticate } });
}
