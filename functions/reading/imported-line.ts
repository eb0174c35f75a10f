/** The fields of an imported line, and its rules: those of a create, and some for its times. */
import * as v from 'valibot';
import { fieldPaths, isMembers } from '../domain/fields.ts';
import { areTimesInOrder, type LoadLine, type LoadResult, lineEntries, updateRank } from '../domain/loads.ts';
import { limits } from '../domain/testimonial.ts';
import type { ErrorDetails } from '../http/api-error.ts';
import { describeIssues } from '../http/validate.ts';
import { pastTime, type TimeReader, timeReader } from './times.ts';

// Media are in NDJSON only.
const csvFields = fieldPaths.filter((path) => path !== 'media');

/** The fields of a line, as `--map` and the columns of exports name them. */
export const lineFields = [...csvFields, 'consent.page', 'consent.at', 'updateOrdinal'] as const;
export type LineField = (typeof lineFields)[number];

/** Column names by field. Several columns are joined in their order; an empty list leaves the field out. */
export type ColumnMap = Partial<Record<LineField, readonly string[]>>;

/** Columns that a file of rejected lines adds. */
export const reasonColumns: readonly string[] = ['rejected row', 'rejected because', 'rejected text'];

/** Returns a cell for each field; blank if the testimonial lacks the field. */
export function cellsOf(members: Record<string, unknown>, fields: readonly LineField[]): string[] {
  return fields.map((field) => {
    const [outer = '', inner] = field.split('.');
    const member = members[outer];
    const value =
      inner === undefined ? member : Object.entries(member ?? {}).find(([name]) => name === inner)?.[1];
    return Array.isArray(value) ? value.join(',') : String(value ?? '');
  });
}

function time(reader: TimeReader, now: Date) {
  return v.pipe(
    v.string('must be a string'),
    v.transform((text) => pastTime(reader, text, now.getTime()) ?? Number.NaN),
    v.number(reader.rule),
    v.check((value) => value <= now.getTime(), 'must not be in the future'),
  );
}

function schemaOf(reader: TimeReader, now: Date) {
  return v.pipe(
    v.object({ ...lineEntries(time(reader, now)), updateOrdinal: v.exactOptional(updateRank) }),
    v.forward(
      v.partialCheck([['createdAt'], ['updatedAt']], areTimesInOrder, ({ input }) =>
        input.createdAt === undefined ? 'needs a createdAt' : 'must not be before createdAt',
      ),
      ['updatedAt'],
    ),
  );
}

function loadLineOf({ updateOrdinal, ...line }: v.InferOutput<ReturnType<typeof schemaOf>>): LoadLine {
  return { ...line, ...(updateOrdinal !== undefined && { update: updateOrdinal }) };
}

/**
 * Returns a function that checks the members of a testimonial. For a rejected line it returns the errors, and
 * the members in a form that needs no options once they are corrected.
 * @throws when `dateFormat` does not describe a date
 */
export function lineChecker(
  { dateFormat, roundRatings = false }: { dateFormat?: string | undefined; roundRatings?: boolean },
  now: Date,
) {
  const reader = timeReader(dateFormat);
  const schema = schemaOf(reader, now);
  /** @param loadErrors of a good line that the load rejects */
  return (
    value: Record<string, unknown>,
    loadErrors?: ErrorDetails,
  ): { imported: LoadLine } | { errors: ErrorDetails; members: Record<string, unknown> } => {
    const isHalf = isFractional(value.rating);
    const rounded = isHalf && roundRatings ? { ...value, rating: Math.round(Number(value.rating)) } : value;
    const { consent, media, ...rest } = rounded;
    const url = isMembers(media) ? media.url : undefined;
    const others = { ...rest, ...(url !== undefined && { media: { url } }) };
    const isOurs = cellsOf({ consent }, ['consent.page', 'consent.at']).some((cell) => cell !== '');
    // Another tool's answer to a question about consent names no form.
    const line = isOurs ? { ...others, consent } : others;
    const result = v.safeParse(schema, line, { abortPipeEarly: true });
    const errors = result.success ? loadErrors : describeIssues(result.issues);
    if (!errors && result.success) return { imported: loadLineOf(result.output) };
    const ours = isOurs && { consent: withIsoTimes(consent, reader, now) };
    const members = { ...withIsoTimes(rounded, reader, now), ...ours };
    const { rating } = errors ?? {};
    const canRound = isHalf && rating !== undefined;
    return { members, errors: { ...errors, ...(canRound && { rating: `${rating}${canBeRounded}` }) } };
  };
}

/** Returns members with their readable times in ISO 8601. */
function withIsoTimes(members: unknown, reader: TimeReader, now: Date): Record<string, unknown> {
  const converted = Object.entries(members ?? {}).map(([name, text]) => {
    const isTime = ['createdAt', 'updatedAt', 'at'].includes(name) && typeof text === 'string';
    const time = isTime ? pastTime(reader, text, now.getTime()) : undefined;
    return [name, time === undefined ? text : new Date(time).toISOString()];
  });
  return Object.fromEntries(converted);
}

const canBeRounded = '; it can be rounded';

const isLater = 'must not be after the first testimonial that arrived here';

/** Returns the option that would accept lines rejected by a rule, if there is one. */
export function remedyOf(rule: string): 'roundRatings' | 'dateFormat' | 'asNew' | undefined {
  if (rule.endsWith(canBeRounded)) return 'roundRatings';
  if (rule.startsWith('must be a time')) return 'dateFormat';
  return rule.startsWith(isLater) ? 'asNew' : undefined;
}

/** Returns the errors of good lines that the load rejects, by their indices among the good ones. */
export function loadErrorsOf({ rejected, historyEnd = '' }: LoadResult): Map<number, ErrorDetails> {
  const rules = {
    later: `${isLater}, ${historyEnd.slice(0, 10)}`,
    undated: 'is missing, and other lines have it',
  };
  return new Map(rejected.map(({ index, field, why }) => [index, { [field]: rules[why] }]));
}

const { min, max } = limits.rating;

/** True of a rating, and of a number that rounds to one: 4.5, or 0.5 on scales that start at half a star. */
export function isNearRating(value: unknown): value is number {
  return typeof value === 'number' && value >= min - 0.5 && value <= max;
}

/** True of a number between two ratings, such as 4.5. */
export function isFractional(value: unknown): value is number {
  return isNearRating(value) && !Number.isInteger(value);
}
