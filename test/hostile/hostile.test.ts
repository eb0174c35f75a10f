/**
 * Sends malformed and hostile requests, generated from the seed HOSTILE_SEED: 1,000 of them, or 5,000 in CI. With HOSTILE=<number> it
 * sends that many and prints the number of each response.
 */
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hostileService } from './hostile-service.ts';
import { hostileRequest } from './requests.ts';

const count = Number(process.env.HOSTILE ?? (process.env.CI === 'true' ? 5000 : 1000));
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

test(`${count} hostile requests get valid responses, and no refused request stores anything`, async () => {
  const service = await hostileService();
  const requests = hostileRequest(service.tokens, service.ids);
  const wrong: string[] = [];
  for (let done = 0; done < count; done += atOnce) {
    for (const request of fc.sample(requests, {
      numRuns: Math.min(atOnce, count - done),
      seed: seed + done,
    })) {
      const { answer, problems } = await service.answer(request);
      const what = `${request.routeKey} ${answer?.status} ${answer?.body?.error?.code ?? ''}`.trim();
      answered.set(what, 1 + (answered.get(what) ?? 0));
      // Cut off to stay readable. The seed reproduces the whole request.
      if (problems.length > 0)
        wrong.push(`${problems.join('; ')}: ${JSON.stringify(request)}`.slice(0, 1000));
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
});
