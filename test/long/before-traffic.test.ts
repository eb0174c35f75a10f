/** The check before a rollout, on handlers of this process as the new versions. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ApiResponse } from '../../functions/http/api-event.ts';
import { createHook, type HookEvent, type Versions } from '../../lib/check/before-traffic.ts';
import { tableStores } from '../../lib/operator/table-stores.ts';
import { contextOf, handlersOf } from '../api-client.ts';
import { deskOf } from '../desk-client.ts';
import { actAs } from '../iam/acting.ts';
import { pagesHandlerOf } from '../page-visitor.ts';
import { textOf } from '../stored-items.ts';
import { createTestTable } from '../test-table.ts';

/** Answers in place of a version, which `respond` asks. */
type Breakage = (name: string, respond: () => Promise<ApiResponse>) => Promise<ApiResponse>;

type FunctionName = keyof Versions;

interface Deployment {
  /** The functions that the deployment updates; one unknown to the check by default. */
  updates?: readonly string[];
  /** Functions that the stage does not have. */
  without?: readonly FunctionName[];
  broken?: Breakage;
  /** The executions that customers take at this moment. */
  others?: () => number;
}

// A new account has ten.
const quota = 10;

class Throttled extends Error {
  override name = 'TooManyRequestsException';
}

/**
 * Imitates an account with few concurrent executions: counts those that run, and throttles above the quota.
 */
function account(others: () => number) {
  const seen = { running: 0, most: 0, throttled: 0 };
  return {
    seen,
    async execute<Result>(work: () => Promise<Result>): Promise<Result> {
      if (seen.running + others() >= quota) {
        seen.throttled += 1;
        throw new Throttled('Rate Exceeded.');
      }
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      // Others run meanwhile.
      await setImmediate();
      return work().finally(() => {
        seen.running -= 1;
      });
    },
  };
}

/**
 * Deploys new versions: CodeDeploy calls the hook for each updated function at once, and the queue plays one
 * check after the other.
 */
async function deploy({ updates = ['all'], without = [], broken, others = () => 0 }: Deployment = {}) {
  const table = await createTestTable();
  const handlers = {
    ...handlersOf(table, { moderation: !without.includes('ModerateTestimonials') }),
    ServeDesk: (await deskOf(table, { pages: true })).running(),
    ServePages: pagesHandlerOf(table),
  };
  const names = (Object.keys(handlers) as FunctionName[]).filter((name) => !without.includes(name)); // of the literal
  const { seen, execute } = account(others);
  const statuses = new Map<string, unknown>();
  const invoked = new Map<string, Set<string>>();
  const logged: string[] = [];
  const queue: HookEvent[] = [];
  let [slept, checked] = [0, ''];
  const hook = createHook({
    versions: Object.fromEntries(names.map((name) => [name, `version of ${name}`])),
    operator: tableStores(table),
    queue: async (event) => queue.push(event),
    functionOf: async ({ DeploymentId }) => DeploymentId,
    sleep: async (milliseconds) => {
      slept += milliseconds;
      await setImmediate();
    },
    log: (line, details) => void logged.push(`${line} ${JSON.stringify(details)}`),
    async invoke(version, request) {
      const name = version.replace('version of ', '') as FunctionName; // as above
      invoked.set(checked, (invoked.get(checked) ?? new Set()).add(name));
      const sent = request as APIGatewayProxyEventV2; // the hook makes no other
      const respond = () => actAs(name, () => handlers[name](sent, contextOf()));
      return execute(() => (broken ? broken(name, respond) : respond()));
    },
    putStatus: async ({ DeploymentId }, status) => {
      const isLeft = (await tableStores(table).organizations.list()).length > 0;
      statuses.set(DeploymentId, [status, isLeft]);
    },
  });
  const act = (event: Parameters<typeof hook>[0]) => actAs('CheckBeforeTraffic', () => hook(event));
  await Promise.all(updates.map((name) => execute(() => act(eventOf(name)))));
  expect(queue).toEqual(updates.map(eventOf));
  for (const event of queue) {
    checked = event.DeploymentId;
    await execute(() => act({ Records: [{ body: JSON.stringify(event) }] }));
  }
  return { seen, statuses, invoked, logged, slept, left: await textOf(table) };
}

const eventOf = (name: string): HookEvent => ({
  DeploymentId: name,
  LifecycleEventHookExecutionId: 'execution',
});

test('new versions of the two functions of every deployment that keep the contract are deployed, and nothing is left behind', async () => {
  const outcome = await deploy({ without: ['ModerateTestimonials', 'ServeDesk', 'ServePages'] });
  expect(outcome.logged).toEqual([]);
  // CodeDeploy knows before the organizations are removed.
  expect([...outcome.statuses]).toEqual([['all', ['Succeeded', true]]]);
  expect(outcome.left).not.toContain('check-');
  // It only waits for running requests while it removes its organizations.
  expect(outcome.slept).toBeLessThan(10 * 60 * 1000);
});

const all: FunctionName[] = [
  'CreateTestimonial',
  'ListTestimonials',
  'ModerateTestimonials',
  'ServeDesk',
  'ServePages',
];

test.each([2, 5])(
  'in an account with ten executions, the checks of %i functions succeed with at most half of them, each playing its own',
  async (number) => {
    const updates = all.slice(-number);
    const outcome = await deploy({ updates });
    expect(outcome.logged).toEqual([]);
    expect([...outcome.statuses]).toEqual(updates.map((name) => [name, ['Succeeded', true]]));
    expect(outcome.seen).toMatchObject({ running: 0, throttled: 0 });
    expect(outcome.seen.most).toBeLessThanOrEqual(quota / 2);
    const optional = all.slice(2);
    for (const [name, called] of outcome.invoked) {
      expect(called).toContain(name);
      expect(optional.filter((each) => each !== name && called.has(each))).toEqual([]);
    }
    expect(outcome.left).not.toContain('check-');
  },
);

test('a check waits while customers take all executions', async () => {
  let turn = 0;
  const others = () => {
    turn += 1;
    // The hook and the check begin; then every third moment is busy.
    return turn > 2 && turn % 3 === 0 ? quota : 0;
  };
  const outcome = await deploy({ updates: ['ListTestimonials'], others });
  expect([...outcome.statuses]).toEqual([['ListTestimonials', ['Succeeded', true]]]);
  expect(outcome.seen.throttled).toBeGreaterThan(10);
  expect(new Set(outcome.logged)).toEqual(new Set(['Waiting {"why":"429 {}"}']));
});

test.each<[string, Breakage, RegExp]>([
  [
    'a create that answers 200',
    async (name, respond) => {
      const response = await respond();
      return name === 'CreateTestimonial' && response.statusCode === 201
        ? { ...response, statusCode: 200 }
        : response;
    },
    /Published lists: its testimonials: 200/,
  ],
  [
    'a version that cannot start',
    () => Promise.reject(new Error('Runtime.ImportModuleError')),
    /Runtime.ImportModuleError/,
  ],
])('%s stops the deployment, the log says why, and nothing is left behind', async (_, broken, reason) => {
  const outcome = await deploy({ broken });
  expect([...outcome.statuses]).toEqual([['all', ['Failed', true]]]);
  expect(outcome.logged.join('\n')).toMatch(reason);
  // It may quote the contract's own texts and addresses, but no token.
  expect(outcome.logged.join('\n')).not.toMatch(/tst_[0-9A-Za-z]{36}/);
  expect(outcome.left).not.toContain('check-');
});
