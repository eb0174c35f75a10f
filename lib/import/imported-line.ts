/** What a line of an import can have, and the rules that it has to keep: those of a create, and some for its history. */
import { DateTime } from 'luxon';
import * as v from 'valibot';
import { statuses, testimonialInput } from '../../functions/domain/testimonial.ts';
import { ordinalOfId } from '../../functions/domain/testimonial-id.ts';
import type { ErrorDetails } from '../../functions/http/api-error.ts';
import { describeIssues } from '../../functions/http/validate.ts';

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

const dateFormatRule = 'must be a time in ISO 8601, as 2026-01-15T10:30:00Z; name another with --date-format';

/** Schema of a time as text; by `format` (tokens of Luxon), or else ISO 8601, also as databases write it. */
function time(format: string | undefined, now: Date) {
  const read = (text: string) =>
    format === undefined
      ? DateTime.fromISO(text.replace(/^(\S+) (\d\d:\S+)/, '$1T$2').replace(/ ?(UTC|GMT)$/, 'Z'), {
          zone: 'utc',
        })
      : DateTime.fromFormat(text, format, { zone: 'utc' });
  return v.pipe(
    v.string('must be a string'),
    v.trim(),
    v.transform(read),
    v.check(
      (value) => value.isValid,
      format === undefined
        ? dateFormatRule
        : `must be a time like ${DateTime.utc(2026, 1, 15, 10, 30).toFormat(format)}`,
    ),
    v.transform((value) => value.toMillis()),
    v.check((value) => value <= now.getTime(), 'must not be in the future'),
  );
}

function schemaOf(dateFormat: string | undefined, now: Date) {
  return v.pipe(
    v.object({
      ...testimonialInput.entries,
      id: v.exactOptional(v.string('must be a string')),
      status: v.exactOptional(v.picklist(statuses, `must be one of ${statuses.join(', ')}`)),
      createdAt: v.exactOptional(time(dateFormat, now)),
      updatedAt: v.exactOptional(time(dateFormat, now)),
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

/** Returns what checks a line: an object with the members of a testimonial. */
export function lineChecker({ dateFormat, now }: { dateFormat: string | undefined; now: Date }) {
  const schema = schemaOf(dateFormat, now);
  return (value: unknown): { imported: ImportedLine } | { errors: ErrorDetails } => {
    const result = v.safeParse(schema, value, { abortPipeEarly: true });
    return result.success ? { imported: result.output } : { errors: describeIssues(result.issues) };
  };
}

/** The ordinal in the id of a line, if it is an id of this service; 0 otherwise. */
export function ordinalOfLine({ id }: ImportedLine): number {
  return (id !== undefined && ordinalOfId(id)) || 0;
}
