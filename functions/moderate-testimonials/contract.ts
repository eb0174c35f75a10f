/** The contracts of the operations on `/v1/testimonials/{id}`. */
import { testimonial } from '../domain/testimonial.ts';
import {
  commonHeaders,
  commonResponses,
  errorContract,
  errorExample,
  exampleTestimonial,
  largeResponseHeaders,
  type OperationContract,
} from '../http/contract.ts';
import { changeRequest } from './change-request.ts';
import {
  changedMeanwhileMessage,
  changeTestimonialOperation,
  eraseTestimonialOperation,
  getTestimonialOperation,
  idParameter,
  notFoundMessage,
} from './handler.ts';

const common = {
  tag: 'Moderation',
  parameters: [
    {
      name: idParameter,
      in: 'path',
      description: 'The testimonial’s id.',
      schema: testimonial.entries.id,
      example: exampleTestimonial.id,
    },
  ],
} as const;

const theTestimonial = (description: string) => ({
  description,
  schema: testimonial,
  headers: { ...commonHeaders, ...largeResponseHeaders },
  examples: { testimonial: exampleTestimonial },
});

const notFound = errorContract(
  'The organization has no testimonial with this id, or the testimonial was erased.',
  errorExample('not_found', notFoundMessage),
);

export const moderationContracts = [
  {
    operationId: 'getTestimonial',
    ...getTestimonialOperation,
    ...common,
    summary: 'Read a testimonial',
    description: "Returns one testimonial of the token's organization.",
    responses: {
      200: theTestimonial('The testimonial.'),
      ...commonResponses,
      404: notFound,
    },
  },
  {
    operationId: 'changeTestimonial',
    ...changeTestimonialOperation,
    ...common,
    summary: 'Approve, reject or tag a testimonial',
    description:
      'Changes the status and the tags of one testimonial. Any status may follow any other, tags ignore case, and no other field can ' +
      'change. A list that begins after the response shows the change. You can repeat the request safely: a change that is already ' +
      'made keeps its `updatedAt`. Send `ifUpdatedAt` so that two moderators never undo each other.',
    requestBody: {
      contentType: 'application/json',
      schema: changeRequest,
      example: { status: 'approved', addTags: ['support'], ifUpdatedAt: '2026-01-15T10:30:00.000Z' },
    },
    responses: {
      200: theTestimonial('The testimonial after the change.'),
      ...commonResponses,
      404: notFound,
      409: errorContract(
        'The testimonial has changed since `ifUpdatedAt`, so this request changed nothing. `details` has its `updatedAt` and `status`.',
        errorExample('conflict', changedMeanwhileMessage, {
          updatedAt: '2026-01-16T08:00:00.000Z',
          status: 'rejected',
        }),
      ),
      422: errorContract(
        'The change is not valid, or names a field that cannot be changed.',
        errorExample('validation_error', 'The change is not valid.', {
          status: 'must be one of pending, approved, rejected',
          content: 'cannot be changed',
        }),
      ),
    },
  },
  {
    operationId: 'eraseTestimonial',
    ...eraseTestimonialOperation,
    ...common,
    summary: 'Erase a testimonial',
    description:
      'Erases one testimonial for good. No list that begins after the response has it. Within a minute its text, author and tags ' +
      'are gone from the whole table. Its id is never used again. You can repeat the request safely.',
    responses: {
      204: {
        description: 'The testimonial is erased, by this request or an earlier one.',
        headers: commonHeaders,
        examples: {},
      },
      ...commonResponses,
      404: {
        ...notFound,
        description: 'The organization has never had a testimonial with this id.',
      },
    },
  },
] as const satisfies OperationContract[];
