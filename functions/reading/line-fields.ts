/** The fields of an imported line, and the columns that a file can have for them. */
import { fieldPaths } from '../domain/fields.ts';
import { limits } from '../domain/testimonial.ts';

// CSV has no media; only NDJSON does.
const csvFields = fieldPaths.filter((path) => path !== 'media');

/** The fields of a line, named as in `--map` and in the columns of exports. */
export const lineFields = [...csvFields, 'consent.page', 'consent.at', 'updateOrdinal'] as const;
export type LineField = (typeof lineFields)[number];

/** Fields that every line needs. */
export const requiredFields: readonly LineField[] = ['content', 'author.name', 'author.email'];

/** Column names by field. Several columns are joined in their order; an empty list leaves the field out. */
export type ColumnMap = Partial<Record<LineField, readonly string[]>>;

/** A column of the first rows. */
export interface ColumnSample {
  name: string;
  /** The cells that are not blank. */
  filled: readonly string[];
}

// A wider sheet contains other data. The limit keeps the search for names fast.
export const maxColumns = 1000;

/** The share of a column's values that must fit. Lines with other values are rejected one by one. */
export const minimumShare = 0.9;

/** Columns that a file of rejected lines adds. */
export const reasonColumns: readonly string[] = ['rejected row', 'rejected because', 'rejected text'];

/** Returns a cell for each field; blank if the testimonial lacks the field. */
export function cellsOfFields(members: Record<string, unknown>, fields: readonly LineField[]): string[] {
  return fields.map((field) => {
    const [outer = '', inner] = field.split('.');
    const member = members[outer];
    const value =
      inner === undefined ? member : Object.entries(member ?? {}).find(([name]) => name === inner)?.[1];
    return Array.isArray(value) ? value.join(',') : String(value ?? '');
  });
}

const { min, max } = limits.rating;

/**
 * True for a rating, and for a number that rounds to one: 4.5, or 0.5 on scales that start at half a star.
 */
export function isNearRating(value: unknown): value is number {
  return typeof value === 'number' && value >= min - 0.5 && value <= max;
}

/** True for a number between two ratings, such as 4.5. */
export function isFractional(value: unknown): value is number {
  return isNearRating(value) && !Number.isInteger(value);
}
