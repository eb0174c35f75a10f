/**
 * Collects the log lines of tests instead of printing them, and checks them at the end of a suite: no line
 * may contain a token, an e-mail address, or the author or content of a testimonial.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { afterAll, expect } from '@jest/globals';

const written: string[] = [];
const remembered = new Set<string>();

/** Patterns of customers' data. */
const patterns: Record<string, RegExp> = {
  'a token': /tst_[0-9A-Za-z]{36}/,
  'the hash of a token': /\b[0-9a-f]{64}\b/,
  'an e-mail address': /[^\s"'<>@/]+@[^\s"'<>@/]+\.[^\s"'<>@/]+/,
};

// Shorter texts can be in a log by chance.
const shortestText = 8;

/** Returns a line for each leak in a log: the given texts, tokens and e-mail addresses. */
export function leaksIn(log: string, texts: Iterable<string> = []): string[] {
  const matches = Object.entries(patterns).flatMap(([name, pattern]) => {
    const [match] = pattern.exec(log) ?? [];
    return match === undefined ? [] : [`${name}: ${match}`];
  });
  // As it is, in JSON, or in JSON within JSON; none of these is shorter.
  const isIn = (text: string) =>
    new Set([text, escaped(text), escaped(escaped(text))]).values().some((each) => log.includes(each));
  const leaked = [...texts]
    .filter(({ length }) => length >= shortestText && length <= log.length)
    .filter(isIn);
  return [...matches, ...leaked.map((text) => `a text: ${text}`)];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Adds texts that no log of the suite may contain. */
export function remember(...texts: (string | undefined)[]): void {
  for (const text of texts) if (text !== undefined) remembered.add(text);
}

/** Does work; returns its result, and the lines that all watched loggers wrote meanwhile. */
export async function logsOf<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; logged: string }> {
  const before = written.length;
  const result = await work();
  return { result, logged: written.slice(before).join('\n') };
}

/** The product's logger, watched. */
export class WatchedLogger extends Logger {
  readonly #own: string[] = [];

  constructor() {
    super({ logLevel: 'DEBUG', serviceName: 'test' });
  }

  get lines(): Record<string, unknown>[] {
    return this.#own.map((line) => JSON.parse(line));
  }

  protected override printLog(...[, log]: Parameters<Logger['printLog']>): void {
    const line = JSON.stringify(log.getAttributes(), this.getJsonReplacer());
    this.#own.push(line);
    written.push(line);
  }
}

/** Expects a log without customers' data and remembered texts. */
export function expectNoLeak(log: string): void {
  expect(leaksIn(log, remembered)).toEqual([]);
}

afterAll(() => expectNoLeak(written.join('\n')));
