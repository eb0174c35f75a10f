/** The texts about imports that name commands. */
import type { HistoryRoom, LoadRefusal, LoadStatus } from '../../../functions/domain/loads.ts';
import { describeDateFormat } from '../../../functions/reading/date-format-names.ts';
import type { Guess } from '../../../functions/reading/guess-mapping.ts';
import type { ImportResult } from '../../../functions/reading/import-file.ts';
import type { LineField } from '../../../functions/reading/line-fields.ts';
import { type Mapping, samplesOf } from '../../../functions/reading/map-columns.ts';
import {
  duplicatesText,
  type ImportNames,
  type OptionNames,
  sampleText,
  type UndoNames,
  unitOf,
} from '../../../functions/reading/report.ts';
import type { Sheet } from '../../../functions/reading/spreadsheet.ts';
import { claimExpiryMs } from '../../../functions/timing.ts';
import { commandText, counted, joined, listed, minuteOf } from '../terminal/formatting.ts';
/** The names of options and fields on the command line. */
export const commandOptionNames: OptionNames = {
  map: '--map',
  keepHtml: '--keep-html',
  roundRatings: '--round-ratings',
  dateFormat: '--date-format',
  asNew: '--as-new',
  nameOf: (field: string) => field,
  dateFormatText: (format = 'iso') => `${describeDateFormat(format).text} (${format})`,
};

export function continuationText(status: LoadStatus): string {
  return `Continuing the import of ${minuteOf(status.at)}: ${progressText(status)}`;
}

/** Returns the guessed mapping as a command line, or the columns from which a person must choose. */
export function guessText(
  { withoutColumn, choices }: Guess,
  { header, firstRows }: Sheet,
  { file, command }: { file: string; command: string },
): string {
  if (withoutColumn.length === 0)
    return `The columns of ${file} are guessed from their names and values. To correct a guess, change this command:\n  ${command}`;
  const columnsFor = (field: LineField) =>
    samplesOf(header, firstRows).filter(({ name }) => choices[field]?.includes(name) ?? true);
  return joined([
    ...withoutColumn.flatMap((field) => [
      `Which column of ${file} is ${field}?`,
      ...columnsFor(field).map((sample) => `  ${sampleText(sample)}`),
    ]),
    `Choose with --map; several are joined. To use the first, run:\n  ${command}`,
  ]);
}

type QuestionFacts = Pick<
  ImportResult,
  'good' | 'repeated' | 'repeatedInFile' | 'rejectedLoseDates' | 'rejected' | 'mapping' | 'guess' | 'sheet'
>;

/** Returns the reasons to ask before lines are stored. */
export function questionText(result: QuestionFacts, names: ImportNames): string {
  const { repeated, rejected, rejectedLoseDates, sheet, mapping, guess } = result;
  const unit = unitOf(sheet);
  const parts = [
    repeated > 0 && duplicatesText(result, names),
    rejected > 0 &&
      `${counted(rejected, unit)} ${rejected === 1 ? 'is' : 'are'} rejected, see ${names.rejectedFile}.`,
    rejectedLoseDates &&
      `After this import, rejected ${unit}s can no longer keep their dates: correct them first.`,
    sheet?.isHeadless && 'The first row counts as a testimonial.',
    guess && guessedText(guess, mapping, names.file),
  ];
  return joined(parts, ' ');
}

function guessedText({ foundByValues, withPlaceholder }: Guess, { defaults }: Mapping, file: string): string {
  const byValues = foundByValues.length > 0 ? `, ${listed(foundByValues)} from values alone` : '';
  const placeholders = withPlaceholder.map(
    (field) => ` All testimonials get ${defaults[field]} as ${field}.`,
  );
  return `The columns of ${file} are guessed${byValues}.${placeholders.join('')}`;
}

export function noUndoText({ organization, ...target }: UndoNames): string {
  if ('id' in target)
    return `There is no import ${target.id} into ${organization}. To see unfinished imports, run: npm run admin -- index status --organization ${organization}`;
  return `There is no import of ${target.file} into ${organization}. Use the file that was imported, unchanged.`;
}

export function undoHint(
  { good, wasImported }: ImportResult,
  { file, organization, dryRun }: { file: string; organization: string; dryRun: boolean },
): string | undefined {
  if (good === 0 || wasImported || dryRun) return undefined;
  return `To undo it, run: ${commandText(['import', file, '--organization', organization, '--undo'])}`;
}

/** Describes the progress of an unfinished import or undo, and how to finish it. */
export function unfinishedText(status: LoadStatus, organization: string): string {
  const isUndo = status.state === 'undoing';
  const subject = isUndo ? `The undo of an import into ${organization}` : `An import into ${organization}`;
  const progress = `${subject} has not finished: ${progressText(status)}.`;
  if (status.claimedUntil !== undefined) return `${progress} Wait until it has finished.`;
  if (status.state === 'begun')
    return `${progress} Run it again with the same file. To import other files first, run: ${commandText(['index', 'rebuild', '--organization', organization])}`;
  // The id works even if the file has changed since.
  const undo = commandText(['import', '--organization', organization, '--undo', '--id', status.id]);
  const how = isUndo ? 'To finish it, run:' : 'Run it again with the same file. To undo it, run:';
  return `${progress} ${how} ${undo}`;
}

function progressText({ state, count, done }: LoadStatus): string {
  const lines = `at least ${done.toLocaleString('en')} of ${counted(count, 'line')}`;
  return `${lines} ${count === 1 ? 'is' : 'are'} ${state === 'undoing' ? 'erased or kept' : 'stored'}`;
}

export function roomText({ free, occupied, spent }: HistoryRoom): string {
  const [unused, all, lines, used] = [free, free + occupied + spent, occupied, spent].map((number) =>
    number.toLocaleString('en'),
  );
  return `${unused} of ${all} positions for imported history are free. Imported lines hold ${lines}; undone imports used up ${used}`;
}

type Why = LoadRefusal['why'];

/** The reasons that an import, an undo or a seed was refused, with advice. */
const refusals: { [W in Why]: (refusal: Extract<LoadRefusal, { why: W }>) => string } = {
  busy: ({ organization, status }) => busyText(organization, status),
  'being undone': () =>
    'The import of this file is being undone. Wait for that to finish; if it was stopped, run it again with --undo.',
  'other load': ({ organization }) =>
    `Another import or seed of ${organization} has not finished. Wait for it, run it again if it was stopped, or show its testimonials with: npm run admin -- index rebuild --organization ${organization}`,
  'taken over': () => 'Another run has continued this import. Run this command again.',
  'created meanwhile': ({ organization }) =>
    `A testimonial was created in ${organization} just now, and some lines of the file are later. Nothing was stored. Run this command again.`,
  'other version': ({ count }) =>
    `Another version of this program began to import ${counted(count, 'line')} of this file. Finish the import with that version.`,
  'unreadable load': ({ keys: { PK, SK } }) =>
    `An import was begun by another version of this program. Finish it with that version, or delete the item ${PK}, ${SK} from the table and run the import again. It asks before it stores lines a second time.`,
  'unreadable positions': ({ organization }) =>
    `Another version of this program has imported into ${organization}. Import with that version.`,
  'no room': ({ missing, room }) =>
    `There is no position left for ${counted(missing, 'line')} between the lines of earlier imports. Nothing was stored. ${roomText(room)}. Leave out some lines of about the same time, or use --as-new to create all lines now.`,
  'position taken': ({ organization, position }) =>
    `Position ${position} of ${organization} is taken by another testimonial, although this import had reserved it. Run: npm run admin -- index verify --organization ${organization}`,
};

export function refusalText(refusal: LoadRefusal): string {
  // TypeScript does not know that the text belongs to the refusal.
  return refusals[refusal.why](refusal as never);
}

function busyText(organization: string, { state, count, done, claimedUntil = '' }: LoadStatus): string {
  const clock = (time: string) => `${time.slice(11, 19)} UTC`;
  const since = clock(new Date(Date.parse(claimedUntil) - claimExpiryMs).toISOString());
  const subject =
    state === 'undoing'
      ? 'This import is already being undone in'
      : 'This file is already being imported into';
  return `${subject} ${organization} (${done.toLocaleString('en')} of ${counted(count, 'line')} at ${since}). Wait for it to finish. If it was stopped, run this command again after ${clock(claimedUntil)}.`;
}
