/** A person at a terminal with prepared answers. */
import type { Terminal } from '../lib/operator/terminal/program-io.ts';

export interface TestPerson extends Terminal {
  /** The questions so far. */
  asked: string[];
}

/** @param style makes formats visible to a test */
export function personWith({
  answers = [],
  columns = 80,
  style = (_, text) => text,
}: {
  answers?: string[];
  columns?: number;
  style?: Terminal['style'];
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
