/** Many clients at once, and many testimonials. */
import pMap from 'p-map';
import type { ListBody } from '../../../functions/list-testimonials/contract.ts';
import { generateTestimonials } from '../../operator/sample-data/generate-testimonials.ts';
import { counted } from '../../operator/terminal/formatting.ts';
import { type Answer, answerText } from '../deployed-api.ts';
import type { Check, Deployment } from '../deployment.ts';
import { expectSame, faultText, NotHeld } from '../not-held.ts';
import { expectCreated } from './creating.ts';
import { expectPage } from './lists.ts';
import { sampleBody } from './sample-bodies.ts';

const clientsAtOnce = 50;

// Few: new accounts run fewer functions at once than others, which the row of the fifty shows
// (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
const createsAtOnce = 8;

// Testimonials, most of which are not in the index by the time when lists are tried.
const pagesOf = 100;

// A lost answer is asked for again: what lists have to say has to be known.
const mostTries = 3;

// More of them would say the same, of a service that fails for long.
const mostFaults = 20;

export const clients: Check[] = [
  {
    name: `${clientsAtOnce} clients at once: each finds what it created in its very next list`,
    async play(deployment) {
      const { api } = deployment;
      const numbers = Array.from({ length: clientsAtOnce }, (_, i) => i + 1);
      const missed = await Promise.all(
        numbers.map(async (number) => {
          const body = sampleBody({ content: `Client ${number} of ${clientsAtOnce}, all at once.` });
          const { id } = expectCreated(deployment, await api.create(body));
          const answer = await api.list('limit=100');
          if (answer.status !== 200) throw new NotHeld(answerText(answer));
          const { testimonials } = answer.body as ListBody; // every answer is held against the document
          return testimonials.some((each) => each.id === id) ? [] : [number];
        }),
      );
      expectSame('clients that did not find it', missed.flat(), []);
      return undefined;
    },
  },
  {
    name: 'the total afterwards is exact',
    async play(deployment) {
      await expectPage(deployment, 'limit=100');
      return undefined;
    },
  },
  {
    name: 'another organization sees nothing of it',
    async play({ api, tokens }) {
      const { body } = await api.list('', { token: tokens.other });
      expectSame('its total', (body as ListBody | undefined)?.pagination?.total, 0); // of a list, or it differs
      return undefined;
    },
  },
  creatingMore(`creates, ${createsAtOnce} at a time, until lists have pages`, () => pagesOf),
];

/** Creates until there are so many testimonials that lists are long. */
export const many: Check = creatingMore(
  `creates, ${createsAtOnce} at a time, until lists are long`,
  ({ size }) => size,
);

function creatingMore(name: string, upTo: (deployment: Deployment) => number): Check {
  return {
    name,
    async play(deployment) {
      const { known, progress } = deployment;
      const before = known.size;
      const count = Math.max(0, upTo(deployment) - before);
      const faults: string[] = [];
      await pMap(
        generateTestimonials(count, { seed: before, firstOrdinal: before + 1 }),
        async ({ ordinal, testimonial: { content, author, rating, type, tags } }) => {
          const body = { content, author, ...(rating !== undefined && { rating }), type, tags };
          await createdAtLast(deployment, body, `more-${ordinal}`, faults);
          progress.to({ work: 'Creating', unit: 'testimonial' }, known.size - before, count);
        },
        { concurrency: createsAtOnce },
      );
      if (faults.length > 0) throw new NotHeld(`${faults.length} answers as this: ${faults[0]}`);
      return counted(known.size, 'testimonial');
    },
  };
}

/** Creates one, and tells what was answered instead of 201. */
async function createdAtLast(
  deployment: Deployment,
  body: unknown,
  key: string,
  faults: string[],
): Promise<void> {
  for (let tries = 1; tries <= mostTries && faults.length < mostFaults; tries += 1) {
    const answer = await deployment.api
      .create(body, { 'idempotency-key': key })
      .catch((error: unknown): Answer | undefined => {
        deployment.signal.throwIfAborted();
        faults.push(faultText(error));
        return undefined;
      });
    if (answer?.status === 201) {
      expectCreated(deployment, answer);
      return;
    }
    if (answer) faults.push(answerText(answer));
  }
}
