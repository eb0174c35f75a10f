/** Somebody at a terminal, who answers questions as a test says. */
import type { Person } from '../lib/operator/terminal/program-io.ts';

export interface TestPerson extends Person {
  /** What was asked so far. */
  asked: string[];
}

/**
 * @param style makes formats visible, where a test looks at them
 */
export function personWith({
  answers = [],
  columns = 80,
  style = (_, text) => text,
}: {
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
  };
}
