/** The contracts of the operations on `/v1/testimonials/{id}`. */
import { testimonial } from '../domain/testimonial.ts';
import {
  commonHeaders,
  commonResponses,
  errorAnswer,
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

const notFound = errorAnswer(
  'The organization has no testimonial with this id: it never had one, or it was erased.',
  errorExample('not_found', notFoundMessage),
);

const getTestimonialContract = {
  operationId: 'getTestimonial',
  ...getTestimonialOperation,
  ...common,
  summary: 'Read a testimonial',
  description: 'Reads one testimonial of the organization that the token belongs to.',
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
    'Changes the status and the tags of one testimonial: any status may follow any other, and tags are compared without regard ' +
    'to case. Nothing else of a testimonial can be changed. A list that begins after the answer shows the change. The request can ' +
    'be repeated safely: what is so already stays, with its `updatedAt`. With `ifUpdatedAt` two who moderate never undo each other.',
  requestBody: {
    contentType: 'application/json',
    schema: changeRequest,
    example: { status: 'approved', addTags: ['support'], ifUpdatedAt: '2026-01-15T10:30:00.000Z' },
  },
  responses: {
    200: theTestimonial('The testimonial as it is now, changed by this request or so already.'),
    ...commonResponses,
    404: notFound,
    409: errorAnswer(
      'The testimonial was changed since its `ifUpdatedAt`, and stays as it is; `details` has its `updatedAt` and its `status`.',
      errorExample('conflict', changedMeanwhileMessage, {
        updatedAt: '2026-01-16T08:00:00.000Z',
        status: 'rejected',
      }),
    ),
    422: errorAnswer(
      'The change breaks a rule, or asks for what cannot be changed.',
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
    'Erases one testimonial for ever: it is in no list that begins after the answer, within a minute its text, author and tags ' +
    'stand nowhere, and its id is never given again. The request can be repeated safely.',
  responses: {
    204: {
      description: 'The testimonial is erased, by this request or already.',
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

/** All three. */
export const moderationContracts = [
  getTestimonialContract,
  changeTestimonialContract,
  eraseTestimonialContract,
] as const;
