/**
 * Sends malformed and hostile requests, generated from the seed HOSTILE_SEED: 200 of them, or as many times
 * more as RUNS says. With HOSTILE=<number> it sends that many and prints the number of each response.
 */
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runsOf } from '../some-of.ts';
import { type DeskForm, hostileForm } from './desk-forms.ts';
import { hostileDesk } from './hostile-desk.ts';
import { hostilePages, hostileService, pages } from './hostile-service.ts';
import { hostileRequest } from './requests.ts';
import { hostileVisit } from './visits.ts';

const count = Number(process.env.HOSTILE ?? runsOf(200));
const seed = Number(process.env.HOSTILE_SEED ?? 17);
const atOnce = 500;

const answered = new Map<string, number>();
const began = process.cpuUsage();

afterAll(() => {
  if (process.env.HOSTILE === undefined) return;
  const lines = [...answered].toSorted().map(([what, times]) => `${what}: ${times}`);
  const { user, system } = process.cpuUsage(began);
  const cost = `${((user + system) / 1e6).toFixed()} s of processor time`;
  process.stdout.write(`\n${count} requests, seed ${seed}, ${cost}\n${lines.join('\n')}\n`);
});

/** Sends requests and expects no problems. `send` returns them, with the response in a few words. */
async function expectNoProblems<Sent>(
  requests: fc.Arbitrary<Sent>,
  send: (request: Sent) => Promise<{ what: string; problems: string[] }>,
  all = count,
): Promise<void> {
  const wrong: string[] = [];
  for (let done = 0; done < all; done += atOnce) {
    const numRuns = Math.min(atOnce, all - done);
    for (const request of fc.sample(requests, { numRuns, seed: seed + done })) {
      const { what, problems } = await send(request);
      answered.set(what, 1 + (answered.get(what) ?? 0));
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
    const { answer, problems } = await service.answer(request);
    return {
      what: `${request.routeKey} ${answer?.status} ${answer?.body?.error?.code ?? ''}`.trim(),
      problems,
    };
  });
});

test(`${count} hostile visitors get valid pages, nothing of others, and leave no text in the log`, async () => {
  const service = await hostilePages();
  await expectNoProblems(hostileVisit(pages.form, pages.wall, service.shownAt), async (visit) => {
    const { status, problems } = await service.visit(visit);
    return { what: `${visit.method} of a page ${status}`, problems };
  });
});

// Their stores are a real table.
const forms = Math.ceil(count / 10);

test(`${forms} hostile forms at the desk end in no error of ours, in few calls`, async () => {
  const desk = await hostileDesk();
  const send = async (form: DeskForm) => {
    const { status, problems } = await desk.send(form);
    return { what: `${form.method} ${form.path.replace(/\w{20,}/g, '…')} ${status}`, problems };
  };
  await expectNoProblems(hostileForm(desk), send, forms);
});
