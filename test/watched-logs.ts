/**
 * What the product logs in tests: kept instead of printed, and looked through when a suite is over. No line may have a
 * token, an e-mail address, or an author or a content that a testimonial of the suite has.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { afterAll, expect } from '@jest/globals';

const written: string[] = [];
const remembered = new Set<string>();

/** What looks like something of a customer. */
const patterns: Record<string, RegExp> = {
  'a token': /tst_[0-9A-Za-z]{36}/,
  'the hash of a token': /\b[0-9a-f]{64}\b/,
  'an e-mail address': /[^\s"'<>@/]+@[^\s"'<>@/]+\.[^\s"'<>@/]+/,
};

// What is shorter can stand in a log by chance.
const shortestText = 8;

/** Finds what is a customer's in a log: a line for each text that is in it, and for what looks like a token or an address. */
export function leaksIn(log: string, texts: Iterable<string> = []): string[] {
  const found = Object.entries(patterns).flatMap(([name, pattern]) => {
    const [match] = pattern.exec(log) ?? [];
    return match === undefined ? [] : [`${name}: ${match}`];
  });
  // As it is, in JSON, or in JSON that is in JSON, which are no shorter.
  const isIn = (text: string) =>
    new Set([text, escaped(text), escaped(escaped(text))]).values().some((each) => log.includes(each));
  const given = [...texts]
    .filter(({ length }) => length >= shortestText && length <= log.length)
    .filter(isIn);
  return [...found, ...given.map((text) => `a text: ${text}`)];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Remembers what no log of the suite may have from now on. */
export function remember(...texts: (string | undefined)[]): void {
  for (const text of texts) if (text !== undefined) remembered.add(text);
}

/** Does work; returns with its result what all watched loggers have written meanwhile. */
export async function logsOf<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; logged: string }> {
  const before = written.length;
  const result = await work();
  return { result, logged: written.slice(before).join('\n') };
}

/** A logger of the product. */
export class WatchedLogger extends Logger {
  readonly #own: string[] = [];

  constructor() {
    super({ logLevel: 'DEBUG', serviceName: 'test' });
  }

  /** What it has written. */
  get lines(): Record<string, unknown>[] {
    return this.#own.map((line) => JSON.parse(line));
  }

  protected override printLog(...[, log]: Parameters<Logger['printLog']>): void {
    const line = JSON.stringify(log.getAttributes(), this.getJsonReplacer());
    this.#own.push(line);
    written.push(line);
  }
}

/** Expects that a log has nothing of a customer, nor of what is remembered. */
export function expectNoLeak(log: string): void {
  expect(leaksIn(log, remembered)).toEqual([]);
}

afterAll(() => expectNoLeak(written.join('\n')));
