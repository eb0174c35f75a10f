/** Asking whether a file is read as it is proposed. */
import type { CommandContext } from '../command-context.ts';
import type { ImportOptions } from '../import/import-plan.ts';
import { proposalText } from '../import/import-report.ts';
import { isWhole, namelessIn, type Proposal } from '../import/propose-reading.ts';
import { shellText } from '../terminal/formatting.ts';
import { answersYes } from '../terminal/interruptible.ts';

/** Tells how a file could be read, by a whole command line, and asks whoever is there whether to go on with that. */
export async function agreesToRead(
  { io, args }: CommandContext,
  proposal: Proposal,
  options: ImportOptions,
): Promise<boolean> {
  const command = `npm run admin -- ${shellText([...args, ...optionsFor(proposal, options)])}`;
  io.printError(proposalText(proposal, { file: options.file, command }));
  return isWhole(proposal) && io.person !== undefined && answersYes(io.person, 'Read it so?');
}

/** The options of a proposal that were not given. */
function optionsFor(
  proposal: Proposal,
  { map, defaults, dateFormat, roundRatings }: ImportOptions,
): string[] {
  const { reading } = proposal;
  const isNew =
    (given: object) =>
    ([field]: [string, unknown]) =>
      !(field in given);
  return [
    ...Object.entries(reading.map)
      .filter(isNew(map))
      .flatMap(([field, columns]) => columns.flatMap((column) => ['--map', `${field}=${column}`])),
    ...namelessIn(proposal).flatMap((field) => ['--map', `${field}=COLUMN`]),
    ...Object.entries(reading.defaults)
      .filter(isNew(defaults))
      .flatMap(([field, value]) => ['--default', `${field}=${value}`]),
    ...(reading.dateFormat !== dateFormat ? ['--date-format', reading.dateFormat ?? ''] : []),
    ...(reading.roundRatings && !roundRatings ? ['--round-ratings'] : []),
  ];
}
