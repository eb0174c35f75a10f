/** The command line of the check: `npm run check -- --url <url> --table <name>`. */
import { InvalidArgumentError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { readSettings } from '../local-runner/settings.ts';
import { StrictCommand } from '../operator/command-context.ts';
import type { TargetOptions } from '../operator/target.ts';
import type { ProgramIo } from '../operator/terminal/program-io.ts';
import { isNameOfCheck } from './own-organizations.ts';

export interface CheckOptions extends TargetOptions {
  /** Without a trailing slash. */
  url?: string;
  origin?: string;
  moderation?: true;
  pages?: true;
  media?: true;
  desk?: true;
  json?: true;
  /** Prefixes of suite names. */
  only?: string[];
  /** The name of a check whose organizations to remove. */
  remove?: string;
}

const help = `
The check sends some 1,700 requests as clients would, in organizations of its own (check-…), which it removes at the end, also after
Ctrl-C. It takes a few minutes and costs a few US cents. It reads and changes nothing else, and no event is published about it. It finds
out by itself whether the service has moderation, forms and walls, photos and recordings, and a desk.

Exit codes: 0 if every rule passed, 1 if not, 2 if the check could not begin.

Examples:
  npm run check -- --url https://abcdef1234.execute-api.us-east-1.amazonaws.com --table <TableName>
  npm run check -- --url https://api.example.com --table <TableName> --origin https://www.example.com
  npm run check                          # the running local service
  npm run check -- --only "published lists"
  npm run --silent check -- --json       # for scripts
  npm run check -- --table <TableName> --remove check-20261122-093000-0a1b2c`;

/**
 * Reads the options.
 * @throws {CommanderError} for invalid options, and for --help
 */
export function readOptions(args: readonly string[], io: ProgramIo): CheckOptions {
  const program = new StrictCommand('check')
    .description('Check a deployment from the outside against the contract of its API')
    .version(packageJson.version, '--version', 'print the version')
    .option('--url <url>', 'the API: the output ApiUrl of cdk deploy', httpUrl)
    .option(
      '--table <name>',
      'its table on AWS: the output TableName of cdk deploy; uses your AWS credentials',
    )
    .option('--endpoint <url>', 'URL of another DynamoDB (default: that of the running local service)')
    .option('--origin <origin>', 'an origin of corsOrigins: also check CORS', origin)
    .option('--moderation', 'fail if the service lacks the operations of moderation=true')
    .option('--pages', 'fail if the service lacks the forms and walls of pages=true')
    .option('--media', 'fail if the service lacks the photos and recordings of media=true')
    .option('--desk', 'fail if the service lacks the desk of desk=true')
    .option('--json', 'print JSON, for scripts')
    .option('--only <suite...>', 'check only suites whose names begin with this text')
    .option('--remove <check>', 'remove the organizations that a check left behind', nameOfCheck)
    .addHelpText('after', help)
    .configureHelp({ styleTitle: (title) => io.terminal?.style('bold', title) ?? title })
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
 * Returns the URL of the API, by default of the running local service.
 * @throws if --table is given without --url
 */
export function urlOf({ url, table }: CheckOptions, variables: NodeJS.ProcessEnv): string {
  if (url !== undefined) return url;
  if (table !== undefined) throw new Error('Add --url: cdk deploy printed it as ApiUrl.');
  return httpUrl(variables.TESTIMONIALS_URL || `http://127.0.0.1:${readSettings(variables).PORT}`);
}

function httpUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new InvalidArgumentError('Use a URL like https://abcdef1234.execute-api.us-east-1.amazonaws.com.');
  }
  return value.replace(/\/+$/, '');
}

function origin(value: string): string {
  if (URL.canParse(value) && new URL(value).origin === value) return value;
  throw new InvalidArgumentError('Use an origin like https://www.example.com.');
}

function nameOfCheck(value: string): string {
  if (isNameOfCheck(value)) return value;
  throw new InvalidArgumentError('Use the name of a check, like check-20261122-093000-0a1b2c.');
}
