/** What a line of an import can have, and the rules that it has to keep: those of a create, and some for its history. */
import * as v from 'valibot';
import { limits, statuses, testimonialInput } from '../../../functions/domain/testimonial.ts';
import { ordinalOfId } from '../../../functions/domain/testimonial-id.ts';
import type { ErrorDetails } from '../../../functions/http/api-error.ts';
import { describeIssues } from '../../../functions/http/validate.ts';
import { pastTime, type TimeReader, timeReader } from './times.ts';

/** The fields of a line, as they are named in `--map` and in the files that an export writes. */
export const lineFields = [
  'content',
  'author.name',
  'author.email',
  'author.company',
  'rating',
  'type',
  'tags',
  'id',
  'status',
  'createdAt',
  'updatedAt',
  'updateOrdinal',
] as const;
export type LineField = (typeof lineFields)[number];

/** What a line of the past has to keep, besides the rules of each line. */
export const lineRules = v.object({
  /** When the first testimonial was created or changed here, ISO 8601; absent where none was. */
  latest: v.exactOptional(v.string()),
  /** True where all lines need a createdAt. */
  areDated: v.boolean(),
});
export type LineRules = v.InferOutput<typeof lineRules>;

/** Schema of a time as text. */
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
    v.object({
      ...testimonialInput.entries,
      id: v.exactOptional(v.string('must be a string')),
      status: v.exactOptional(v.picklist(statuses, `must be one of ${statuses.join(', ')}`)),
      createdAt: v.exactOptional(time(reader, now)),
      updatedAt: v.exactOptional(time(reader, now)),
      updateOrdinal: v.exactOptional(v.pipe(v.number('must be a number'), v.integer('must be an integer'))),
    }),
    v.forward(
      v.partialCheck(
        [['createdAt'], ['updatedAt']],
        ({ createdAt = 0, updatedAt = createdAt }) => updatedAt >= createdAt,
        'must not be before createdAt',
      ),
      ['updatedAt'],
    ),
    v.forward(
      v.partialCheck(
        [['createdAt'], ['updatedAt']],
        ({ createdAt, updatedAt }) => updatedAt === undefined || createdAt !== undefined,
        'needs a createdAt',
      ),
      ['updatedAt'],
    ),
  );
}

/** A line that keeps the rules. Times are in milliseconds since the epoch. */
export type ImportedLine = v.InferOutput<ReturnType<typeof schemaOf>>;

/**
 * Returns what checks a line: an object with the members of a testimonial. Where it is refused, members that were understood need no
 * option to be read again.
 * @throws when the format does not tell a date
 */
export function lineChecker(
  { dateFormat, roundRatings = false }: { dateFormat?: string | undefined; roundRatings?: boolean },
  now: Date,
  rules: LineRules = { areDated: false },
) {
  const reader = timeReader(dateFormat);
  const schema = schemaOf(reader, now);
  return (
    value: Record<string, unknown>,
  ): { imported: ImportedLine } | { errors: ErrorDetails; members: Record<string, unknown> } => {
    const isBetween = isRounded(value.rating);
    const rounded =
      isBetween && roundRatings ? { ...value, rating: Math.round(Number(value.rating)) } : value;
    const result = v.safeParse(schema, rounded, { abortPipeEarly: true });
    const errors = result.success ? notOfPast(result.output, rules) : describeIssues(result.issues);
    if (!errors && result.success) return { imported: result.output };
    const members = { ...rounded, ...timesIn(rounded, reader, now) };
    const { rating } = errors ?? {};
    const isHalf = isBetween && rating !== undefined;
    return { members, errors: { ...errors, ...(isHalf && { rating: `${rating}${canBeRounded}` }) } };
  };
}

/** The times of a line that can be read, as every import reads them. */
function timesIn(value: Record<string, unknown>, reader: TimeReader, now: Date): Record<string, string> {
  const texts = Object.entries(value).filter(([field]) => field === 'createdAt' || field === 'updatedAt');
  return Object.fromEntries(
    texts.flatMap(([field, text]) => {
      const time = typeof text === 'string' ? pastTime(reader, text, now.getTime()) : undefined;
      return time === undefined ? [] : [[field, new Date(time).toISOString()]];
    }),
  );
}

const canBeRounded = '; it can be rounded';

const isLater = 'is later than the first testimonial created or changed here';

/** What reading a file otherwise does about a rule: ratings are rounded, times are in another format, or all is created now. */
export function remedyOf(rule: string): 'roundRatings' | 'dateFormat' | 'asNew' | undefined {
  if (rule.endsWith(canBeRounded)) return 'roundRatings';
  if (rule.startsWith('must be a time')) return 'dateFormat';
  return rule.startsWith(isLater) ? 'asNew' : undefined;
}

/** Why a line cannot be put before what was created here. */
function notOfPast(
  { createdAt, updatedAt = createdAt }: ImportedLine,
  { latest, areDated }: LineRules,
): ErrorDetails | undefined {
  if (createdAt === undefined)
    return areDated ? { createdAt: 'is missing, and other lines have it' } : undefined;
  if (latest === undefined) return undefined;
  const isLate = (time = 0) => time > Date.parse(latest);
  const rule = `${isLater}, ${latest.slice(0, 10)}`;
  if (isLate(createdAt)) return { createdAt: rule };
  return isLate(updatedAt) ? { updatedAt: rule } : undefined;
}

/** The ordinal in the id of a line, if it is an id of this service; 0 otherwise. */
export function ordinalOfLine({ id }: ImportedLine): number {
  return (id !== undefined && ordinalOfId(id)) || 0;
}

const { min, max } = limits.rating;

/** True of a rating, and of what rounding makes one of: 4.5, and 0.5 where half a star is the least. */
export function isNearRating(value: unknown): value is number {
  return typeof value === 'number' && value >= min - 0.5 && value <= max;
}

export function isRounded(value: unknown): value is number {
  return isNearRating(value) && !Number.isInteger(value);
}
