/** The form of the contract: suites of rules, which `npm test` plays in process and `npm run check` over HTTP. */
import type { Driver, Organization } from './organization.ts';
import { answerText, type Exchange, exchange, requestText } from './requests.ts';

/** A sentence that holds of the service. */
export interface Rule {
  name: string;
  /** What a driver must have for the rule to make sense. */
  needs?: Capability | undefined;
  /**
   * Tries it.
   * @returns a text where something is worth knowing though it holds
   * @throws {AssertionError} whose message says what was seen instead
   */
  holds: (organization: Organization) => Promise<unknown>;
}

/** What only some drivers have: the handlers in this process, a gateway before them, a page that may call the API. */
export type Capability =
  | keyof Pick<Driver, 'process' | 'gateway' | 'origin' | 'moderation'>
  | 'no moderation';

/** Rules that hold in any order, and at once. */
export interface Group {
  name: string;
  rules: readonly Rule[];
}

/** Rules of one subject, which are played in an organization of their own, one rule or group after the other. */
export interface Suite {
  name: string;
  /** Makes what the rules are about. */
  prepare?: (organization: Organization) => Promise<unknown>;
  /** Whether over HTTP no other suite is played meanwhile. */
  isAlone?: true;
  rules: readonly (Rule | Group)[];
}

/** A rule, and what a driver must have for it. */
export const rule = (name: string, holds: Rule['holds'], needs?: Capability): Rule => ({
  name,
  holds,
  needs,
});

/** A group with a rule for each case: the rule's name, and what else it is given. */
export function each<Given extends readonly unknown[]>(
  name: string,
  cases: readonly (readonly [name: string, ...given: Given])[],
  holds: (organization: Organization, name: string, ...given: Given) => Promise<unknown>,
  needs?: Capability,
): Group {
  return {
    name,
    rules: cases.map(([each, ...given]) =>
      rule(each, (organization) => holds(organization, each, ...given), needs),
    ),
  };
}

/** A rule that does not hold: its message says what was seen instead, what was asked last, and what came. */
class NotHeld extends Error {
  override name = 'NotHeld';
}

/**
 * Plays a rule.
 * @returns what is worth knowing though it holds
 * @throws {NotHeld}
 */
export function play({ holds }: Rule, organization: Organization): Promise<string | undefined> {
  const last: Exchange = {};
  return exchange.run(last, async () => {
    try {
      const seen = await holds(organization);
      return typeof seen === 'string' ? seen : undefined;
    } catch (error) {
      const asked = last.request ? [`asked: ${requestText(last.request)}`] : [];
      const came = last.answer ? [`came: ${answerText(last.answer)}`] : [];
      throw new NotHeld([faultText(error), ...asked, ...came].join('\n'));
    }
  });
}

/** What was seen instead, or what went wrong before anything was. */
export function faultText(error: unknown): string {
  if (!Error.isError(error)) return String(error);
  const { cause, message, name } = error;
  if (!Error.isError(cause)) return message || name;
  // What fetch throws says why in its cause; that of several addresses has a code only.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

/** The rules of a group, or the rule itself, with their whole sentences for names. */
export function rulesOf(entry: Rule | Group): readonly Rule[] {
  if (!('rules' in entry)) return [entry];
  return entry.rules.map((rule) => ({ ...rule, name: `${entry.name} ${rule.name}` }));
}

/** Whether a driver has what a rule needs. */
export function isPlayed({ needs }: Rule, driver: Driver): boolean {
  if (needs === 'no moderation') return driver.moderation === undefined;
  return needs === undefined || driver[needs] !== undefined;
}
