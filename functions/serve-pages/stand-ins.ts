/**
 * Stand-ins for built-in methods that use only syntax. Libraries such as Prototype.js and MooTools replace
 * `Array.from`, `Object.keys` and methods of arrays, texts and functions, and the scripts of walls also run
 * on pages with these libraries.
 */

/**
 * Returns the results of a function for each value, without undefined ones. Replaces `map`, `filter` and
 * `find`.
 */
export function collect<Value, Result>(
  values: Iterable<Value>,
  use: (value: Value, index: number) => Result | undefined,
): Result[] {
  const results: Result[] = [];
  let index = 0;
  for (const value of values) {
    const result = use(value, index++);
    if (result !== undefined) results[results.length] = result;
  }
  return results;
}

export function isIn<Value>(list: Iterable<Value>, value: unknown): value is Value {
  for (const each of list) if (each === value) return true;
  return false;
}

/**
 * Returns a copy of an object's own properties, without those that a page has added to `Object.prototype`.
 */
export function ownOf<Values extends object>(values: Values | undefined): Values {
  return { __proto__: null, ...values } as unknown as Values; // the spread has all of them
}

/** Returns the names of an object's own properties. */
export function namesOf<Values extends object>(values: Values): (keyof Values & string)[] {
  const names: (keyof Values & string)[] = [];
  for (const name in ownOf(values)) names[names.length] = name;
  return names;
}

/**
 * Returns every match of a global pattern that matches no empty text: the first group, or the whole match if
 * the group is absent.
 */
export function matchesOf(text: string, pattern: RegExp): string[] {
  const matches: string[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    matches[matches.length] = match[1] ?? match[0];
  }
  return matches;
}

/** Returns a text without white space at its ends. */
export function trimmed(text: string): string {
  return /\S(?:.*\S)?/s.exec(text)?.[0] ?? '';
}
