/** The contract's driver that calls the handlers in this process, on a table of their own. */
import { routeKey } from '../functions/http/operation.ts';
import { settledMs } from '../functions/timing.ts';
import { routeOf } from '../lib/local-runner/gateway-event.ts';
import { contracts } from '../lib/openapi/document.ts';
import { updateIndexBeside } from '../lib/operator/load/load-testimonials.ts';
import { operatorOf } from '../lib/operator/session.ts';
import { createApiClient } from './api-client.ts';
import type { Driver } from './contract/organization.ts';
import { path as operationsPath } from './contract/requests.ts';
import { logsOf } from './watched-logs.ts';

const routeKeys = contracts.map(routeKey);

/** What is waited for is over at once: meanwhile the list index of each organization is updated. */
export async function inProcess(): Promise<Driver> {
  const { table, clock: handlersClock, call } = await createApiClient();
  const clock = () => handlersClock.stopped ?? Date.now() + handlersClock.offset;
  const operator = { ...operatorOf(table, clock), now: () => new Date(clock()) };
  return {
    operator,
    moderation: true,
    process: { table, clock: handlersClock, logsOf },
    async send({ method = 'GET', path = operationsPath, ...request }) {
      const route = routeOf(routeKeys, `${method} ${path}`) ?? { routeKey: '$default' };
      const answer = await call({ ...request, ...route });
      const headers = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]);
      return { ...answer, headers: Object.fromEntries(headers) };
    },
    async sleep(milliseconds) {
      // By then all that was written has settled.
      handlersClock.offset += Math.max(milliseconds, settledMs);
      for (const each of await operator.organizations.list()) await updateIndexBeside(operator, each);
    },
  };
}
