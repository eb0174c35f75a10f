/**
 * The check before a gradual rollout: a hook of CodeDeploy. It runs a short contract against the new version
 * of a function, in its own organizations. If a rule fails, CodeDeploy does not deploy the version
 * (https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-hooks.html#appspec-hooks-lambda).
 *
 * CodeDeploy calls the hook of each function at once, and an account may have only ten concurrent executions.
 * So a call only puts the check into a queue. The checks in the queue run one after the other, and each
 * invokes few versions at once.
 */
import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import pMap from 'p-map';
import * as v from 'valibot';
import { pageRoutes } from '../../functions/domain/page.ts';
import { withoutSecrets } from '../../functions/domain/token.ts';
import { routeKey } from '../../functions/http/operation.ts';
import { documentRoute } from '../../functions/list-testimonials/document.ts';
import { deskPath } from '../../functions/serve-desk/parts/paths.ts';
import { invocationsOfCheck } from '../../functions/timing.ts';
import { routeOf, toResponse } from '../local-runner/gateway-event.ts';
import { contracts } from '../openapi/document.ts';
import type { TableStores } from '../operator/table-stores.ts';
import { authentication } from './contract/authentication.ts';
import { createRequests } from './contract/create-request.ts';
import { desk } from './contract/desk.ts';
import { openApi } from './contract/document.ts';
import { idempotencyKeys } from './contract/idempotency-key.ts';
import { oneTestimonial } from './contract/one-testimonial.ts';
import { Service } from './contract/organization.ts';
import { pages } from './contract/pages.ts';
import { publishedReads } from './contract/published-reads.ts';
import { type ApiRequest, path as operationsPath, parsedBody, type Send } from './contract/requests.ts';
import { applies, faultText, type Rule, rulesOf, runRule, type Suite } from './contract/suite.ts';
import { patientClient } from './http-client.ts';
import { newName, removeOwn } from './own-organizations.ts';

/** The suites of each function's check. The last three functions are optional. */
const suitesOf = {
  CreateTestimonial: [authentication, createRequests, idempotencyKeys],
  ListTestimonials: [authentication, publishedReads, openApi],
  ModerateTestimonials: [oneTestimonial],
  ServeDesk: [desk],
  ServePages: [pages],
} satisfies Record<string, readonly Suite[]>;

type FunctionName = keyof typeof suitesOf;

/** Returns the suites of a function, or the suites of all functions if the name is unknown. */
function suitesFor(name: string | undefined): readonly Suite[] {
  const own = Object.entries(suitesOf).find(([each]) => each === name);
  return own ? own[1] : [...new Set(Object.values(suitesOf).flat())];
}

/** The ARNs of the new versions. */
export type Versions = Partial<Record<FunctionName, string>>;

const hookEvent = v.object({ DeploymentId: v.string(), LifecycleEventHookExecutionId: v.string() });

/** The event of a hook. */
export type HookEvent = v.InferOutput<typeof hookEvent>;

/** The event of the queue. */
export interface QueueEvent {
  Records: { body: string }[];
}

interface HookDependencies {
  versions: Versions;
  /** Puts the event of a hook into the queue. */
  queue: (event: HookEvent) => Promise<unknown>;
  /** Returns the name of the function that a deployment updates. */
  functionOf: (event: HookEvent) => Promise<string | undefined>;
  /** Invokes a version of a function and returns its result. */
  invoke: (version: string, event: unknown) => Promise<unknown>;
  /** Reports the result to CodeDeploy. */
  putStatus: (event: HookEvent, status: 'Succeeded' | 'Failed') => Promise<unknown>;
  operator: TableStores;
  sleep: (milliseconds: number) => Promise<unknown>;
  log: (line: string, details?: object) => void;
}

// Customers may use all executions for a while, so a throttled invocation is retried every second.
const maxWaits = 120;

// Far longer than the organizations exist.
const tokenDays = 1 / 24;

/** Builds the hook. A check first reports the result to CodeDeploy, and then removes its organizations. */
export function createHook(deps: HookDependencies) {
  return async (event: HookEvent | QueueEvent): Promise<void> => {
    if (!('Records' in event)) return void (await deps.queue(event));
    for (const { body } of event.Records) await check(v.parse(hookEvent, JSON.parse(body)), deps);
  };
}

/**
 * Runs the check of one deployment. A check that failed to report is not repeated, because its deployment has
 * ended.
 */
async function check(event: HookEvent, deps: HookDependencies): Promise<void> {
  const { versions, functionOf, putStatus, operator, sleep, log } = deps;
  const onWait = (why: string) => log('Waiting', { why });
  const { send } = patientClient(sender(deps), { sleep, onWait, maxWaits });
  const has = (name: FunctionName): true | undefined => (versions[name] === undefined ? undefined : true);
  const optional = {
    moderation: has('ModerateTestimonials'),
    desk: has('ServeDesk'),
    pages: has('ServePages'),
  };
  const name = newName(operator.now());
  const service = new Service({ send, operator, sleep, tokenDays, ...optional }, name);
  const failures = await functionOf(event)
    .then((own) => runAll(suitesFor(own), service))
    .catch((error: unknown) => [faultText(error)]);
  // A failure quotes a request, whose URL may contain a token.
  for (const each of failures) log('A rule failed', { failure: withoutSecrets(each) });
  await putStatus(event, failures.length === 0 ? 'Succeeded' : 'Failed').catch((error: unknown) =>
    log('The result of the check was not accepted', { reason: faultText(error) }),
  );
  await removeOwn(operator, name, service.organizations, sleep).catch((error: unknown) =>
    log(`Not removed. Run: npm run check -- --table ${operator.table.name} --remove ${name}`, {
      reason: faultText(error),
    }),
  );
}

/** Runs suites one after the other. Returns the rules that fail, with the reasons. */
async function runAll(suites: readonly Suite[], service: Service): Promise<string[]> {
  const failures: string[] = [];
  for (const suite of suites) {
    const name = (part: string, error: unknown) =>
      failures.push(`${suite.name}: ${part}: ${faultText(error)}`);
    await runSuite(suite, service, name).catch((error: unknown) => name('its testimonials', error));
  }
  return failures;
}

/** Runs the rules of a suite that do not wait: one after the other, and the rules of a group at once. */
async function runSuite(
  suite: Suite,
  service: Service,
  onFailure: (rule: string, error: unknown) => void,
): Promise<void> {
  const isShort = (rule: Rule) => applies(rule, service.driver) && !rule.name.includes('within a minute');
  const entries = suite.rules.map((entry) => rulesOf(entry).filter(isShort));
  if (entries.flat().length === 0) return;
  const organization = await service.begin();
  await suite.prepare?.(organization);
  for (const rules of entries) {
    const playOne = (rule: Rule) =>
      runRule(rule, organization).catch((error: unknown) => onFailure(rule.name, error));
    await pMap(rules, playOne, { concurrency: invocationsOfCheck });
  }
}

const routeKeys = [
  ...[...contracts, documentRoute].map(routeKey),
  ...[deskPath, `${deskPath}/{page+}`, ...Object.values(pageRoutes)].map((path) => `ANY ${path}`),
];

/** Returns the function behind a route. */
function functionBehind(key: string): FunctionName {
  if (key.startsWith(`ANY ${deskPath}`)) return 'ServeDesk';
  if (key.startsWith('ANY ')) return 'ServePages';
  if (key.endsWith('}')) return 'ModerateTestimonials';
  return key.startsWith('POST ') ? 'CreateTestimonial' : 'ListTestimonials';
}

const tooManyRequests = { statusCode: 429, headers: { 'retry-after': '1' }, body: '{}' };

const isThrottled = (error: unknown) => error instanceof Error && error.name === 'TooManyRequestsException';

/**
 * Returns a client that invokes the new versions in the same way as API Gateway, few at once. A throttled
 * invocation is a 429.
 */
function sender({ versions, invoke }: HookDependencies): Send {
  const limit = pLimit(invocationsOfCheck);
  return async (request) => {
    const { method = 'GET', path = operationsPath } = request;
    const matched = routeOf(routeKeys, `${method} ${path}`);
    const version = matched && versions[functionBehind(matched.routeKey)];
    // Requests for unknown paths go to the list function.
    const route = version === undefined ? { routeKey: '$default' } : matched;
    const called = version ?? versions.ListTestimonials ?? '';
    const result = await limit(() => invoke(called, eventOf(request, route ?? {}))).catch(
      (error: unknown) => {
        if (isThrottled(error)) return tooManyRequests;
        throw error;
      },
    );
    const { status, headers, body } = toResponse(result);
    const joined = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    return { status, headers: Object.fromEntries(joined), body: parsedBody(String(body)) };
  };
}

function eventOf(
  { method = 'GET', path = operationsPath, query = '', headers = {}, body }: ApiRequest,
  route: object,
) {
  const { cookie, ...others } = headers;
  const domainName = 'before-traffic.example';
  return {
    version: '2.0',
    ...route,
    rawPath: path,
    rawQueryString: query,
    ...(cookie !== undefined && { cookies: [cookie] }),
    headers: { host: domainName, ...others },
    requestContext: {
      requestId: randomUUID(),
      domainName,
      http: { method, path, sourceIp: '192.0.2.1', userAgent: 'check' },
    },
    ...(body !== undefined && { body }),
    isBase64Encoded: false,
  };
}
