/** The check before a rollout, on handlers of this process as the new versions. */
import { expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ApiResponse } from '../../functions/http/api-event.ts';
import { operatorOf } from '../../lib/operator/session.ts';
import { contextOf, handlersOf } from '../api-client.ts';
import { createHook, type HookEvent, type Versions } from '../check/before-traffic.ts';
import { deskOf } from '../desk-client.ts';
import { type Actor, actAs } from '../iam/acting.ts';
import { pagesHandlerOf } from '../page-visitor.ts';
import { textOf } from '../stored-items.ts';
import { createTestTable } from '../test-table.ts';

const event: HookEvent = { DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'execution' };

/** Answers in place of a version, which `respond` asks. */
type Breakage = (name: string, respond: () => Promise<ApiResponse>) => Promise<ApiResponse>;

/** Runs the hook on versions of which one may be broken. */
async function hook(left: (keyof Versions)[] = [], broken: Breakage = (_, respond) => respond()) {
  const table = await createTestTable();
  const handlers = {
    ...handlersOf(table, { moderation: !left.includes('ModerateTestimonials') }),
    ServeDesk: (await deskOf(table, { pages: true })).running(),
    ServePages: pagesHandlerOf(table),
  };
  const versions = Object.fromEntries(
    Object.keys(handlers)
      .filter((name) => !left.includes(name as keyof Versions)) // of a constant
      .map((name) => [name, `version of ${name}`]),
  );
  const statuses: unknown[] = [];
  const logged: string[] = [];
  let slept = 0;
  const handle = createHook({
    versions,
    operator: operatorOf(table),
    sleep: async (milliseconds) => {
      slept += milliseconds;
    },
    log: (line, details) => void logged.push(`${line} ${JSON.stringify(details)}`),
    async invoke(version, request) {
      const name = version.replace('version of ', '') as keyof typeof handlers; // as above
      const sent = request as APIGatewayProxyEventV2; // the hook makes no other
      return broken(name, () => actAs(name satisfies Actor, () => handlers[name](sent, contextOf())));
    },
    putStatus: async (...status) => {
      statuses.push([...status, (await operatorOf(table).organizations.list()).length > 0]);
    },
  });
  await actAs('CheckBeforeTraffic', () => handle(event));
  return { statuses, logged, slept, left: await textOf(table) };
}

test.each<[string, (keyof Versions)[]]>([
  ['all functions', []],
  ['the two of every deployment', ['ModerateTestimonials', 'ServeDesk', 'ServePages']],
])('new versions of %s that keep the contract are deployed, and nothing is left behind', async (_, left) => {
  const outcome = await hook(left);
  expect(outcome.logged).toEqual([]);
  // CodeDeploy knows before the organizations are removed.
  expect(outcome.statuses).toEqual([[event, 'Succeeded', true]]);
  expect(outcome.left).not.toContain('check-');
  // It only waits for running requests while it removes its organizations.
  expect(outcome.slept).toBeLessThan(10 * 60 * 1000);
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
  const outcome = await hook([], broken);
  expect(outcome.statuses).toEqual([[event, 'Failed', true]]);
  expect(outcome.logged.join('\n')).toMatch(reason);
  // It may quote the contract's own texts and addresses, but no token.
  expect(outcome.logged.join('\n')).not.toMatch(/tst_[0-9A-Za-z]{36}/);
  expect(outcome.left).not.toContain('check-');
});
