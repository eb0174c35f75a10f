/** Suites and rules of the API's contract. `npm test` runs them in process, `npm run check` over HTTP. */
import type { Driver, Organization } from './organization.ts';
import { type Exchange, exchange, requestText, responseText } from './requests.ts';

/** A statement about the service that must be true. */
export interface Rule {
  name: string;
  /** The capability that a driver needs for the rule to make sense. */
  needs?: Capability | undefined;
  /**
   * Checks the rule.
   * @returns a remark about a rule that holds, if any
   * @throws {AssertionError} if the rule fails, with a message that names the unexpected value
   */
  check: (organization: Organization) => Promise<unknown>;
}

/**
 * Capabilities that only some drivers have, such as handlers in this process or a gateway in front of them.
 */
export type Capability =
  | keyof Pick<Driver, 'process' | 'gateway' | 'origin' | 'moderation' | 'pages' | 'desk' | 'media'>
  | 'no moderation'
  | 'no pages';

/** Rules that can run in any order, and concurrently. */
export interface Group {
  name: string;
  rules: readonly Rule[];
}

/**
 * Rules about one subject. Each suite has its own organization, and runs its rules and groups one after the
 * other.
 */
export interface Suite {
  name: string;
  /** Creates the testimonials that the rules are about. */
  prepare?: (organization: Organization) => Promise<unknown>;
  /** True if no other suite may run at the same time over HTTP. */
  isAlone?: true;
  rules: readonly (Rule | Group)[];
}

export const rule = (name: string, check: Rule['check'], needs?: Capability): Rule => ({
  name,
  check,
  needs,
});

/**
 * Makes a group with one rule per case. A case is the name of its rule, followed by the other arguments of
 * `check`.
 */
export function each<Given extends readonly unknown[]>(
  name: string,
  cases: readonly (readonly [name: string, ...given: Given])[],
  check: (organization: Organization, name: string, ...given: Given) => Promise<unknown>,
  needs?: Capability,
): Group {
  return {
    name,
    rules: cases.map(([each, ...given]) =>
      rule(each, (organization) => check(organization, each, ...given), needs),
    ),
  };
}

/** Returns a function that sets `needs` of every rule that has none. */
export const withNeeds = (needs: Capability) => {
  const needingRule = (rule: Rule): Rule => ({ ...rule, needs: rule.needs ?? needs });
  return (entry: Rule | Group): Rule | Group =>
    'rules' in entry ? { ...entry, rules: entry.rules.map(needingRule) } : needingRule(entry);
};

/** A rule failed. The message contains the unexpected value, the last request and its response. */
class RuleFailed extends Error {
  override name = 'RuleFailed';
}

/**
 * Runs a rule.
 * @returns a remark about a rule that holds, if any
 * @throws {RuleFailed} if the rule fails
 */
export function runRule({ check }: Rule, organization: Organization): Promise<string | undefined> {
  const last: Exchange = {};
  return exchange.run(last, async () => {
    try {
      const seen = await check(organization);
      return typeof seen === 'string' ? seen : undefined;
    } catch (error) {
      const request = last.request ? [`request: ${requestText(last.request)}`] : [];
      const response = last.response ? [`response: ${responseText(last.response)}`] : [];
      throw new RuleFailed([faultText(error), ...request, ...response].join('\n'));
    }
  });
}

/** Returns a short text about the reason of a failure. */
export function faultText(error: unknown): string {
  if (!Error.isError(error)) return String(error);
  const { cause, message, name } = error;
  if (!Error.isError(cause)) return message || name;
  // An error of fetch has its reason in the cause. For a host with several addresses, the cause has only a
  // code.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

/** Returns the rules of a group, or the rule itself, with whole sentences as names. */
export function rulesOf(entry: Rule | Group): readonly Rule[] {
  if (!('rules' in entry)) return [entry];
  return entry.rules.map((rule) => ({ ...rule, name: `${entry.name} ${rule.name}` }));
}

/** True if a driver has the capability that a rule needs. */
export function applies({ needs }: Rule, driver: Driver): boolean {
  if (needs === 'no moderation') return driver.moderation === undefined;
  if (needs === 'no pages') return driver.pages === undefined;
  return needs === undefined || driver[needs] !== undefined;
}
