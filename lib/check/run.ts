/** Checks a deployment: creates organizations, runs the contract in them, and removes them. */
import { setTimeout as wait } from 'node:timers/promises';
import { CommanderError } from 'commander';
import pMap from 'p-map';
import type { TableStores } from '../operator/table-stores.ts';
import { explain, withOperator } from '../operator/target.ts';
import { displayed } from '../operator/terminal/formatting.ts';
import { interruptible, Stopped } from '../operator/terminal/interruptible.ts';
import type { ProgramIo } from '../operator/terminal/program-io.ts';
import { everyResponseSuite, suites } from './contract/contract.ts';
import { type Driver, type Organization, Service } from './contract/organization.ts';
import { responseText } from './contract/requests.ts';
import { applies, faultText, type Rule, rulesOf, runRule, type Suite } from './contract/suite.ts';
import { httpClient } from './http-client.ts';
import { findParts, type OptionalPart } from './optional-parts.ts';
import { type CheckOptions, readOptions, urlOf } from './options.ts';
import { newName, removeOwn } from './own-organizations.ts';
import { beginReport, type Report } from './report.ts';

interface CheckRun {
  io: ProgramIo;
  options: CheckOptions;
  operator: TableStores;
}

// Few, because new accounts run ten functions concurrently
// (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
const suitesAtOnce = 3;
const rulesAtOnce = 2;

// A check takes minutes, and longer if it uses up the budget.
const tokenDays = 1 / 24;

/**
 * Runs the command `check`. If the check cannot begin, prints one line.
 * @param args the arguments after the program's name
 * @returns the exit code
 */
export async function runCheck(args: readonly string[], programIo: ProgramIo): Promise<number> {
  // Lines quote responses.
  const io = { ...programIo, printError: (line: string) => programIo.printError(displayed(line)) };
  let options: CheckOptions = {};
  try {
    options = readOptions(args, io);
    const { remove } = options;
    if (remove !== undefined) {
      return await withOperator(options, io, (operator) => removeLeft({ io, options, operator }, remove));
    }
    const target = { url: urlOf(options, io.variables), chosenSuites: chosen(options) };
    return await withOperator(options, io, (operator) => check({ io, options, operator }, target));
  } catch (error) {
    if (error instanceof Stopped) return error.exitCode;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    io.printError(explain(error, options, io.variables));
    return 2;
  }
}

async function check(
  { io, options, operator }: CheckRun,
  { url, chosenSuites }: { url: string; chosenSuites: readonly Suite[] },
): Promise<number> {
  const name = newName(operator.now());
  const report = beginReport(io, { name, url, isJson: options.json === true, suites: chosenSuites });
  const leftover = `${name} is not removed. Run: ${removeCommand(options, name)}`;
  const runWhole = async (signal: AbortSignal) => {
    const sleep = io.sleep ?? ((milliseconds: number) => wait(milliseconds, undefined, { signal }));
    const client = httpClient({ url, signal, sleep, onWait: report.wait });
    const driver: Driver = { send: client.send, operator, sleep, tokenDays, gateway: true };
    let organizations: readonly Organization[] = [];
    const fault = await findParts(client.send, url)
      .then(async (found) => {
        const service = new Service({ ...driver, ...capabilitiesOf(options, found) }, name);
        organizations = service.organizations;
        await expectApi(service, url, options);
        report.find(found);
        await runAll(chosenSuites, service, report, signal);
      })
      .then(
        () => undefined,
        (error: unknown) => (signal.aborted ? signal.reason : error),
      );
    const isBegun = fault === undefined || fault instanceof Stopped;
    if (fault instanceof Stopped) io.printError('Stopping: the remaining rules are not checked');
    if (isBegun) io.printError(`Removing ${name}, within half a minute`);
    // The removal continues when a signal stops the rules.
    const isRemoved = await removeOwn(operator, name, organizations, io.sleep ?? wait).then(
      () => true,
      (error: unknown) => {
        io.printError(`Not removed: ${faultText(error)}`);
        io.printError(leftover);
        return false;
      },
    );
    if (isBegun) report.end(client.counts);
    if (fault !== undefined) throw fault;
    return report.isHeld() && isRemoved ? 0 : 1;
  };
  return interruptible(io, leftover, (runStoppable) => runStoppable(runWhole));
}

/** Returns the chosen suites and the suite about every response. */
function chosen({ only = [''] }: CheckOptions): readonly Suite[] {
  const chosenSuites = only.flatMap((begin) => {
    const some = suites.filter(({ name }) => name.toLowerCase().startsWith(begin.toLowerCase()));
    if (some.length > 0) return some;
    throw new Error(
      `No suite begins with ${begin}. The suites are ${suites.map(({ name }) => name).join(', ')}.`,
    );
  });
  return [...new Set([...chosenSuites, everyResponseSuite])];
}

/**
 * Returns the parts of the deployment that were found or that an option requires. The rules of a part that is
 * required but missing fail.
 */
function capabilitiesOf({ origin, ...required }: CheckOptions, found: readonly OptionalPart[]) {
  const has = (part: OptionalPart): true | undefined =>
    required[part] || found.includes(part) ? true : undefined;
  return {
    origin,
    moderation: has('moderation'),
    pages: has('pages'),
    media: has('media'),
    desk: has('desk'),
  };
}

/** @throws an error with advice if this API does not respond at the URL */
async function expectApi(service: Service, url: string, { table }: CheckOptions): Promise<void> {
  const response = await (await service.begin()).list();
  // The rules report other failures.
  if (response.status < 500 && typeof response.body === 'string') {
    throw new Error(`${url} is not this API: it responded with ${responseText(response)}`);
  }
  if (response.status === 401) {
    const where = table === undefined ? 'in the DynamoDB of the local service' : `in the table ${table}`;
    throw new Error(
      `${url} does not accept a token just issued ${where}. Check that --url, --table and --endpoint belong to one deployment.`,
    );
  }
}

/** Runs the suites, some concurrently. A failed rule does not stop the others. */
async function runAll(
  chosenSuites: readonly Suite[],
  service: Service,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const runOne = (suite: Suite) => runSuite(suite, service, report, signal);
  const alone = chosenSuites.filter(({ isAlone }) => isAlone);
  const others = chosenSuites.filter(({ isAlone }) => !isAlone);
  await atOnce(others, runOne, suitesAtOnce);
  await atOnce(alone, runOne, 1);
}

/**
 * Runs work for each item.
 * @throws the first error, after all work has ended
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

async function runSuite(suite: Suite, service: Service, report: Report, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const rules = suite.rules.map(rulesOf);
  const canRun = (rule: Rule) => applies(rule, service.driver);
  if (rules.flat().some(canRun)) {
    const organization = await service.begin();
    const checkRule = async (rule: Rule) => {
      signal.throwIfAborted();
      const outcome = await runRule(rule, organization).then(
        (seen) => ({ held: true, seen }),
        (error: unknown) => ({ held: false, seen: faultText(error) }),
      );
      signal.throwIfAborted();
      if (rule !== prepare || !outcome.held) report.add(suite, { rule: rule.name, ...outcome });
      return outcome.held;
    };
    const prepare: Rule = {
      name: 'its testimonials are created',
      check: async (api) => suite.prepare?.(api),
    };
    const isPrepared = suite.prepare === undefined || (await checkRule(prepare));
    for (const group of isPrepared ? rules : []) {
      await atOnce(group.filter(canRun), checkRule, rulesAtOnce);
    }
  }
  report.endSuite(
    suite,
    rules.flat().filter((rule) => !canRun(rule)),
  );
}

/** Removes the organizations of a check that was killed. */
async function removeLeft({ io, operator }: CheckRun, name: string): Promise<number> {
  await interruptible(io, 'Run the command again to remove the rest.', () =>
    removeOwn(operator, name, [], io.sleep ?? wait),
  );
  io.print(
    `${name} is removed. Its Idempotency-Keys expire within 24 hours, and those of its forms within 30 days.`,
  );
  return 0;
}

/** Returns the command that removes the organizations of a check. */
function removeCommand({ table, endpoint }: CheckOptions, name: string): string {
  const target = [table && `--table ${table}`, endpoint && `--endpoint ${endpoint}`].filter(Boolean);
  return ['npm run check --', ...target, `--remove ${name}`].join(' ');
}
