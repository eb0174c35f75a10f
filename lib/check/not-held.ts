/** What was seen instead of what the contract says, in words that stand behind a check's name. */
import { isDeepStrictEqual } from 'node:util';

/** A check did not hold. */
export class NotHeld extends Error {
  override name = 'NotHeld';
}

/**
 * @param what names the value, as in `the total`
 * @throws {NotHeld} when they differ; of objects it names the first member that does
 */
export function expectSame(what: string, seen: unknown, expected: unknown): void {
  if (isDeepStrictEqual(seen, expected)) return;
  if (!isRecord(seen) || !isRecord(expected)) {
    throw new NotHeld(`${what}: ${shown(seen)} instead of ${shown(expected)}`);
  }
  for (const name of Object.keys({ ...expected, ...seen })) {
    expectSame(`${what}, ${name}`, seen[name], expected[name]);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// A line of a terminal or two.
const longest = 200;

/** A value in a few words. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** What was seen instead, or what went wrong before anything was. */
export function faultText(error: unknown): string {
  if (!Error.isError(error)) return String(error);
  const { cause, message, name } = error;
  if (!Error.isError(cause)) return message || name;
  // What fetch throws says why in its cause; that of several addresses has a code only.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
