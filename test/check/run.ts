/** Checks a deployment: makes organizations, plays the contract in them, and removes them. */
import { setTimeout as wait } from 'node:timers/promises';
import { CommanderError } from 'commander';
import pMap from 'p-map';
import type { Operator } from '../../lib/operator/session.ts';
import { explain, withOperator } from '../../lib/operator/target.ts';
import { displayed } from '../../lib/operator/terminal/formatting.ts';
import { interruptible, Stopped } from '../../lib/operator/terminal/interruptible.ts';
import type { ProgramIo } from '../../lib/operator/terminal/program-io.ts';
import { everyAnswerSuite, suites } from '../contract/contract.ts';
import { type Driver, Service } from '../contract/organization.ts';
import { answerText } from '../contract/requests.ts';
import { faultText, isPlayed, play, type Rule, rulesOf, type Suite } from '../contract/suite.ts';
import { httpClient } from './http-client.ts';
import { type CheckOptions, readOptions, urlOf } from './options.ts';
import { newName, removeOwn } from './own-organizations.ts';
import { beginReport, type Report } from './report.ts';

/** What is checked, and how. */
interface Situation {
  io: ProgramIo;
  options: CheckOptions;
  operator: Operator;
}

// Few: new accounts run ten functions at once (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
const suitesAtOnce = 3;
const rulesAtOnce = 2;

// A check takes minutes; with a budget that is soon used up, some more.
const tokenDays = 1 / 24;

/**
 * Runs the command `check`. What could not even begin is said in one line.
 * @param args as they stand behind the program's name
 * @returns the exit code
 */
export async function runCheck(args: readonly string[], given: ProgramIo): Promise<number> {
  // Lines quote answers.
  const io = { ...given, printError: (line: string) => given.printError(displayed(line)) };
  let options: CheckOptions = {};
  try {
    options = readOptions(args, io);
    const { remove } = options;
    if (remove !== undefined) {
      return await withOperator(options, io, (operator) => removeLeft({ io, options, operator }, remove));
    }
    const target = { url: urlOf(options, io.variables), played: chosen(options) };
    return await withOperator(options, io, (operator) => check({ io, options, operator }, target));
  } catch (error) {
    if (error instanceof Stopped) return error.exitCode;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    io.printError(explain(error, options, io.variables));
    return 2;
  }
}

async function check(
  { io, options, operator }: Situation,
  { url, played }: { url: string; played: readonly Suite[] },
): Promise<number> {
  const name = newName(operator.now());
  const report = beginReport(io, { name, url, isJson: options.json === true, suites: played });
  const whatIsLeft = `${name} is left. Remove it by: ${removeCommand(options, name)}`;
  const playWhole = async (signal: AbortSignal) => {
    const sleep = io.sleep ?? ((milliseconds: number) => wait(milliseconds, undefined, { signal }));
    const client = httpClient({ url, signal, sleep, onWait: report.wait });
    const { origin, moderation } = options;
    const ours = { tokenDays, gateway: true, origin, moderation } as const;
    const driver: Driver = { send: client.send, operator, sleep, ...ours };
    const service = new Service(driver, name);
    const fault = await expectApi(service, url, options)
      .then(() => playAll(played, service, report, signal))
      .then(
        () => undefined,
        (error: unknown) => (signal.aborted ? signal.reason : error),
      );
    const isBegun = fault === undefined || fault instanceof Stopped;
    if (fault instanceof Stopped) io.printError('Stopping: the rest is not played');
    if (isBegun) io.printError(`Removing ${name}, within half a minute`);
    // It is not to be stopped by what has stopped the rules.
    const isRemoved = await removeOwn(operator, name, service.organizations, io.sleep ?? wait).then(
      () => true,
      (error: unknown) => {
        io.printError(`Not removed: ${faultText(error)}`);
        io.printError(whatIsLeft);
        return false;
      },
    );
    if (isBegun) report.end(client.counts);
    if (fault !== undefined) throw fault;
    return report.isHeld() && isRemoved ? 0 : 1;
  };
  return interruptible(io, whatIsLeft, (letEnd) => letEnd(playWhole));
}

/** The suites to be played: what holds of every answer is looked at in any case. */
function chosen({ only = [''] }: CheckOptions): readonly Suite[] {
  const found = only.flatMap((begin) => {
    const some = suites.filter(({ name }) => name.toLowerCase().startsWith(begin.toLowerCase()));
    if (some.length > 0) return some;
    throw new Error(`No suite begins with ${begin}: there are ${suites.map(({ name }) => name).join(', ')}.`);
  });
  return [...new Set([...found, everyAnswerSuite])];
}

/** @throws what to do where nothing answers there, or something else */
async function expectApi(service: Service, url: string, { table }: CheckOptions): Promise<void> {
  const answer = await service.begin().then((organization) =>
    organization.list().catch((error: unknown) => {
      throw new Error(`No API answers at ${url} (${faultText(error)}): look at --url, and whether it runs.`);
    }),
  );
  // What fails is for the rules to tell.
  if (answer.status < 500 && typeof answer.body === 'string') {
    throw new Error(`What answers at ${url} is not this API: ${answerText(answer)}`);
  }
  if (answer.status === 401) {
    const where = table === undefined ? 'in the DynamoDB of the local service' : `in the table ${table}`;
    throw new Error(
      `${url} does not know a token that was just issued ${where}: are both of one deployment? See --url, --table and --endpoint.`,
    );
  }
}

/** Plays the suites, some at once; a rule that does not hold does not stop the others. */
async function playAll(
  played: readonly Suite[],
  service: Service,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const playOne = (suite: Suite) => playSuite(suite, service, report, signal);
  const alone = played.filter(({ isAlone }) => isAlone);
  const others = played.filter(({ isAlone }) => !isAlone);
  await atOnce(others, playOne, suitesAtOnce);
  await atOnce(alone, playOne, 1);
}

/**
 * Does work with each of some items.
 * @throws the first error, once all that was begun has ended
 */
async function atOnce<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  concurrency: number,
): Promise<void> {
  await pMap(items, work, { concurrency, stopOnError: false }).catch(
    ({ errors: [first] }: AggregateError) => {
      throw first;
    },
  );
}

async function playSuite(suite: Suite, service: Service, report: Report, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const rules = suite.rules.map(rulesOf);
  const canPlay = (rule: Rule) => isPlayed(rule, service.driver);
  if (rules.flat().some(canPlay)) {
    const organization = await service.begin();
    const playRule = async (rule: Rule) => {
      signal.throwIfAborted();
      const outcome = await play(rule, organization).then(
        (seen) => ({ held: true, seen }),
        (error: unknown) => ({ held: false, seen: faultText(error) }),
      );
      signal.throwIfAborted();
      if (rule !== prepare || !outcome.held) report.add(suite, { rule: rule.name, ...outcome });
      return outcome.held;
    };
    const prepare: Rule = {
      name: 'what the rules are about is made',
      holds: async (api) => suite.prepare?.(api),
    };
    const isPrepared = suite.prepare === undefined || (await playRule(prepare));
    for (const group of isPrepared ? rules : []) {
      await atOnce(group.filter(canPlay), playRule, rulesAtOnce);
    }
  }
  report.endSuite(
    suite,
    rules.flat().filter((rule) => !canPlay(rule)),
  );
}

/** Removes what a check has left that could not do so itself. */
async function removeLeft({ io, operator }: Situation, name: string): Promise<number> {
  await interruptible(io, 'Run it again: it removes the rest.', () =>
    removeOwn(operator, name, [], io.sleep ?? wait),
  );
  io.print(`${name} removed; its Idempotency-Keys expire within 24 hours`);
  return 0;
}

/** The command that removes what is left of a check. */
function removeCommand({ table, endpoint }: CheckOptions, name: string): string {
  const target = [table && `--table ${table}`, endpoint && `--endpoint ${endpoint}`].filter(Boolean);
  return ['npm run check --', ...target, `--remove ${name}`].join(' ');
}
