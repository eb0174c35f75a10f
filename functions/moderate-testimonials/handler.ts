/**
 * GET, PATCH and DELETE of `/v1/testimonials/{id}`. Only deployments with `moderation=true` have these
 * operations.
 */

import { limits, type Testimonial } from '../domain/testimonial.ts';
import { ApiError } from '../http/api-error.ts';
import { type ApiEvent, json, noContent } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler, byRoute } from '../http/api-handler.ts';
import { jsonBody } from '../http/json-body.ts';
import { lineOfChange, lineOfUnreadable } from '../http/line-of-change.ts';
import { secretTokenOperation } from '../http/operation.ts';
import { validateBody } from '../http/validate.ts';
import { type ShownMedia, withMediaView } from '../media/media-view.ts';
import type { OpenChanges } from '../testimonials/changes.ts';
import type { OpenFinds } from '../testimonials/finds.ts';
import { type ChangeRequest, changeRequest } from './change-request.ts';

export const idParameter = 'id';

const path = `/v1/testimonials/{${idParameter}}` as const;

// The contract uses these messages in its examples.
export const notFoundMessage = 'There is no testimonial with this id.';
export const changedMeanwhileMessage =
  'The testimonial has changed since ifUpdatedAt. Read it again and decide whether the change still applies.';

export const getTestimonialOperation = secretTokenOperation('GET', path, 'testimonials:read');
export const changeTestimonialOperation = secretTokenOperation('PATCH', path, 'testimonials:moderate');
export const eraseTestimonialOperation = secretTokenOperation('DELETE', path, 'testimonials:erase');

/** Builds the handler of the three operations. */
export function createHandler(
  deps: ApiDependencies & { finds: OpenFinds; changes: OpenChanges },
): ApiLambdaHandler {
  const idOf = ({ pathParameters }: Pick<ApiEvent<unknown>, 'pathParameters'>) =>
    pathParameters?.[idParameter] ?? '';
  const changesOf = <Input>({ caller, payFor }: ApiEvent<Input>, signal: AbortSignal) =>
    deps.changes(caller.organization, { signal, payFor });
  const logChange = <Input>(event: ApiEvent<Input>, before: Testimonial, after?: Testimonial) => {
    const { id: tokenId, name: token } = event.caller;
    event.logged = { token, tokenId, ...lineOfChange(before, after) };
  };
  const get = apiHandler<unknown>(getTestimonialOperation, deps, [], async (event, signal) => {
    const found = await deps.finds(event.caller.organization, { signal }).find(idOf(event));
    if (!found) throw notFound();
    return json(200, shown(event.caller.organization, found.testimonial));
  });
  const readChange = [jsonBody<ChangeRequest>(), validateBody(changeRequest, 'change')];
  const change = apiHandler(changeTestimonialOperation, deps, readChange, async (event, signal) => {
    const { ifUpdatedAt, ...to } = event.input;
    const options = { by: event.caller, ifUpdatedAt };
    const outcome = await changesOf(event, signal).change(idOf(event), to, options);
    if (outcome.kind === 'absent') throw notFound();
    if (outcome.kind === 'tooManyTags') {
      const details = { addTags: `must leave the testimonial with at most ${limits.tags.max} tags` };
      throw new ApiError('validation_error', 'The change is not valid.', { details });
    }
    const { testimonial } = outcome;
    if (outcome.kind === 'conflict') {
      const { updatedAt, status } = testimonial;
      throw new ApiError('conflict', changedMeanwhileMessage, { details: { updatedAt, status } });
    }
    if (outcome.kind === 'done') logChange(event, outcome.before, testimonial);
    return json(200, shown(event.caller.organization, testimonial));
  });
  const erase = apiHandler<unknown>(eraseTestimonialOperation, deps, [], async (event, signal) => {
    const outcome = await changesOf(event, signal).erase(idOf(event));
    if (outcome.kind === 'absent') throw notFound();
    const response = noContent();
    if (outcome.kind !== 'done') return response;
    if (outcome.before !== 'unreadable') {
      logChange(event, outcome.before);
      return response;
    }
    const { id: tokenId, name: token } = event.caller;
    event.logged = { token, tokenId, ...lineOfUnreadable(idOf(event)) };
    return { ...response, headers: { ...response.headers, 'words-may-remain': 'true' } };
  });
  return byRoute(
    [getTestimonialOperation, get],
    [changeTestimonialOperation, change],
    [eraseTestimonialOperation, erase],
  );
}

/** Returns a testimonial in the form of lists. */
function shown(
  organization: string,
  testimonial: Testimonial,
): Omit<Testimonial, 'media'> & { media?: ShownMedia } {
  return { ...withMediaView(organization, testimonial), tags: testimonial.tags ?? [] };
}

function notFound(): ApiError {
  return new ApiError('not_found', notFoundMessage);
}
