/**
 * Sends malformed and hostile requests, generated from the seed HOSTILE_SEED: 200 of them, or as many times
 * more as RUNS says.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runsOf } from '../some-of.ts';
import { hostileForm } from './desk-forms.ts';
import { hostileDesk } from './hostile-desk.ts';
import { hostilePages, hostileService, pages } from './hostile-service.ts';
import { hostileRequest } from './requests.ts';
import { hostileVisit } from './visits.ts';

const count = runsOf(200);
const seed = Number(process.env.HOSTILE_SEED ?? 17);
const atOnce = 500;

/** Sends requests and expects no problems, which `send` returns. */
async function expectNoProblems<Sent>(
  requests: fc.Arbitrary<Sent>,
  send: (request: Sent) => Promise<string[]>,
  all = count,
): Promise<void> {
  const wrong: string[] = [];
  for (let done = 0; done < all; done += atOnce) {
    const numRuns = Math.min(atOnce, all - done);
    for (const request of fc.sample(requests, { numRuns, seed: seed + done })) {
      const problems = await send(request);
      // Cut off to stay readable. The seed reproduces the whole request.
      if (problems.length > 0)
        wrong.push(`${problems.join('; ')}: ${JSON.stringify(request)}`.slice(0, 1000));
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
}

test(`${count} hostile requests get valid responses, and no refused request stores anything`, async () => {
  const service = await hostileService();
  await expectNoProblems(hostileRequest(service.tokens, service.ids), async (request) => {
    return (await service.respond(request)).problems;
  });
});

test(`${count} hostile visitors get valid pages, nothing of others, and leave no text in the log`, async () => {
  const service = await hostilePages();
  await expectNoProblems(hostileVisit(pages.form, pages.wall, service.shownAt), service.visit);
});

// Their stores are a real table.
const forms = Math.ceil(count / 10);

test(`${forms} hostile forms at the desk end in no error of ours, in few calls`, async () => {
  const desk = await hostileDesk();
  await expectNoProblems(hostileForm(desk), desk.send, forms);
});
