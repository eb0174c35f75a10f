/** Detects the format of a file's dates. */
import spellings from './date-spellings.json' with { type: 'json' };
import { minimumShare } from './line-fields.ts';
import { languages, type TimeReader, timeReader } from './times.ts';

const withTokens = [
  ...spellings.dates.flatMap((date) => spellings.clocks.map((clock) => `${date}${clock}`)),
  ...spellings.zoned,
];

/** Formats in order of preference; undefined is ISO 8601. */
const inNumbers = [undefined, ...withTokens, 'unix', 'excel'];

/**
 * In one column of a sheet, some dates can be formatted, some written as text, and some be serial numbers.
 */
const mixed = ['iso or excel', ...withTokens.map((format) => `${format} or iso or excel`)];

// Enough to rule out most formats quickly.
const sampleSize = 20;

/**
 * Returns the format that fits most times; undefined means ISO 8601. If day and month are ambiguous, `other`
 * is a format that fits equally well and gives other times. Returns undefined if no format fits
 * `minimumShare` of the times.
 * @param from the ISO 8601 date from which `3 days ago` counts
 */
export function dateFormatsOf(times: readonly string[], from?: string) {
  if (times.length === 0) return undefined;
  // Dates with dots put the day first, but English would read 01.02.2024 as the second of January.
  const hasDots = times.some((text) => /^\d{1,2}\.\d{1,2}\.\d{2,4}/.test(text.trim()));
  const inOrder = hasDots ? languages.toSorted((a, b) => Number(a === 'en') - Number(b === 'en')) : languages;
  // Words in English also read 3/4/2024, and would not say that it is ambiguous.
  return (
    bestOf(inNumbers, times) ??
    (isMixed(times) ? bestOf(mixed, times) : undefined) ??
    bestOf(wordFormats(inOrder, from), times)
  );
}

/** True if a mixed format may read more than the single formats: there is an ISO time or a serial number. */
function isMixed(times: readonly string[]): boolean {
  return countOf(timesBy(mixed[0], times)) > 0;
}

/**
 * Returns formats from which a person can choose: those that read at least one of the times, the best first,
 * or all formats of dates if none does. Formats that read the same are returned once, and words only if no
 * format in numbers fits.
 * @param from the ISO 8601 date from which `3 days ago` counts
 */
export function offeredFormats(times: readonly string[], from: string): string[] {
  const sample = times.slice(0, sampleSize);
  const numbers = inNumbers.map((format) => format ?? 'iso');
  const fitting = fittingIn([...numbers, ...(isMixed(sample) ? mixed : [])], sample);
  if (fitting.length > 0) return fitting;
  const fittingWords = fittingIn(wordFormats(languages, from), sample);
  if (fittingWords.length > 0) return fittingWords;
  // ISO 8601 is the same as yyyy-M-d to a person.
  const dates = spellings.dates.filter((format) => format !== 'yyyy-M-d');
  return ['iso', ...dates, 'unix', 'excel', ...wordFormats(languages)];
}

function fittingIn(formats: readonly string[], times: readonly string[]): string[] {
  const readings = formats.map((format) => ({ format, read: timesBy(format, times) }));
  // Of formats that read the same, the first is kept.
  const distinct = new Map(readings.toReversed().map((reading) => [String(reading.read), reading]));
  return [...distinct.values()]
    .filter(({ read }) => countOf(read) > 0)
    .toSorted(
      (a, b) => countOf(b.read) - countOf(a.read) || formats.indexOf(a.format) - formats.indexOf(b.format),
    )
    .map(({ format }) => format);
}

/** Returns the formats of dates in words and, with a day, of dates that count from it. */
function wordFormats(codes: readonly string[], from?: string): string[] {
  const words = codes.map((language) => `words ${language}`);
  return from === undefined ? words : [...words, ...words.map((format) => `${format} from ${from}`)];
}

function bestOf(formats: readonly (string | undefined)[], times: readonly string[]) {
  const isMost = (read: readonly unknown[]) => countOf(read) >= minimumShare * read.length;
  const sample = times.slice(0, sampleSize);
  /** Stops reading cells as soon as the result is certain. */
  const isLikely = (format: string | undefined) => {
    let readable = sample.length;
    return sample.every((text) => {
      readable -= countOf(timesBy(format, [text])) === 0 ? 1 : 0;
      return readable >= minimumShare * sample.length;
    });
  };
  const fitting = formats
    .filter(isLikely)
    .map((format) => ({ format, read: timesBy(format, times) }))
    .filter(({ read }) => isMost(read))
    .toSorted((a, b) => countOf(b.read) - countOf(a.read));
  const [best, ...others] = fitting;
  if (!best) return undefined;
  const isOther = ({ read }: typeof best) =>
    countOf(read) === countOf(best.read) && read.some((time, i) => time !== best.read[i]);
  const { format } = best;
  return { format, other: format === undefined ? undefined : others.find(isOther)?.format };
}

// Other years are misread: the year 25 means 2025.
const [oldest, newest] = [Date.UTC(1990), Date.UTC(2100)];

// Readers and results are cached, because making a reader takes longer than reading, and reading words longer
// than a lookup. Columns are read several times, and the columns of a survey repeat a few answers.
const readers = new Map<string | undefined, { reader: TimeReader; read: Map<string, number | undefined> }>();
const maxCachedTimes = 10_000;

function timesBy(format: string | undefined, times: readonly string[]): (number | undefined)[] {
  const known = readers.get(format) ?? { reader: timeReader(format), read: new Map() };
  readers.set(format, known);
  const { reader, read } = known;
  return times.map((text) => {
    if (read.has(text)) return read.get(text);
    const time = reader.millisecondsOf(text);
    const likely = time !== undefined && time >= oldest && time < newest ? time : undefined;
    if (read.size >= maxCachedTimes) read.clear();
    read.set(text, likely);
    return likely;
  });
}

function countOf(read: readonly unknown[]): number {
  return read.filter((time) => time !== undefined).length;
}
