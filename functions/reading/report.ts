/** Texts about a file, its import and the undo of the import, for the command line and the desk. */

import type { LoadLine, UndoResult } from '../domain/loads.ts';
import { authorText, counted, excerpt, joined, minuteOf, oneLine } from '../domain/wording.ts';
import { remedyOf } from './check-file.ts';
import { isReversed } from './field-values.ts';
import type { Guess } from './guess-mapping.ts';
import type { ImportResult } from './import-file.ts';
import { type ColumnSample, type LineField, lineFields } from './line-fields.ts';
import { firstValues, type Mapping, samplesOf } from './map-columns.ts';
import type { Sheet } from './spreadsheet.ts';

/** The names of options and fields, on the command line or at the desk. */
export interface OptionNames {
  map: string;
  keepHtml: string;
  roundRatings: string;
  dateFormat: string;
  asNew: string;
  nameOf: (field: string) => string;
  /** Describes a date format (`timeReader`). */
  dateFormatText: (format?: string) => string;
}

export interface ImportNames {
  file: string;
  organization: string;
  /** The file of the rejected lines. */
  rejectedFile?: string | undefined;
}

/** Describes the result of an import or of a dry run. */
export function resultText(
  result: ImportResult,
  { file, organization, dryRun }: ImportNames & { dryRun: boolean },
) {
  const { good, leftOut, repeated, wasImported, keepsTimes, hasStatus, asNew, ids } = result;
  if (wasImported) return `${file} was imported into ${organization} before. Nothing to do.`;
  const number = counted(good, 'testimonial');
  return joined([
    repeated > 0 && duplicatesText(result, { file, organization, isStored: !dryRun }),
    !dryRun && `${number} imported into ${organization}.`,
    dryRun && repeated === 0 && `${number} would be imported into ${organization}.`,
    dryRun &&
      repeated > 0 &&
      repeated < good &&
      `${counted(good - repeated, 'testimonial is', 'testimonials are')} new.`,
    leftOut > 0 && `${counted(leftOut, 'duplicate')} left out.`,
    keepsTimes && (hasStatus ? 'Dates and statuses come from the file.' : 'Dates come from the file.'),
    asNew &&
      `They ${dryRun ? 'would get' : 'got'} today’s date, in the order of the file’s dates${hasStatus ? '. Their status comes from the file' : ''}.`,
    ids === 'kept' && 'Ids come from the file.',
    ids === 'replaced' && 'The testimonials get new ids: those of the file cannot be kept.',
  ]);
}

type MappedResult = Pick<ImportResult, 'columns' | 'examples' | 'hasTime' | 'wasImported'> & {
  mapping: Mapping;
  sheet?: Sheet | undefined;
  guess?: Guess | undefined;
};

/** Describes the mapping of a file: its guesses, its ignored columns and its first lines. */
export function mappingText(
  { columns, sheet, mapping, guess, examples, hasTime, wasImported }: MappedResult,
  { nameOf, map, ...options }: OptionNames,
): string {
  if (wasImported) return '';
  const { htmlRowsSoFar = () => 0, unused = [], ratings = [] } = columns ?? {};
  const {
    withPlaceholder = [],
    foundByValues = [],
    choices = {},
    misfits = [],
    otherDates = [],
    otherDateFormat,
  } = guess ?? {};
  const sampled = (names: readonly string[] = []) =>
    samplesOf(sheet?.header ?? [], sheet?.firstRows ?? [])
      .filter(({ name }) => names.includes(name))
      .map(sampleText)
      .join(', ');
  const open = lineFields.filter((field) => choices[field] && !guess?.withoutColumn.includes(field));
  const others = unused.filter(({ name }) => misfits.every(({ column }) => column !== name));
  return joined([
    ...(sheet?.notes ?? []),
    ...foundByValues.map(
      (field) => `${nameOf(field)}: guessed from the values of ${sampled(mapping.map[field])}.`,
    ),
    ...open.map(
      (field) =>
        `No column is used for ${nameOf(field)}. Choose one with ${map}: ${sampled(choices[field])}.`,
    ),
    ...withPlaceholder.map(
      (field) =>
        `No column contains ${nameOf(field)}, which every testimonial needs. All testimonials get “${mapping.defaults[field]}”.`,
    ),
    ...misfits.map(
      ({ field, column }) =>
        `${sampled([column])} is not used for ${nameOf(field)}: ${whyMisfit(field, column)}`,
    ),
    otherDates.length > 0 &&
      `${nameOf('createdAt')} is read from ${mapping.map.createdAt?.map(oneLine).join(', ')}. Other dates, to choose with ${map}: ${sampled(otherDates)}.`,
    guess &&
      mapping.dateFormat !== undefined &&
      `Dates are read as ${options.dateFormatText(mapping.dateFormat)}.${otherDateFormat === undefined ? '' : ` They could also be ${options.dateFormatText(otherDateFormat)}: if so, change ${options.dateFormat}.`}`,
    ratingsText([...ratings]),
    !hasTime &&
      (choices.createdAt
        ? 'If you choose none, all testimonials get today’s date.'
        : misfits.some(({ field }) => field === 'createdAt')
          ? 'All testimonials get today’s date.'
          : 'No date was found: all testimonials get today’s date.'),
    htmlRowsSoFar() > 0 &&
      `HTML tags are removed from ${counted(htmlRowsSoFar(), 'testimonial')}. Keep them with ${options.keepHtml}.`,
    others.length > 0 && `Not used: ${others.map(sampleText).join(', ')}.`,
    examples.length > 0 && (examples.length === 1 ? 'Example:' : 'Examples:'),
    ...examples.map((line) => `  ${exampleText(line)}`),
  ]);
}

function whyMisfit(field: LineField, column: string): string {
  if (field === 'rating' && isReversed(column))
    return 'its scale is reversed, with 1 as the best rating. If you choose it anyway, good ratings are imported as bad ones.';
  return 'too many values do not fit. If you choose it anyway, those testimonials are rejected.';
}

const ratingsShown = 3;

/**
 * Shows the conversion of ratings, except ratings that begin with their number of stars or are written as
 * stars.
 */
function ratingsText(ratings: readonly [string, number][]): string | undefined {
  const converted = ratings.filter(
    ([text, stars]) => stars > 0 && !new RegExp(`^${stars}(?![.,]?[1-9])|^[★⭐🌟]`, 'u').test(text),
  );
  const shown = converted
    .slice(0, ratingsShown)
    .map(([text, stars]) => `“${oneLine(text)}” becomes ${stars}`);
  return shown.length > 0 ? `Ratings become stars from 1 to 5: ${shown.join(', ')}.` : undefined;
}

/** Returns a column with its first values. */
export function sampleText(sample: ColumnSample): string {
  const values = firstValues(sample).map((value) => `“${excerpt(oneLine(value), 30)}”`);
  return `${oneLine(sample.name)}${values.length > 0 ? ` (${values.join(', ')})` : ''}`;
}

function exampleText({ author, tags = [], ...line }: LoadLine): string {
  const parts = [
    authorText(author),
    line.rating !== undefined && `${line.rating} of 5`,
    line.createdAt !== undefined && new Date(line.createdAt).toISOString().slice(0, 10),
    line.status ?? 'pending',
    line.type !== 'text' && line.type,
    tags.length > 0 && tags.map((tag) => `#${tag}`).join(' '),
    excerpt(oneLine(line.content), 60),
  ];
  return oneLine(joined(parts, ' · '));
}

/** Returns the text that says how many testimonials of a file are already stored or repeat others. */
export function duplicatesText(
  { good, repeated, repeatedInFile }: Pick<ImportResult, 'good' | 'repeated' | 'repeatedInFile'>,
  { file, organization, isStored = false }: ImportNames & { isStored?: boolean },
): string {
  const stored = repeated - repeatedInFile;
  const [is, are] = isStored ? ['was', 'were'] : ['is', 'are'];
  const ofAll = `${stored.toLocaleString('en')} of ${counted(good, 'testimonial')} of ${file} ${stored === 1 ? is : are}`;
  const parts = [
    stored > 0 && `${ofAll} already in ${organization}, with the same text and author.`,
    repeatedInFile > 0 &&
      `${counted(repeatedInFile, 'testimonial repeats', 'testimonials repeat')} an earlier one of ${file}.`,
    isStored && (repeated === 1 ? 'It was stored again.' : 'They were stored again.'),
  ];
  return joined(parts, ' ');
}

export function rejectedText(
  {
    rejected,
    reasons,
    sheet,
    wasImported,
  }: Pick<ImportResult, 'rejected' | 'reasons' | 'sheet' | 'wasImported'>,
  { dryRun, rejectedFile }: { dryRun: boolean; rejectedFile?: string | undefined },
  options: OptionNames,
): string {
  const remedies = reasons.map(({ rule }) => remedyOf(rule));
  const was = rejected === 1 ? 'was' : 'were';
  const are = wasImported ? `${was} rejected then` : dryRun ? 'would be rejected' : 'rejected';
  const how =
    rejectedFile === undefined
      ? ''
      : ` Correct ${rejected === 1 ? 'it' : 'them'} in ${rejectedFile} and import that file.`;
  return joined([
    `${counted(rejected, unitOf(sheet))} ${are}.${how}`,
    remedies.includes('roundRatings') && `To round ratings such as 4.5, use ${options.roundRatings}.`,
    remedies.includes('dateFormat') && `If dates are written in another way, use ${options.dateFormat}.`,
    remedies.includes('asNew') &&
      `Some dates are after the first testimonial that was created here. To use today’s date for the whole file, use ${options.asNew}.`,
  ]);
}

/** Returns the word for a line of the file. */
export function unitOf(sheet: Sheet | undefined): 'row' | 'line' {
  return sheet ? 'row' : 'line';
}

const reasonsShown = 20;

/** Returns the reasons of rejected lines, each with the numbers of its first lines. */
export function reasonsText(
  { reasons, sheet }: Pick<ImportResult, 'reasons' | 'sheet'>,
  { nameOf }: OptionNames,
): string {
  const unit = unitOf(sheet);
  const rules = reasons.slice(0, reasonsShown).map(({ field, rule, count, lines }) => {
    const numbers = `${lines.join(', ')}${count > lines.length ? ' …' : ''}`;
    const where = count === 1 ? `${unit} ${numbers}` : `${counted(count, unit)} (${numbers})`;
    if (field !== 'line') return `${where}: ${nameOf(field)} ${rule}`;
    return `${where} ${count === 1 ? rule : rule.replace(/^has/, 'have').replace(/^is/, 'are')}`;
  });
  const others = reasons.length - reasonsShown;
  return joined([...rules, others > 0 && `and ${counted(others, 'other reason')}`]);
}

/** An import, named by its file or its id. */
export type UndoNames = ({ file: string } | { id: string }) & { organization: string };

export function undoText(
  undo: UndoResult,
  names: UndoNames,
  state: 'asking' | 'undone' | 'undone before',
): string {
  const { at, erased, changed, gone, isFirst } = undo;
  const name = 'file' in names ? names.file : `Import ${names.id}`;
  const subject = `${name}, imported into ${names.organization} on ${minuteOf(at)}`;
  if (state === 'undone before') return `Already undone: ${subject}.`;
  const number = counted(erased, 'testimonial');
  const isAsking = state === 'asking';
  return joined([
    isAsking ? `${subject}: ${number} would be erased for good.` : `Undone: ${subject}. ${number} erased.`,
    changed > 0 && `${counted(changed, 'was changed since and stays', 'were changed since and stay')}.`,
    gone > 0 && `${counted(gone, 'testimonial was', 'testimonials were')} already erased.`,
    isAsking &&
      isFirst &&
      'This was the first import of the organization. If other testimonials exist, rows with later dates may be rejected when you import the file again.',
    !isAsking && 'If you import the file again, its testimonials get new ids.',
  ]);
}
