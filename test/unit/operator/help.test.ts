/** The help of the commands: lib/operator/help.json has their descriptions and examples. */
import { expect, test } from '@jest/globals';
import { invitationDays } from '../../../functions/serve-desk/people.ts';
import help from '../../../lib/operator/help.json' with { type: 'json' };
import { runOperator } from '../../../lib/operator/run.ts';
import { printedBy } from '../../admin.ts';

const run = (args: readonly string[]) => printedBy({}, (io) => runOperator(args, io));

const commands = Object.entries<{ description: string; examples?: string[] }>(help);
const examples = commands.flatMap(([path, { examples: all = [] }]) =>
  all.map((each) => ({ path, example: each })),
);

/** Splits an example as a shell does. */
function wordsOf(example: string): string[] {
  const [command = ''] = example.split(' #');
  return Array.from(command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, ...words]) => words.join(''));
}

test.each(commands)(
  '%s prints its description and its examples',
  async (path, { description, examples: all = [] }) => {
    const { code, stdout } = await run([...path.split(' '), '--help']);
    expect(code).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain(description);
    expect(stdout.split('\n').filter((line) => line.startsWith('  npm run admin'))).toEqual(
      all.map((example) => `  npm run admin -- ${example}`),
    );
  },
);

test.each(examples)('$example is accepted by $path', async ({ path, example }) => {
  expect(example.startsWith(path)).toBe(true);
  const { stderr } = await run([...wordsOf(example), '--endpoint', 'nowhere']);
  // Its options are right. It fails later: for want of a DynamoDB, or of the file of erasures.
  expect(stderr).toMatch(/^(--endpoint must be a URL|There is no file erased\.json)/);
});

test('the description of an invitation says how long it lasts', () => {
  expect(help['desk invite'].description).toContain(`after ${invitationDays} days`);
});
