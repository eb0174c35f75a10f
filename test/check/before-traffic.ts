/**
 * The check before a gradual rollout: a hook of CodeDeploy. It plays a short contract against the new versions of the functions, in
 * organizations of its own, and CodeDeploy deploys none of them if a rule does not hold
 * (https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-hooks.html#appspec-hooks-lambda).
 */
import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { pageRoutes } from '../../functions/domain/page.ts';
import { withoutSecrets } from '../../functions/domain/token.ts';
import { routeKey } from '../../functions/http/operation.ts';
import { documentRoute } from '../../functions/list-testimonials/document.ts';
import { deskPath } from '../../functions/serve-desk/parts/assets.ts';
import { routeOf, toResponse } from '../../lib/local-runner/gateway-event.ts';
import { contracts } from '../../lib/openapi/document.ts';
import type { Operator } from '../../lib/operator/session.ts';
import { authentication } from '../contract/authentication.ts';
import { createRequests } from '../contract/create-request.ts';
import { desk } from '../contract/desk.ts';
import { openApi } from '../contract/document.ts';
import { idempotencyKeys } from '../contract/idempotency-key.ts';
import { oneTestimonial } from '../contract/one-testimonial.ts';
import { Service } from '../contract/organization.ts';
import { pages } from '../contract/pages.ts';
import { publishedReads } from '../contract/published-reads.ts';
import { type ApiRequest, path as operationsPath, parsedBody, type Send } from '../contract/requests.ts';
import { faultText, isPlayed, play, type Rule, rulesOf, type Suite } from '../contract/suite.ts';
import { patientClient } from './http-client.ts';
import { newName, removeOwn } from './own-organizations.ts';

/** The functions that a contract is played against. The last three are optional. */
type FunctionName =
  | 'CreateTestimonial'
  | 'ListTestimonials'
  | 'ModerateTestimonials'
  | 'ServeDesk'
  | 'ServePages';

/** The ARNs of the new versions. */
export type Versions = Partial<Record<FunctionName, string>>;

/** The event of a hook. */
export interface HookEvent {
  DeploymentId: string;
  LifecycleEventHookExecutionId: string;
}

interface HookDependencies {
  versions: Versions;
  /** Invokes a version of a function and returns its result. */
  invoke: (version: string, event: unknown) => Promise<unknown>;
  /** Tells CodeDeploy the result. */
  putStatus: (event: HookEvent, status: 'Succeeded' | 'Failed') => Promise<unknown>;
  operator: Operator;
  sleep: (milliseconds: number) => Promise<unknown>;
  log: (line: string, details?: object) => void;
}

const suites: readonly Suite[] = [
  ...[authentication, createRequests, idempotencyKeys, publishedReads],
  ...[oneTestimonial, openApi, desk, pages],
];

// As few as a check from outside plays.
const suitesAtOnce = 3;
const rulesAtOnce = 2;

// The organizations are removed long before.
const tokenDays = 1 / 24;

/** Builds the hook. It tells CodeDeploy the result first, and then removes its organizations. */
export function createHook(deps: HookDependencies) {
  const { versions, putStatus, operator, sleep, log } = deps;
  const { send } = patientClient(sender(deps), { sleep, onWait: (why) => log('Waiting', { why }) });
  const has = (name: FunctionName): true | undefined => (versions[name] === undefined ? undefined : true);
  const moderation = has('ModerateTestimonials');
  const optional = { moderation, desk: has('ServeDesk'), pages: has('ServePages') };
  return async (event: HookEvent): Promise<void> => {
    const name = newName(operator.now());
    const service = new Service({ send, operator, sleep, tokenDays, ...optional }, name);
    const failures = await playAll(service).catch((error: unknown) => [faultText(error)]);
    // A failure quotes a request, which may have a token in its URL.
    for (const each of failures) log('A rule does not hold', { failure: withoutSecrets(each) });
    await putStatus(event, failures.length === 0 ? 'Succeeded' : 'Failed');
    await removeOwn(operator, name, service.organizations, sleep);
  };
}

/** Plays the suites; returns the rules that do not hold, with the reasons. */
async function playAll(service: Service): Promise<string[]> {
  const failures: string[] = [];
  await pMap(
    suites,
    async (suite) => {
      const name = (of: string, error: unknown) => failures.push(`${suite.name}: ${of}: ${faultText(error)}`);
      await playSuite(suite, service, name).catch((error: unknown) => name('its testimonials', error));
    },
    { concurrency: suitesAtOnce },
  );
  return failures;
}

/** Plays the rules of a suite that do not wait: one after the other, and those of a group at once. */
async function playSuite(
  suite: Suite,
  service: Service,
  onFailure: (rule: string, error: unknown) => void,
): Promise<void> {
  const isShort = (rule: Rule) => isPlayed(rule, service.driver) && !rule.name.includes('within a minute');
  const entries = suite.rules.map((entry) => rulesOf(entry).filter(isShort));
  if (entries.flat().length === 0) return;
  const organization = await service.begin();
  await suite.prepare?.(organization);
  for (const rules of entries) {
    const playOne = (rule: Rule) =>
      play(rule, organization).catch((error: unknown) => onFailure(rule.name, error));
    await pMap(rules, playOne, { concurrency: rulesAtOnce });
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

/** Returns a client that invokes the new versions as API Gateway would. */
function sender({ versions, invoke }: HookDependencies): Send {
  return async (request) => {
    const { method = 'GET', path = operationsPath } = request;
    const matched = routeOf(routeKeys, `${method} ${path}`);
    const version = matched && versions[functionBehind(matched.routeKey)];
    // Unknown paths go to the list function.
    const route = version === undefined ? { routeKey: '$default' } : matched;
    const result = await invoke(version ?? versions.ListTestimonials ?? '', eventOf(request, route ?? {}));
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
