/** Somebody at a terminal, who presses keys and answers questions as a test says. */
import type { Person } from '../lib/operator/terminal/program-io.ts';

export interface TestPerson extends Person {
  /** What was asked so far. */
  asked: string[];
}

/**
 * @param keys pressed one after the other, each when it is waited for; a generator can do something in between
 * @param style makes formats visible, where a test looks at them
 */
export function personWith({
  keys = [],
  answers = [],
  columns = 80,
  style = (_, text) => text,
}: {
  keys?: Iterable<string> | AsyncIterable<string>;
  answers?: string[];
  columns?: number;
  style?: Person['style'];
}): TestPerson {
  const asked: string[] = [];
  return {
    asked,
    columns: () => columns,
    style,
    async ask(question) {
      asked.push(question);
      return answers.shift() ?? '';
    },
    async *keys() {
      yield* keys;
    },
  };
}
