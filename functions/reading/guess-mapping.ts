/** Guesses the parts of a mapping that no one chose, from the names and the values of columns. */
import { columnsLike, isTitle, isUserName } from '../csv/column-names.ts';
import { byTime, datesIn, finders } from './column-values.ts';
import { dateFormatsOf } from './detect-date-format.ts';
import { isNotRating, scaleOf, shareLike } from './field-values.ts';
import {
  type ColumnMap,
  type ColumnSample,
  isFractional,
  type LineField,
  lineFields,
  minimumShare,
  requiredFields,
} from './line-fields.ts';
import { type MappedColumns, type Mapping, mapColumns, type SheetColumns, samplesOf } from './map-columns.ts';

/**
 * The parts of a mapping that a person should check. Present, perhaps with empty lists, as soon as anything
 * is guessed, including columns found by their names, a date format, or rounding.
 */
export interface Guess extends UncertainColumns {
  /** Required fields without a column, for which a person must choose one. */
  withoutColumn: LineField[];
  /** Required fields that get a placeholder, because no column contains them. */
  withPlaceholder: LineField[];
  /** Another date format that fits, if day and month are ambiguous. */
  otherDateFormat?: string;
}

interface UncertainColumns {
  /** Fields whose columns were found only by their values. */
  foundByValues: LineField[];
  /**
   * The columns from which a person must choose, or a single one to confirm, because none is certain. None of
   * them is used yet.
   */
  choices: Partial<Record<LineField, readonly string[]>>;
  /** Columns named after a field, although most of their values do not fit it. */
  misfits: { field: LineField; column: string }[];
  /** Columns of dates, besides the one that is used. */
  otherDates: string[];
}

const placeholders: Partial<Record<LineField, string>> = {
  'author.name': 'Anonymous',
  'author.email': 'unknown@example.com',
};

/**
 * Completes a mapping from the first rows.
 * @param day the date on which the file was written, ISO 8601
 * @returns the complete mapping, and its guesses, if any
 */
export function mappingFor(
  sheet: SheetColumns,
  chosen: Mapping,
  day: string,
): { mapping: Mapping; guess?: Guess } {
  const { header, firstRows } = sheet;
  // With the chosen columns only, to learn which fields lack a column and which columns are unused.
  const mapped = mapColumns(sheet, chosen);
  const { guessed, ...uncertain } = guessedColumns(mapped, {
    samples: samplesOf(header, firstRows),
    chosen,
    day,
  });
  const unmapped = mapped.missing.filter((field) => !guessed[field]?.length);
  const withPlaceholder = unmapped.filter(
    (field) => placeholders[field] !== undefined && !uncertain.choices[field],
  );
  const map = { ...chosen.map, ...guessed };
  const defaults = {
    ...chosen.defaults,
    ...Object.fromEntries(withPlaceholder.map((field) => [field, placeholders[field]])),
  };
  // With the guesses, to see the dates and ratings as they will be read.
  const testimonials = firstRows.map(mapColumns(sheet, { ...chosen, map, defaults }).toTestimonial);
  const times = testimonials.map(({ createdAt }) => createdAt).filter((time) => typeof time === 'string');
  const formats = chosen.dateFormat === undefined ? dateFormatsOf(times, day) : undefined;
  const mapping: Mapping = { ...chosen, map, defaults };
  if (formats?.format !== undefined) mapping.dateFormat = formats.format;
  if (chosen.roundRatings === undefined && testimonials.some(({ rating }) => isFractional(rating)))
    mapping.roundRatings = true;
  const isUnchanged =
    mapped.missing.length === 0 &&
    uncertain.misfits.length === 0 &&
    Object.keys({ ...guessed, ...uncertain.choices }).length === 0 &&
    mapping.dateFormat === chosen.dateFormat &&
    Boolean(mapping.roundRatings) === Boolean(chosen.roundRatings);
  if (isUnchanged) return { mapping: chosen };
  const withoutColumn = unmapped.filter((field) => !withPlaceholder.includes(field));
  const other = formats?.other;
  const guess = {
    ...uncertain,
    withoutColumn,
    withPlaceholder,
    ...(other !== undefined && { otherDateFormat: other }),
  };
  return { mapping, guess };
}

/** The input of a guess. */
interface GuessInput {
  samples: readonly ColumnSample[];
  chosen: Mapping;
  day: string;
}

/**
 * Matches columns to fields that have none: first by name and values, then by values alone. In both maps, an
 * empty list means that the field gets no column. `byValues` may still find one for a field that `byName`
 * gave none.
 */
function guessedColumns(mapped: MappedColumns, input: GuessInput): UncertainColumns & { guessed: ColumnMap } {
  const { map: mapByName, misfits } = byName(mapped, input);
  const { map: mapByValues, choices } = mapped.isExport
    ? { map: {}, choices: {} }
    : byValues(mapped, input, { mapByName, misfits });
  const guessed = { ...mapByName, ...mapByValues };
  const others = without(mapped.unused, guessed);
  const names = others.map(({ name }) => name);
  return {
    guessed,
    foundByValues: lineFields.filter((field) => mapByValues[field]),
    choices,
    // Drops misfits whose column another field uses now, but keeps those whose column has the field's own
    // name.
    misfits: misfits.filter(({ field, column }) => field === column || names.includes(column)),
    otherDates: guessed.createdAt?.length ? datesIn(others, input.day).map(({ name }) => name) : [],
  };
}

/** Returns the columns that no field of a map uses. */
function without(samples: readonly ColumnSample[], map: ColumnMap): ColumnSample[] {
  const used = new Set(Object.values(map).flat());
  return samples.filter(({ name }) => !used.has(name));
}

interface NamedColumns {
  map: ColumnMap;
  misfits: UncertainColumns['misfits'];
}

/** Finds the columns whose names match a field, unless most of their values do not fit. */
function byName(
  { columnsByField, unused, isExport }: MappedColumns,
  { samples, chosen, day }: GuessInput,
): NamedColumns {
  const guessed: ColumnMap = {};
  const misfits: NamedColumns['misfits'] = [];
  const filledOf = new Map(samples.map(({ name, filled }) => [name, filled]));
  const hasNoValues = samples.every(({ filled }) => filled.length === 0);
  const isFilled = (name: string) => (filledOf.get(name) ?? []).length > 0;
  const fits = (field: LineField, names: readonly string[]) => {
    const texts = names.filter((name) => names.length === 1 || !isTitle(name));
    const cells = texts.flatMap((name) => filledOf.get(name) ?? []);
    // In a file without lines, only names can decide.
    if (cells.length === 0) return hasNoValues && requiredFields.includes(field);
    return valuesFit(field, names[0] ?? '', cells, day);
  };
  const isVaried = (name: string) => new Set(filledOf.get(name)).size > 1;
  /** Compares two columns whose names match the same field. */
  const preferred = (field: LineField, [a = '']: readonly string[], [b = '']: readonly string[]) => {
    if (field === 'createdAt') return byTime(a, b);
    if (field !== 'author.name') return 0;
    return Number(isVaried(b)) - Number(isVaried(a)) || Number(isUserName(a)) - Number(isUserName(b));
  };
  // In the order of `lineFields`, because an earlier field claims its column first, and `columnsLike` uses
  // the columns of `content` and `author.name` for later fields.
  for (const field of lineFields.filter((name) => chosen.map[name] === undefined)) {
    const hasOwnColumn = (columnsByField[field] ?? []).length > 0;
    if (hasOwnColumn) {
      // The header has a column with the field's own name. An optional field ignores this column if its
      // values do not fit.
      const mayDiffer = !requiredFields.includes(field) && !isExport && isFilled(field);
      if (!mayDiffer || fits(field, [field])) continue;
      guessed[field] = [];
      misfits.push({ field, column: field });
    }
    const names = without(unused, guessed).map(({ name }) => name);
    const candidates = columnsLike(field, names, { ...columnsByField, ...guessed });
    const fitting = candidates.filter((each) => fits(field, each));
    const [match] = fitting.toSorted((a, b) => preferred(field, a, b));
    const [column] = candidates.flat();
    if (match) guessed[field] = match;
    else if (!hasOwnColumn && column !== undefined && isFilled(column)) misfits.push({ field, column });
  }
  return { map: guessed, misfits };
}

// Required fields accept columns with fewer matching values, because each line that does not fit is reported.
const minShares: Partial<Record<LineField, number>> = {
  content: 1 / 2,
  'author.name': 1 / 2,
  // One address is enough.
  'author.email': Number.MIN_VALUE,
};

/** True if the filled cells of a column look like values of a field. */
function valuesFit(field: LineField, name: string, cells: readonly string[], day: string): boolean {
  if (field === 'createdAt') return dateFormatsOf(cells, day) !== undefined;
  if (field === 'rating' && isNotRating(name, cells)) return false;
  return shareLike(field, cells, scaleOf(name, cells)) >= (minShares[field] ?? minimumShare);
}

/** Finds columns by their values, for fields whose columns have unknown names. */
function byValues(
  { columnsByField, unused }: MappedColumns,
  { chosen, day }: GuessInput,
  { mapByName, misfits }: { mapByName: ColumnMap; misfits: NamedColumns['misfits'] },
): { map: ColumnMap; choices: UncertainColumns['choices'] } {
  const guessed: ColumnMap = {};
  const choices: UncertainColumns['choices'] = {};
  // A column of a status with unknown values is not a rating.
  const statuses = misfits.flatMap(({ field, column }) => (field === 'status' ? [column] : []));
  const usable = unused.filter(({ name, filled }) => filled.length > 0 && !statuses.includes(name));
  for (const [field, find] of finders) {
    if (chosen.map[field] !== undefined || (mapByName[field] ?? columnsByField[field])?.length) continue;
    const found = find(without(usable, { ...mapByName, ...guessed }), day);
    if (!found) continue;
    if ('use' in found) guessed[field] = found.use;
    else choices[field] = found.choose;
  }
  return { map: guessed, choices };
}
