/** What all commands of the operator's command line share. */
import { Command, InvalidArgumentError, Option } from 'commander';
import * as v from 'valibot';
import { organizationName } from '../../functions/domain/token.ts';
import { type Operator, type Session, sessionOf } from './session.ts';
import { explain, type TargetOptions, withOperator } from './target.ts';
import { jsonText } from './terminal/formatting.ts';
import type { ProgramIo } from './terminal/program-io.ts';

type GlobalOptions = TargetOptions & { json?: true };

/** What each command has at hand. */
export type CommandContext = ReturnType<typeof contextOf>;

/**
 * @param args the command line as it was typed, behind the program's name
 * @param globals options that every command has
 */
export function contextOf(io: ProgramIo, args: readonly string[], globals: () => GlobalOptions) {
  const isJson = () => globals().json === true;
  /**
   * Does work on the target, and closes it.
   * @throws {PartlyFailed} at the end, when the work left out an item that cannot be read
   */
  const onTarget = async (work: (operator: Operator) => Promise<void>) => {
    const leftOut = new Set<string>();
    const onUnreadable = ({ message }: Error) => {
      if (!leftOut.has(message)) io.printError(`${message}. It is left out.`);
      leftOut.add(message);
    };
    await withOperator(globals(), { ...io, onUnreadable }, work);
    if (leftOut.size > 0) throw new PartlyFailed();
  };
  return {
    io,
    args,
    /** True when scripts read what is printed. */
    isJson,
    withOperator: onTarget,
    /** Does work on one organization of the target. */
    onOrganization: (organization: string, work: (session: Session) => Promise<void>) =>
      onTarget((operator) => work(sessionOf(operator, organization, io))),
    /** Prints a value: as JSON for scripts, or as text, where there is one. */
    show(value: unknown, text: () => string | undefined): void {
      const shown = isJson() ? jsonText(value) : text();
      if (shown !== undefined) io.print(shown);
    },
    /** Says what to do about an error, in one line. */
    explain: (error: unknown) => explain(error, globals(), io.variables),
  };
}

/** One or more of the things a command was asked to do could not be done; each was already reported. */
export class PartlyFailed extends Error {}

/** Begins a command that is about one organization, which has to be named. Further options are added to it. */
export function organizationCommand(
  parent: Command,
  command: { name: string; description: string; examples: string[]; isDefault?: boolean },
): Command {
  const { name, description, examples, isDefault = false } = command;
  return parent
    .command(name, { isDefault })
    .description(description)
    .addOption(organizationOption().makeOptionMandatory())
    .addHelpText('after', exampleText(examples));
}

export function organizationOption(description = 'name of the organization'): Option {
  return new Option('--organization <name>', description).argParser((value) => {
    const result = v.safeParse(organizationName, value);
    if (!result.success) throw new InvalidArgumentError(`It ${result.issues[0].message}.`);
    return result.output;
  });
}

/** Examples, for the end of a command's help. */
export function exampleText(lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  npm run admin -- ${line}`)].join('\n');
}

/** The option by which scripts consent to what `confirm` asks. */
export function yesOption(): Option {
  return new Option('--yes', 'do not ask');
}

/** An option that may be given more than once; every other one has a single value. */
export class RepeatableOption extends Option {}

/** An option that may be repeated: all of its values, in their order. */
export function repeatable(flags: string, description: string): Option {
  return new RepeatableOption(flags, description).argParser((value: string, before: string[] = []) => [
    ...before,
    value,
  ]);
}

/** A command that refuses a second value of an option that does not collect, where Commander would take the last. */
export class StrictCommand extends Command {
  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  override addOption(option: Option): this {
    // Called before Commander's own listener, which sets the value.
    this.on(`option:${option.name()}`, (value?: string) => this.#checkValue(option, value));
    return super.addOption(option);
  }

  #checkValue(option: Option, value: string | undefined): void {
    if (value === undefined) return;
    const { flags, long, variadic } = option;
    // `--add --remove draft` would make a tag of the next option's name.
    const [name] = value.split('=');
    for (let command: Command | null = this; command; command = command.parent) {
      // With `--help`, which `options` lacks.
      const known = command.createHelp().visibleOptions(command);
      if (known.some((each) => each.long === name || each.short === name))
        this.error(`error: option '${flags}' has no value: ${value} follows it`);
    }
    const isGiven = this.getOptionValueSource(option.attributeName()) === 'cli';
    if (isGiven && !variadic && !(option instanceof RepeatableOption))
      this.error(`error: option '${flags}' is given more than once: ${long} takes one value`);
  }
}

/** Reads an option that is a number from 1 on. */
export function wholeNumberTo(max: number, what = 'a whole number'): (value: string) => number {
  return (value) => {
    if (/^[1-9]\d*$/.test(value) && Number(value) <= max) return Number(value);
    throw new InvalidArgumentError(`It must be ${what} from 1 to ${max}.`);
  };
}
