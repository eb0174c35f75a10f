/** Handles GET, PATCH and DELETE of `/v1/testimonials/{id}`. */
import { limits, type Testimonial } from '../domain/testimonial.ts';
import { newPostings } from '../fair-use/new-postings.ts';
import { ApiError } from '../http/api-error.ts';
import { type ApiEvent, json, noContent } from '../http/api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, apiHandler } from '../http/api-handler.ts';
import { jsonBody } from '../http/json-body.ts';
import { type Operation, routeKey } from '../http/operation.ts';
import { validateBody } from '../http/validate.ts';
import { lineOfChange } from '../operations/change-line.ts';
import { type ChangeDependencies, changeTestimonial } from '../operations/change-testimonial.ts';
import { eraseTestimonial } from '../operations/erase-testimonial.ts';
import { findTestimonial } from '../operations/find-testimonial.ts';
import { type ChangeRequest, changeRequest } from './change-request.ts';
import {
  changedMeanwhileMessage,
  changeTestimonialOperation,
  eraseTestimonialOperation,
  getTestimonialOperation,
  idParameter,
  notFoundMessage,
} from './operation.ts';

export interface ModerationHandlerDependencies extends ApiDependencies {
  /** The store of one request, whose calls `signal` aborts. */
  stores: (signal: AbortSignal) => Pick<ChangeDependencies, 'testimonials'>;
}

/** Builds the handler of the three operations from its dependencies. */
export function createHandler(deps: ModerationHandlerDependencies): ApiLambdaHandler {
  const handlers = new Map([
    handlerOf(getTestimonialOperation, getHandler(deps)),
    handlerOf(changeTestimonialOperation, changeHandler(deps)),
    handlerOf(eraseTestimonialOperation, eraseHandler(deps)),
  ]);
  return (event, context) => {
    const handler = handlers.get(event.routeKey);
    if (!handler) throw new Error(`The function has no route ${event.routeKey}`);
    return handler(event, context);
  };
}

function handlerOf(operation: Operation, handler: ApiLambdaHandler) {
  return [routeKey(operation), handler] as const;
}

function getHandler(deps: ModerationHandlerDependencies): ApiLambdaHandler {
  return apiHandler<unknown>(getTestimonialOperation, deps, [], async (event, signal) => {
    const { testimonials } = deps.stores(signal);
    const found = await findTestimonial(testimonials, event.caller.organization, idOf(event));
    if (!found) throw notFound();
    return json(200, shown(found.testimonial));
  });
}

function changeHandler(deps: ModerationHandlerDependencies): ApiLambdaHandler {
  const { now, stores } = deps;
  const postingsOf = newPostings(now);
  return apiHandler<ChangeRequest>(
    changeTestimonialOperation,
    deps,
    [jsonBody(), validateBody(changeRequest, 'change')],
    async (event, signal) => {
      const { organization } = event.caller;
      const { ifUpdatedAt, ...change } = event.input;
      const { name: by } = event.caller;
      const options = { ...(ifUpdatedAt !== undefined && { ifUpdatedAt }), ...(by !== undefined && { by }) };
      const ours = { ...stores(signal), now };
      const outcome = await changeTestimonial(ours, organization, idOf(event), change, options);
      if (!('testimonial' in outcome)) throw outcome.kind === 'absent' ? notFound() : tooManyTags();
      const { testimonial } = outcome;
      if (outcome.kind === 'conflict') throw changedMeanwhile(testimonial);
      if (outcome.kind === 'done') {
        event.postings = postingsOf(organization, testimonial);
        event.logged = lineOf(event, outcome.before, testimonial);
      }
      return json(200, shown(testimonial));
    },
  );
}

function eraseHandler(deps: ModerationHandlerDependencies): ApiLambdaHandler {
  const { now, stores } = deps;
  const postingsOf = newPostings(now);
  return apiHandler<unknown>(eraseTestimonialOperation, deps, [], async (event, signal) => {
    const { organization } = event.caller;
    const outcome = await eraseTestimonial({ ...stores(signal), now }, organization, idOf(event));
    if (outcome.kind === 'absent') throw notFound();
    if (outcome.kind === 'done') {
      event.postings = postingsOf(organization, outcome.before);
      event.logged = lineOf(event, outcome.before);
    }
    return noContent();
  });
}

function idOf<Input>({ pathParameters }: ApiEvent<Input>): string {
  return pathParameters?.[idParameter] ?? '';
}

/** As a list shows it. */
function shown(testimonial: Testimonial): Testimonial {
  return { ...testimonial, tags: testimonial.tags ?? [] };
}

/** Who did what, in the log. */
function lineOf<Input>({ caller }: ApiEvent<Input>, before: Testimonial, after?: Testimonial): object {
  return { token: caller.name, ...lineOfChange(before, after) };
}

function notFound(): ApiError {
  return new ApiError('not_found', notFoundMessage);
}

function tooManyTags(): ApiError {
  const details = { addTags: `must leave the testimonial with at most ${limits.tags.max} tags` };
  return new ApiError('validation_error', 'The change is not valid.', { details });
}

function changedMeanwhile({ updatedAt, status }: Testimonial): ApiError {
  return new ApiError('conflict', changedMeanwhileMessage, { details: { updatedAt, status } });
}
