/** The contract, played on the handlers in this process; `npm run check` plays the same suites over HTTP. */
import { beforeAll, describe, test } from '@jest/globals';
import { routeKey } from '../../functions/http/operation.ts';
import { documentRoute } from '../../functions/list-testimonials/document.ts';
import { updateIndexAlongside } from '../../functions/testimonials/list-index/write/indexing.ts';
import { settledMs } from '../../functions/timing.ts';
import { suites } from '../../lib/check/contract/contract.ts';
import { type Driver, type Organization, Service } from '../../lib/check/contract/organization.ts';
import { path as operationsPath, parsedBody } from '../../lib/check/contract/requests.ts';
import { type Rule, runRule } from '../../lib/check/contract/suite.ts';
import { routeOf } from '../../lib/local-runner/gateway-event.ts';
import { contracts } from '../../lib/openapi/document.ts';
import { operatorOf } from '../../lib/operator/session.ts';
import { createApiClient, storesOf } from '../api-client.ts';
import { deskOf } from '../desk-client.ts';
import { pageRouteKeys, visitorOf } from '../page-visitor.ts';
import { storedItems } from '../stored-items.ts';
import { onTableCall } from '../table-calls.ts';
import { logsOf } from '../watched-logs.ts';

const routeKeys = [...contracts, documentRoute].map(routeKey);

/**
 * The driver that calls the handlers in this process. Instead of waiting it updates each list index
 * immediately.
 */
async function inProcess(): Promise<Driver> {
  const { table, clock: handlersClock, call } = await createApiClient();
  const clock = () => handlersClock.stopped ?? Date.now() + handlersClock.offset;
  const visitor = visitorOf(table, { now: () => new Date(clock()) });
  const desk = await deskOf(table);
  const runningDesk = desk.running();
  const operator = operatorOf({ ...table, now: () => new Date(clock()) }, clock);
  return {
    operator,
    moderation: true,
    pages: true,
    desk: true,
    process: {
      clock: handlersClock,
      items: () => storedItems(table),
      onTableCall: (onCall) => onTableCall(table, onCall),
      logsOf,
    },
    async send({ method = 'GET', path = operationsPath, ...request }) {
      if (/^\/desk(\/|$)/.test(path)) {
        const browser = desk.browser(runningDesk);
        const { cookie = '', ...headers } = request.headers ?? {};
        const [name = '', value = ''] = cookie.split('=');
        if (name !== '') browser.cookies.set(name, value);
        const { text, ...response } = await browser.ask(method, path, {
          headers,
          ...(request.body !== undefined && { raw: request.body }),
        });
        return {
          ...response,
          headers: { ...response.headers, 'set-cookie': response.headers.cookies ?? '' },
          body: text,
        };
      }
      const route = routeOf([...routeKeys, ...pageRouteKeys], `${method} ${path}`) ?? {
        routeKey: '$default',
      };
      if (pageRouteKeys.includes(route.routeKey)) {
        const { text, ...response } = await visitor.ask(method, path, request);
        return { ...response, body: parsedBody(text) };
      }
      const response = await call({ ...request, ...route });
      const headers = Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]);
      return { ...response, headers: Object.fromEntries(headers) };
    },
    async sleep(milliseconds) {
      // Everything written before has settled by then.
      handlersClock.offset += Math.max(milliseconds, settledMs);
      const stores = { ...storesOf(operator.table), now: operator.now };
      for (const each of await operator.organizations.list()) await updateIndexAlongside(stores, each);
    },
  };
}

let service: Service;
beforeAll(async () => {
  service = new Service(await inProcess(), 'contract');
});

describe.each(suites)('$name:', ({ prepare, rules }) => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await service.begin();
    await prepare?.(organization);
  });

  const add = (rule: Rule) => {
    const isHere =
      rule.needs === undefined || ['process', 'moderation', 'pages', 'desk'].includes(rule.needs);
    (isHere ? test : test.skip)(rule.name, async () => void (await runRule(rule, organization)));
  };
  for (const entry of rules) {
    if ('rules' in entry) describe(entry.name, () => entry.rules.forEach(add));
    else add(entry);
  }
});
