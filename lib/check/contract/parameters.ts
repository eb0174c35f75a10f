/** The parameters of a list: what is refused, and what means nothing. */
import type { Check } from '../deployment.ts';
import { expectPage } from './lists.ts';
import { refusing } from './refusals.ts';

const badRequest = { status: 400, code: 'bad_request' } as const;

const encoded = encodeURIComponent;

/** Values that each parameter refuses. */
const badValues: Record<string, string[]> = {
  page: ['0', '-1', '1.5', 'x', '2147483648'],
  limit: ['0', '101', 'x'],
  status: ['unknown'],
  type: ['image'],
  rating: ['0', '6', '4.5'],
  sort: ['name'],
  order: ['up'],
  search: ['x'.repeat(201), encoded('!?'), Array.from({ length: 21 }, (_, i) => `w${i}`).join('+')],
  tags: [Array.from({ length: 21 }, (_, i) => `tag${i}`).join(',')],
};

export const parameters: Check[] = [
  ...refusing([
    ...Object.entries(badValues).map(([name, values]) => ({
      name: `a bad ${name}: 400, which names it`,
      requests: () => values.map((value) => ({ query: `${name}=${value}` })),
      ...{ ...badRequest, details: [name] },
    })),
    {
      name: 'a parameter given twice: 400, but for tags',
      requests: () => [{ query: 'status=pending&status=approved' }],
      ...{ ...badRequest, details: ['status'] },
    },
    {
      name: 'all bad parameters are named at once',
      requests: () => [{ query: 'page=0&limit=0&status=x&rating=x' }],
      ...{ ...badRequest, details: ['limit', 'page', 'rating', 'status'] },
    },
  ]),
  {
    name: 'an empty parameter is none, and an unknown one is ignored',
    async play(deployment) {
      await expectPage(deployment, 'page=&status=&search=&tags=,&color=red');
      return undefined;
    },
  },
];
