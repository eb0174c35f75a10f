import { expect, jest, test } from '@jest/globals';
import * as v from 'valibot';
import type { ApiEvent } from '../../../functions/http/api-event.ts';
import { validateBody } from '../../../functions/http/validate.ts';

test('a rule is not asked about a text that broke an earlier one', async () => {
  const costly = jest.fn(() => true);
  const schema = v.object({ text: v.pipe(v.string(), v.maxLength(3, 'is too long'), v.check(costly)) });
  const { before } = validateBody<{ text: string }>(schema);
  const given = (text: string) => ({ body: { text } }) as unknown as ApiEvent<{ text: string }>;
  const request = (text: string) => ({ event: given(text) }) as Parameters<NonNullable<typeof before>>[0];
  const refused = async () => before?.(request('long'));
  await expect(refused()).rejects.toMatchObject({ details: { text: 'is too long' } });
  expect(costly).not.toHaveBeenCalled();
  await before?.(request('ok'));
  expect(costly).toHaveBeenCalledTimes(1);
});
