/** The parts that all commands of the operator's command line share. */
import { Command, InvalidArgumentError, Option } from 'commander';
import * as v from 'valibot';
import { organizationName } from '../../functions/domain/organization-name.ts';
import { newOrganizationName } from '../../functions/domain/token.ts';
import help from './help.json' with { type: 'json' };
import { type Operator, type OrganizationTools, sessionOf } from './session.ts';
import { explain, type TargetOptions, withOperator } from './target.ts';
import { displayed, jsonText, shellText } from './terminal/formatting.ts';
import type { ProgramIo } from './terminal/program-io.ts';

type GlobalOptions = TargetOptions & { json?: true };

/** Returns the input and output of a command. */
function outputOf(processIo: ProgramIo, args: readonly string[], globals: () => GlobalOptions) {
  const io = {
    ...processIo,
    // Errors and warnings quote names, files and texts.
    printError: (line: string) => processIo.printError(displayed(withTarget(line, globals()))),
  };
  const isJson = () => globals().json === true;
  return {
    io,
    args,
    isJson,
    /** Prints a value as JSON with `--json`, otherwise as text. Prints nothing if there is no text. */
    show(value: unknown, text: () => string | undefined): void {
      const shown = isJson() ? jsonText(value) : withTarget(text(), globals());
      if (shown !== undefined) io.print(shown);
    },
  };
}

/** One organization, with the input and output of a command. */
export type CommandSession = OrganizationTools & ReturnType<typeof outputOf>;

/** The input and output of a command, and the table that it works on. */
export type CommandContext = ReturnType<typeof contextOf>;

/**
 * @param args the command line, without the program's name
 * @param globals returns the options that every command has
 */
export function contextOf(processIo: ProgramIo, args: readonly string[], globals: () => GlobalOptions) {
  const output = outputOf(processIo, args, globals);
  const { io } = output;
  /**
   * Opens the target, runs the work, and closes the target.
   * @param unreadableText the text about an item that cannot be read
   * @throws {PartlyFailed} at the end, if the work skipped an unreadable item
   */
  const onTarget = async (
    work: (operator: Operator) => Promise<void>,
    unreadableText = 'It is left out.',
  ) => {
    const leftOut = new Set<string>();
    const onUnreadable = ({ message }: Error) => {
      if (!leftOut.has(message)) io.printError(`${message}. ${unreadableText}`);
      leftOut.add(message);
    };
    await withOperator(globals(), { ...io, onUnreadable }, work);
    if (leftOut.size > 0) throw new PartlyFailed();
  };
  const onOrganization = (
    organization: string,
    work: (session: CommandSession) => Promise<void>,
    unreadableText?: string,
  ) => onTarget((operator) => work({ ...output, ...sessionOf(operator, organization, io) }), unreadableText);
  return {
    ...output,
    withOperator: onTarget,
    onOrganization,
    /**
     * Adds a command on one organization, with its required `--organization`. Its method `run` sets the
     * action, which receives the organization, then the arguments and the options of the command.
     * @param option `newOrganizationOption()` for a command that creates the organization
     */
    organizationCommand(parent: Command, path: CommandPath, option = organizationOption()) {
      const command = addCommand(parent, path).addOption(option.makeOptionMandatory());
      const run = <Args extends unknown[]>(work: (session: CommandSession, ...args: Args) => Promise<void>) =>
        command.action((...args: Args) =>
          onOrganization(command.opts().organization, (session) => work(session, ...args)),
        );
      return Object.assign(command, { run });
    },
    /** Returns an error as one line with advice. */
    explain: (error: unknown) => withTarget(explain(error, globals(), io.variables), globals()),
  };
}

/** Adds the target's options to the commands in a text, so that they can be pasted. */
export function withTarget<Text extends string | undefined>(text: Text, { table, endpoint }: TargetOptions) {
  const options = Object.entries({ table, endpoint }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  if (text === undefined || options.length === 0 || / --(table|endpoint)\b/.test(text)) return text;
  return text.replaceAll('npm run admin -- ', `npm run admin -- ${shellText(options)} `);
}

/** A part of the work failed, and the command has already reported it. */
export class PartlyFailed extends Error {}

/** The names of a command and of its parents. */
export type CommandPath = keyof typeof help;

/** Adds a command with its description and its examples. */
export function addCommand(parent: Command, path: CommandPath): Command {
  const { description, examples = [] }: { description: string; examples?: string[] } = help[path];
  const name = path.slice(path.lastIndexOf(' ') + 1);
  const command = parent.command(name).description(description);
  return examples.length > 0 ? command.addHelpText('after', exampleText(examples)) : command;
}

export function organizationOption(
  description = 'name of the organization',
  schema: v.GenericSchema<unknown, string> = organizationName,
): Option {
  return new Option('--organization <name>', description).argParser(checkedBy(schema));
}

/** The option of a command that creates the organization if it does not exist. */
export const newOrganizationOption = (description?: string) =>
  organizationOption(description, newOrganizationName);

/** Returns a parser for an option whose value must fit a schema. */
export function checkedBy<Output>(schema: v.GenericSchema<unknown, Output>): (value: string) => Output {
  return (value) => {
    const { success, output, issues } = v.safeParse(schema, value);
    if (success) return output;
    throw new InvalidArgumentError(`It ${issues[0].message}.`);
  };
}

export function exampleText(lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  npm run admin -- ${line}`)].join('\n');
}

/** The option with the URL of the deployment. */
export function urlOption(): Option {
  return new Option('--url <url>', 'URL of the deployment; TESTIMONIALS_URL by default').argParser(
    (value) => {
      // Links append their own path.
      if (URL.canParse(value) && /^https?:\/\/[^/?#]+\/?$/.test(value)) return value;
      throw new InvalidArgumentError(
        'It must be the URL of the API, like https://api.example.com, without a path.',
      );
    },
  );
}

/** Returns the URL of the deployment for links, with advice if it is unknown. */
export function apiOf({ variables }: Pick<ProgramIo, 'variables'>, url: string | undefined) {
  const api = url ?? variables.TESTIMONIALS_URL;
  if (api !== undefined) return { api: api.replace(/\/+$/, '') };
  const advice = 'Replace https://YOUR-API with the URL of your deployment, or pass it with --url.';
  return { api: 'https://YOUR-API', advice };
}

export class RepeatableOption extends Option {}

/** Returns an option that collects its values in order. */
export function repeatable(flags: string, description: string): Option {
  return new RepeatableOption(flags, description).argParser((value: string, before: string[] = []) => [
    ...before,
    value,
  ]);
}

/**
 * A command that refuses a second value of an option, unless the option is repeatable. Commander would use
 * the last value.
 */
export class StrictCommand extends Command {
  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  override addOption(option: Option): this {
    // Runs before Commander's own listener, which sets the value.
    this.on(`option:${option.name()}`, (value?: string) => this.#checkValue(option, value));
    return super.addOption(option);
  }

  #checkValue(option: Option, value: string | undefined): void {
    if (value === undefined) return;
    const { flags, long, variadic } = option;
    // Without this, `--add --remove draft` would add the tag `--remove`.
    const [name] = value.split('=');
    for (let command: Command | null = this; command; command = command.parent) {
      // Unlike `options`, this includes `--help`.
      const options = command.createHelp().visibleOptions(command);
      if (options.some((option) => option.long === name || option.short === name))
        this.error(`error: option '${flags}' has no value: ${value} follows it`);
    }
    const isGiven = this.getOptionValueSource(option.attributeName()) === 'cli';
    if (isGiven && !variadic && !(option instanceof RepeatableOption))
      this.error(`error: option '${flags}' is given more than once: ${long} takes one value`);
  }
}
