/** The contracts of the operations on `/v1/testimonials/{id}`. */
import { testimonial } from '../domain/testimonial.ts';
import { ApiError } from '../http/api-error.ts';
import {
  commonHeaders,
  commonResponses,
  errorContract,
  exampleTestimonial,
  largeResponseHeaders,
  type OperationContract,
  responseContract,
} from '../http/contract.ts';
import { shownTestimonial } from '../media/contract.ts';
import { documentedChange } from './change-request.ts';
import texts from './contract.json' with { type: 'json' };
import {
  changedMeanwhileMessage,
  changeTestimonialOperation,
  eraseTestimonialOperation,
  getTestimonialOperation,
  idParameter,
  notFoundMessage,
} from './handler.ts';

const { responses } = texts;

const common = {
  tag: 'Moderation',
  parameters: [{ ...texts.idParameter, name: idParameter, in: 'path', schema: testimonial.entries.id }],
} as const;

const theTestimonial = {
  headers: largeResponseHeaders,
  examples: { testimonial: exampleTestimonial },
};

const notFound = new ApiError('not_found', notFoundMessage);

const { updatedAt } = exampleTestimonial;
const changedMeanwhile = new ApiError('conflict', changedMeanwhileMessage, {
  details: { updatedAt, status: 'rejected' },
});

export const moderationContracts = [
  {
    ...texts.get,
    ...getTestimonialOperation,
    ...common,
    responses: {
      200: responseContract(shownTestimonial, { ...responses.found, ...theTestimonial }),
      ...commonResponses,
      404: errorContract(responses.notFound, notFound),
    },
  },
  {
    ...texts.change,
    ...changeTestimonialOperation,
    ...common,
    requestBody: {
      contentType: 'application/json',
      schema: documentedChange,
      examples: texts.changeExamples,
    },
    responses: {
      200: responseContract(shownTestimonial, { ...responses.changed, ...theTestimonial }),
      ...commonResponses,
      404: errorContract(responses.notFound, notFound),
      409: errorContract(responses.conflict, changedMeanwhile),
      422: errorContract(responses.invalid),
    },
  },
  {
    ...texts.erase,
    ...eraseTestimonialOperation,
    ...common,
    responses: {
      204: { ...responses.erased, headers: { ...commonHeaders, ...responses.erased.headers }, examples: {} },
      ...commonResponses,
      404: errorContract(responses.neverExisted, notFound),
    },
  },
] as const satisfies OperationContract[];
