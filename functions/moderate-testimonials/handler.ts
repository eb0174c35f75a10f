/** GET, PATCH and DELETE of `/v1/testimonials/{id}`. A deployment has them only with `moderation=true`. */

import { limits, type Testimonial } from '../domain/testimonial.ts';
import { newPostings } from '../fair-use/new-postings.ts';
import { ApiError } from '../http/api-error.ts';
import { type ApiEvent, json, noContent } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler } from '../http/api-handler.ts';
import { jsonBody } from '../http/json-body.ts';
import { ownOperation, routeKey } from '../http/operation.ts';
import { validateBody } from '../http/validate.ts';
import {
  type ChangeDependencies,
  changeTestimonial,
  lineOfChange,
} from '../operations/change-testimonial.ts';
import { eraseTestimonial } from '../operations/erase-testimonial.ts';
import { findTestimonial } from '../operations/find-testimonial.ts';
import { type ChangeRequest, changeRequest } from './change-request.ts';

export const idParameter = 'id';

const path = `/v1/testimonials/{${idParameter}}` as const;

// The contract uses these messages in its examples.
export const notFoundMessage = 'There is no testimonial with this id.';
export const changedMeanwhileMessage =
  'The testimonial has changed since ifUpdatedAt. Read it again and decide whether the change still applies.';

export const getTestimonialOperation = ownOperation('GET', path, 'testimonials:read');
export const changeTestimonialOperation = ownOperation('PATCH', path, 'testimonials:moderate');
export const eraseTestimonialOperation = ownOperation('DELETE', path, 'testimonials:erase');

/** Builds the handler of the three operations. `stores` returns the store of one request, whose calls `signal` aborts. */
export function createHandler(
  deps: ApiDependencies & { stores: (signal: AbortSignal) => Pick<ChangeDependencies, 'testimonials'> },
): ApiLambdaHandler {
  const { now, stores } = deps;
  const postingsOf = newPostings(now);
  /** Returns the dependencies, organization and id for an operation on the testimonial of a request. */
  const argumentsOf = <Input>({ caller, pathParameters, payFor }: ApiEvent<Input>, signal: AbortSignal) => {
    const { organization } = caller;
    const beforeWrite: ChangeDependencies['beforeWrite'] = (testimonial, write) =>
      payFor(postingsOf(organization, testimonial, write));
    const id = pathParameters?.[idParameter] ?? '';
    return [{ ...stores(signal), now, beforeWrite }, organization, id] as const;
  };
  const logChange = <Input>(event: ApiEvent<Input>, before: Testimonial, after?: Testimonial) => {
    const { id: tokenId, name: token } = event.caller;
    event.logged = { token, tokenId, ...lineOfChange(before, after) };
  };
  const get = apiHandler<unknown>(getTestimonialOperation, deps, [], async (event, signal) => {
    const [{ testimonials }, organization, id] = argumentsOf(event, signal);
    const stored = await findTestimonial(testimonials, organization, id);
    if (!stored) throw notFound();
    return json(200, shown(stored.testimonial));
  });
  const readChange = [jsonBody<ChangeRequest>(), validateBody(changeRequest, 'change')];
  const change = apiHandler(changeTestimonialOperation, deps, readChange, async (event, signal) => {
    const { ifUpdatedAt, ...change } = event.input;
    const options = { by: event.caller, ifUpdatedAt };
    const outcome = await changeTestimonial(...argumentsOf(event, signal), change, options);
    if (!('testimonial' in outcome)) {
      if (outcome.kind === 'absent') throw notFound();
      const details = { addTags: `must leave the testimonial with at most ${limits.tags.max} tags` };
      throw new ApiError('validation_error', 'The change is not valid.', { details });
    }
    const { testimonial } = outcome;
    if (outcome.kind === 'conflict') {
      const { updatedAt, status } = testimonial;
      throw new ApiError('conflict', changedMeanwhileMessage, { details: { updatedAt, status } });
    }
    if (outcome.kind === 'done') logChange(event, outcome.before, testimonial);
    return json(200, shown(testimonial));
  });
  const erase = apiHandler<unknown>(eraseTestimonialOperation, deps, [], async (event, signal) => {
    const outcome = await eraseTestimonial(...argumentsOf(event, signal));
    if (outcome.kind === 'absent') throw notFound();
    const response = noContent();
    if (outcome.kind !== 'done') return response;
    if (outcome.before) {
      logChange(event, outcome.before);
      return response;
    }
    const id = event.pathParameters?.[idParameter];
    event.logged = { token: event.caller.name, id, before: 'unreadable', after: 'erased' };
    return { ...response, headers: { ...response.headers, 'words-may-remain': 'true' } };
  });
  const handlers: Record<string, ApiLambdaHandler> = {
    [routeKey(getTestimonialOperation)]: get,
    [routeKey(changeTestimonialOperation)]: change,
    [routeKey(eraseTestimonialOperation)]: erase,
  };
  return (event, context) => {
    const handler = handlers[event.routeKey];
    if (!handler) throw new Error(`The function has no route ${event.routeKey}`);
    return handler(event, context);
  };
}

/** Returns a testimonial as lists show it. */
function shown(testimonial: Testimonial): Testimonial {
  return { ...testimonial, tags: testimonial.tags ?? [] };
}

function notFound(): ApiError {
  return new ApiError('not_found', notFoundMessage);
}
