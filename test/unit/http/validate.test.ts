import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { testimonialInput } from '../../../functions/domain/testimonial.ts';
import { validateBody, validateQuery } from '../../../functions/http/validate.ts';
import { listQuery } from '../../../functions/list-testimonials/parameters.ts';
import { apiEvent, call, refusalOf } from './api-call.ts';

test('any query string either parses or is refused with 400', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (rawQueryString) => {
      const refusal = await refusalOf(call([validateQuery(listQuery)], apiEvent({ rawQueryString })));
      expect([undefined, 400]).toContain(refusal?.status);
    }),
  );
});

test('every failing field of a body is reported at once, as 422', async () => {
  const author = { name: '', company: '' };
  const body = { content: 'short', author, rating: 6, type: 'x', tags: ['a,b', ''] };
  const error = await refusalOf(call([validateBody(testimonialInput)], apiEvent({ body })));
  expect([error?.status, error?.code]).toEqual([422, 'validation_error']);
  expect(error?.details).toEqual({
    content: 'must have 10 to 10,000 characters',
    'author.name': 'must have 1 to 200 characters',
    'author.email': 'is required',
    'author.company': 'must have 1 to 200 characters',
    rating: 'must be an integer from 1 to 5',
    type: 'must be one of text, video, audio',
    'tags.0': 'must not contain a comma, because commas separate tags',
    'tags.1': 'must have 1 to 50 characters',
  });
});
