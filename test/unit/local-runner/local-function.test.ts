import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { LocalFunction } from '../../../lib/local-runner/local-function.ts';

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));

let fn: LocalFunction;
const start = (timeoutMs = 10_000, idleMs?: number) => {
  fn = new LocalFunction(
    {
      logicalId: 'Fixture',
      name: 'Fixture',
      codePath: fixtures,
      handler: 'function.handler',
      environment: { FROM_TEMPLATE: 'yes' },
      memoryMb: 128,
      timeoutMs,
    },
    { FROM_RUNNER: 'yes' },
    { idleMs },
  );
};
afterEach(() => fn.stop());

test('an invocation while another runs gets an environment of its own', async () => {
  start();
  const [first, second] = await Promise.all([fn.invoke({ wait: 50 }), fn.invoke({ wait: 50 })]);
  expect([first, second]).toMatchObject([{ calls: 1 }, { calls: 1 }]);
});

test('a function has the variables of the template and of the runner, none of this process, and returns JSON', async () => {
  start();
  process.env.OF_THIS_PROCESS = 'yes';
  const result = await fn.invoke({});
  expect(result).toMatchObject({
    environment: { FROM_TEMPLATE: 'yes', FROM_RUNNER: 'yes', AWS_LAMBDA_FUNCTION_NAME: 'Fixture' },
  });
  expect(result).not.toHaveProperty('environment.OF_THIS_PROCESS');
  expect(result).not.toHaveProperty('dropped');
});

test('an error of the handler fails the invocation, and the environment keeps its module state for the next one', async () => {
  start();
  await expect(fn.invoke({ fail: true })).rejects.toThrow('asked to fail');
  expect(await fn.invoke({})).toMatchObject({ calls: 2 });
});

test('a request and a response may have as many bytes as on Lambda', async () => {
  start();
  // {"padding":"…"} and "…"
  await fn.invoke({ padding: 'x'.repeat(6_291_456 - 14) });
  await expect(fn.invoke({ padding: 'x'.repeat(6_291_456 - 13) })).rejects.toThrow(
    'Request must be smaller than 6291456 bytes',
  );
  expect(await fn.invoke({ response: 6_291_556 - 2 })).toHaveLength(6_291_554);
  await expect(fn.invoke({ response: 6_291_556 - 1 })).rejects.toThrow(
    'Response payload size exceeded maximum allowed payload size (6291556 bytes).',
  );
});

test('an invocation that times out fails, and the next one gets a new environment', async () => {
  start(300);
  await expect(fn.invoke({ hang: true })).rejects.toThrow('Task timed out after 0.3 seconds');
  // A busy machine may exceed this time.
  let next: unknown;
  while (next === undefined) next = await fn.invoke({}).catch(() => undefined);
  expect(next).toMatchObject({ calls: 1 });
});

test('an invocation that arrives as an idle environment ends gets a new one', async () => {
  start(10_000, 0);
  for (let nth = 0; nth < 2; nth += 1) {
    const responses = await Promise.all([1, 2, 3, 4].map(() => fn.invoke({ wait: 5 })));
    expect(responses).toHaveLength(4);
    // After the timers that end the four environments.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const next = await Promise.all([1, 2, 3, 4, 5].map(() => fn.invoke({})));
    expect(next[0]).toMatchObject({ calls: 1 });
  }
});

test('crashes fail their invocations, and waiting ones get new environments', async () => {
  start();
  const events = [...Array(4).fill({ crash: true }), {}, {}];
  const results = await Promise.allSettled(events.map((event) => fn.invoke(event)));
  const crashed = { reason: { message: expect.stringContaining('Fixture: Error: asked to crash') } };
  const served = { value: { calls: 1 } };
  expect(results).toMatchObject([...Array(4).fill(crashed), served, { status: 'fulfilled' }]);
});
