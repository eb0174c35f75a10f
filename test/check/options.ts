/** The command line of the check: `npm run check -- --url <url> --table <name>`. */
import { InvalidArgumentError } from 'commander';
import { readSettings } from '../../lib/local-runner/settings.ts';
import { StrictCommand } from '../../lib/operator/command-context.ts';
import type { TargetOptions } from '../../lib/operator/target.ts';
import type { ProgramIo } from '../../lib/operator/terminal/program-io.ts';
import { packageVersion } from '../../lib/package-version.ts';
import { isNameOfCheck } from './own-organizations.ts';

export interface CheckOptions extends TargetOptions {
  /** Without a slash at its end. */
  url?: string;
  origin?: string;
  moderation?: true;
  json?: true;
  /** Words that the names of suites begin with. */
  only?: string[];
  /** The name of a check that has left something. */
  remove?: string;
}

const help = `
It plays the contract as clients would, in organizations of its own (check-…), which it removes in the end, also after
Ctrl-C: some 1,700 requests, a few minutes, a few US cents. Nothing else is read or changed.

Exit codes: 0 where all held, 1 where something did not, 2 where it could not begin.

Examples:
  npm run check -- --url https://abcdef1234.execute-api.us-east-1.amazonaws.com --table <TableName>
  npm run check -- --url https://api.example.com --table <TableName> --origin https://www.example.com
  npm run check                          # the running local service
  npm run check -- --only "published lists"
  npm run --silent check -- --json       # for scripts
  npm run check -- --table <TableName> --remove check-20261122-093000-0a1b2c`;

/**
 * Reads the options.
 * @throws {CommanderError} where they are wrong, or help was asked for
 */
export function readOptions(args: readonly string[], io: ProgramIo): CheckOptions {
  const program = new StrictCommand('check')
    .description('Checks a deployment from the outside, against the contract of its API')
    .version(packageVersion(), '--version', 'print the version')
    .option('--url <url>', 'the API: the output ApiUrl of cdk deploy', httpUrl)
    .option('--table <name>', 'its table on AWS, reached with the ambient credentials: the output TableName')
    .option('--endpoint <url>', 'another DynamoDB than the running local service’s')
    .option(
      '--origin <origin>',
      'of a page that may call the API, as corsOrigins has it: also checks CORS',
      origin,
    )
    .option('--moderation', 'it is deployed with moderation=true: also checks the operations that has')
    .option('--json', 'print JSON, for scripts')
    .option('--only <suite...>', 'play only the suites whose names begin so')
    .option('--remove <check>', 'only remove what a check has left', nameOfCheck)
    .addHelpText('after', help)
    .configureHelp({ styleTitle: (title) => io.person?.style('bold', title) ?? title })
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.printError(text.trimEnd()),
      outputError: () => {},
    })
    .exitOverride()
    .allowExcessArguments(false);
  program.parse(args, { from: 'user' });
  return program.opts<CheckOptions>();
}

/**
 * The address of the API: of the running local service, where nothing else is said.
 * @throws where it has to be named
 */
export function urlOf({ url, table }: CheckOptions, variables: NodeJS.ProcessEnv): string {
  if (url !== undefined) return url;
  if (table !== undefined) throw new Error('Name the API with --url: cdk deploy printed it as ApiUrl.');
  return httpUrl(variables.TESTIMONIALS_URL || `http://127.0.0.1:${readSettings(variables).PORT}`);
}

function httpUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new InvalidArgumentError(
      'It must be a URL like https://abcdef1234.execute-api.us-east-1.amazonaws.com.',
    );
  }
  return value.replace(/\/+$/, '');
}

function origin(value: string): string {
  if (URL.canParse(value) && new URL(value).origin === value) return value;
  throw new InvalidArgumentError('It must be an origin like https://www.example.com.');
}

function nameOfCheck(value: string): string {
  if (isNameOfCheck(value)) return value;
  throw new InvalidArgumentError('It must be the name of a check, as check-20261122-093000-0a1b2c.');
}
