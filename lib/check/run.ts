/** Checks a deployment: makes an organization, plays the contract in it, and removes it. */
import { setTimeout as wait } from 'node:timers/promises';
import { CommanderError } from 'commander';
import type { Operator } from '../operator/session.ts';
import { sessionOf } from '../operator/session.ts';
import { explain, withOperator } from '../operator/target.ts';
import { displayed } from '../operator/terminal/formatting.ts';
import { interruptible, Stopped } from '../operator/terminal/interruptible.ts';
import type { ProgramIo } from '../operator/terminal/program-io.ts';
import { showProgress } from '../operator/terminal/progress.ts';
import { contractOf } from './contract/contract.ts';
import { EveryAnswer } from './contract/every-answer.ts';
import { removal } from './contract/removal.ts';
import { type Answer, answerText, DeployedApi } from './deployed-api.ts';
import type { Chapter, Check, Deployment } from './deployment.ts';
import { KnownTestimonials } from './known-testimonials.ts';
import { faultText } from './not-held.ts';
import { type CheckOptions, readOptions, urlOf } from './options.ts';
import { makeOrganization, newOrganizationName, removeOwn, removeUnused } from './own-organization.ts';
import { beginReport, outcomeText, type Report } from './report.ts';

/** What is checked, and how. */
interface Situation {
  io: ProgramIo;
  options: CheckOptions;
  operator: Operator;
  size: number;
}

/**
 * Runs the command `check`. What could not even begin is said in one line.
 * @param args as they stand behind the program's name
 * @param size testimonials that lists are tried with; fewer in tests
 * @returns the exit code
 */
export async function runCheck(args: readonly string[], given: ProgramIo, size = 1000): Promise<number> {
  // Lines quote answers.
  const io = { ...given, printError: (line: string) => given.printError(displayed(line)) };
  let options: CheckOptions = {};
  try {
    options = readOptions(args, io);
    const { remove } = options;
    const url = remove === undefined ? urlOf(options, io.variables) : '';
    return await withOperator(options, io, (operator) => {
      const situation = { io, options, operator, size };
      return remove === undefined ? check(situation, url) : removeLeft(situation, remove);
    });
  } catch (error) {
    if (error instanceof Stopped) return error.exitCode;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    io.printError(explain(error, options, io.variables));
    return 2;
  }
}

async function check(situation: Situation, url: string): Promise<number> {
  const { io, options, operator } = situation;
  const { clock = Date.now, sleep = wait } = io;
  const organization = newOrganizationName(operator.now());
  const everyAnswer = new EveryAnswer();
  const chapters = contractOf(everyAnswer, options.origin !== undefined);
  const afterwards = [{ heading: 'Afterwards', checks: [removal] }];
  const isJson = options.json === true;
  const report = beginReport(io, [...chapters, ...afterwards], { isJson });
  const whatIsLeft = () => `${organization} is left. Remove it by: ${removeCommand(options, organization)}`;
  const playWhole = async (signal: AbortSignal) => {
    const begin = clock();
    const deployment = await visit(situation, { url, organization, everyAnswer, signal }).catch(
      async (error: unknown) => {
        await removeUnused(operator, organization).catch(() => io.printError(whatIsLeft()));
        throw signal.aborted ? signal.reason : error;
      },
    );
    const fault = await playAll(chapters, deployment, report).then(
      () => undefined,
      (error: unknown) => (signal.aborted ? signal.reason : error),
    );
    if (fault instanceof Stopped) io.printError('Stopping: the rest is not played');
    io.printError(`Removing ${organization}, within half a minute`);
    // It is not to be stopped by what has stopped the others.
    await playAll(afterwards, { ...deployment, sleep, signal: new AbortController().signal }, report);
    const { rows, checks } = report;
    if (rows.at(-1)?.held === false) io.printError(whatIsLeft());
    const { waits } = deployment.api;
    const outcome = { organization, url, rows, checks, milliseconds: clock() - begin, waits };
    io.print(outcomeText(outcome, { isJson }));
    if (fault !== undefined) throw fault;
    return rows.every(({ held }) => held) ? 0 : 1;
  };
  return interruptible(io, whatIsLeft, (letEnd) => letEnd(playWhole));
}

/** Makes the organization, and looks whether the API is there, and is that of the table. */
async function visit(
  { io, options, operator, size }: Situation,
  {
    url,
    organization,
    everyAnswer,
    signal,
  }: {
    url: string;
    organization: string;
    everyAnswer: EveryAnswer;
    signal: AbortSignal;
  },
): Promise<Deployment> {
  const { clock = Date.now } = io;
  const sleep = io.sleep ?? ((milliseconds: number) => wait(milliseconds, undefined, { signal }));
  const tokens = await makeOrganization(operator, organization);
  let toldAt = Number.NEGATIVE_INFINITY;
  const api = new DeployedApi({
    ...{ url, token: tokens.readWrite, signal, sleep },
    onAnswer: (answer) => everyAnswer.see(answer),
    onWait(why, seconds) {
      // Of many at once, one.
      if (clock() - toldAt >= 1000) io.printError(`${why}: waiting ${seconds} s`);
      toldAt = clock();
    },
  });
  await expectApi(api, url, options);
  return {
    ...{ api, tokens, size, signal, sleep, clock, origin: options.origin },
    session: sessionOf(operator, organization, io),
    known: new KnownTestimonials(),
    progress: showProgress(io),
  };
}

/** @throws what to do where nothing answers there, or something else */
async function expectApi(api: DeployedApi, url: string, { table }: CheckOptions): Promise<void> {
  const answer = await api.list().catch((error: unknown): Answer => {
    throw new Error(`No API answers at ${url} (${faultText(error)}): look at --url, and whether it runs.`);
  });
  // What fails is for the checks to tell.
  if (answer.status < 500 && answer.body === undefined) {
    throw new Error(`What answers at ${url} is not this API: ${answerText(answer)}`);
  }
  if (answer.status === 401) {
    const where = table === undefined ? 'in the DynamoDB of the local service' : `in the table ${table}`;
    throw new Error(
      `${url} does not know a token that was just issued ${where}: are both of one deployment? See --url, --table and --endpoint.`,
    );
  }
}

/** Plays one check after the other; a fault in one does not stop the others. */
async function playAll(chapters: readonly Chapter[], deployment: Deployment, report: Report): Promise<void> {
  for (const { heading, checks } of chapters) {
    for (const each of checks) await play(heading, each, deployment, report);
  }
}

async function play(
  heading: string,
  { name, play: playOne }: Check,
  deployment: Deployment,
  report: Report,
): Promise<void> {
  const { clock, progress, signal } = deployment;
  const begin = clock();
  let held = true;
  const seen = await playOne(deployment)
    .catch((error: unknown) => {
      signal.throwIfAborted();
      held = false;
      return faultText(error);
    })
    .finally(() => progress.end());
  report.add({ heading, name, held, milliseconds: clock() - begin, ...(seen !== undefined && { seen }) });
}

/** Removes what a check has left that could not do so itself. */
async function removeLeft({ io, operator }: Situation, organization: string): Promise<number> {
  await interruptible(io, 'Run it again: it removes the rest.', () =>
    removeOwn(operator, organization, { ...(io.sleep && { sleep: io.sleep }) }),
  );
  io.print(`${organization} removed; its Idempotency-Keys expire within 24 hours`);
  return 0;
}

/** The command that removes what is left of an organization. */
function removeCommand({ table, endpoint }: CheckOptions, organization: string): string {
  const target = [table && `--table ${table}`, endpoint && `--endpoint ${endpoint}`].filter(Boolean);
  return ['npm run check --', ...target, `--remove ${organization}`].join(' ');
}
