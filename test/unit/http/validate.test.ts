import { expect, test } from '@jest/globals';
import { testimonialInput } from '../../../functions/domain/testimonial.ts';
import { validateBody } from '../../../functions/http/validate.ts';
import { apiEvent, call, refusalOf } from './api-call.ts';

test('a body with several bad fields is a 422 that names the first broken rule of each', async () => {
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
