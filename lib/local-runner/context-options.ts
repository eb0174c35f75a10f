/** Values of a stage on the command line, in the form of `cdk`: `-c name=value`. */
import { parseArgs } from 'node:util';

/**
 * Reads a command line with values of the stage.
 * @returns the values, and the other arguments
 * @throws an error that names the invalid or repeated value
 */
export function readContextOptions(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { context: { type: 'string', short: 'c', multiple: true } },
    allowPositionals: true,
  });
  const { context = [] } = values;
  if (context.some((each) => !/^[^=]+=/.test(each)))
    throw new Error('-c takes name=value, as in -c corsOrigins=http://localhost:5173');
  const names = context.map((each) => each.split('=', 1).join());
  const duplicate = names.find((name, i) => names.indexOf(name) < i);
  if (duplicate !== undefined) throw new Error(`-c ${duplicate} is repeated: give it one value`);
  const entries = context.map((each): [string, string] => {
    const [name = '', value = ''] = each.split(/=(.*)/s);
    return [name, value];
  });
  return { context: Object.fromEntries(entries), positionals };
}
