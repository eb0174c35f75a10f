/** The contracts of the operations on `/v1/testimonials/{id}`. */
import { testimonial } from '../domain/testimonial.ts';
import {
  commonHeaders,
  commonResponses,
  errorContract,
  errorExample,
  exampleTestimonial,
  largeAnswerHeaders,
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
  headers: { ...commonHeaders, ...largeAnswerHeaders },
  examples: { testimonial: exampleTestimonial },
});

const notFound = errorContract(
  'The organization has no testimonial with this id: it never had one, or it was erased.',
  errorExample('not_found', notFoundMessage),
);

const getTestimonialContract = {
  operationId: 'getTestimonial',
  ...getTestimonialOperation,
  ...common,
  summary: 'Read a testimonial',
  description: 'Reads one testimonial of the organization of the token.',
  responses: {
    200: theTestimonial('The testimonial.'),
    ...commonResponses,
    404: notFound,
  },
} as const satisfies OperationContract;

const changeTestimonialContract = {
  operationId: 'changeTestimonial',
  ...changeTestimonialOperation,
  ...common,
  summary: 'Approve, reject or tag a testimonial',
  description:
    'Changes the status and the tags of one testimonial. Any status may follow any other, and tags are compared ignoring case. ' +
    'Other fields cannot be changed. Lists that begin after the response show the change.\n\n' +
    'The request can be repeated safely: a change that is already made leaves the testimonial and its `updatedAt` as they are. ' +
    'With `ifUpdatedAt`, moderators cannot overwrite each other’s changes.',
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
      'The testimonial has changed since `ifUpdatedAt`; nothing was written. `details` has its current `updatedAt` and `status`.',
      errorExample('conflict', changedMeanwhileMessage, {
        updatedAt: '2026-01-16T08:00:00.000Z',
        status: 'rejected',
      }),
    ),
    422: errorContract(
      'The change breaks a rule or contains a field that cannot be changed.',
      errorExample('validation_error', 'The change is not valid.', {
        status: 'must be one of pending, approved, rejected',
        content: 'cannot be changed',
      }),
    ),
  },
} as const satisfies OperationContract;

const eraseTestimonialContract = {
  operationId: 'eraseTestimonial',
  ...eraseTestimonialOperation,
  ...common,
  summary: 'Erase a testimonial',
  description:
    'Erases one testimonial permanently. No list that begins after the response has it, its text, author and tags are deleted ' +
    'everywhere within a minute, and its id is never used again. The request can be repeated safely.',
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
} as const satisfies OperationContract;

export const moderationContracts = [
  getTestimonialContract,
  changeTestimonialContract,
  eraseTestimonialContract,
] as const;
