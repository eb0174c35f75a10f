/** How review tools write times. */
import { timeReader } from './time-reader.ts';

const dates = [
  ...['M/d/yyyy', 'd/M/yyyy', 'yyyy/M/d', 'd.M.yyyy', 'd-M-yyyy', 'M-d-yyyy', 'yyyy-M-d'],
  ...['MMM d, yyyy', 'MMMM d, yyyy', 'd MMM yyyy', 'd MMMM yyyy', 'd-MMM-yyyy', 'MMM d yyyy'],
  ...['M/d/yy', 'd/M/yy', 'd.M.yy', 'd-MMM-yy'],
];
const clocks = [
  '',
  ...[' ', ', '].flatMap((gap) => ['H:mm', 'H:mm:ss', 'h:mm a', 'h:mm:ss a'].map((each) => gap + each)),
];

/** Undefined is ISO 8601. Of two that read as much, the first is taken. */
const formats = [undefined, ...dates.flatMap((date) => clocks.map((clock) => `${date}${clock}`))];

// A few odd lines are refused each by itself.
const share = 0.9;
// So many rule out nearly all formats that a file does not have.
const few = 20;

/** Tokens of Luxon; absent for ISO 8601. */
export interface DateFormats {
  format?: string;
  /** Reads as much, and something else: where day and month cannot be told apart. */
  other?: string;
}

/** The format that reads the most of some times; undefined when none reads nearly all of them. */
export function dateFormatsOf(times: readonly string[]): DateFormats | undefined {
  if (times.length === 0) return undefined;
  const found = formats
    .filter((format) => countOf(timesBy(format, times.slice(0, few))) >= share * Math.min(few, times.length))
    .map((format) => ({ format, read: timesBy(format, times) }))
    .filter(({ read }) => countOf(read) >= share * times.length)
    .toSorted((a, b) => countOf(b.read) - countOf(a.read));
  const [best, ...others] = found;
  if (!best) return undefined;
  const { format } = best;
  if (format === undefined) return {};
  const isOther = ({ read }: typeof best) =>
    countOf(read) === countOf(best.read) && read.some((time, i) => time !== best.read[i]);
  const other = others.find(isOther)?.format;
  return { format, ...(other !== undefined && { other }) };
}

// The year 25 is not meant.
const [oldest, newest] = [Date.UTC(1990), Date.UTC(2100)];

function timesBy(format: string | undefined, times: readonly string[]): (number | undefined)[] {
  const { millisecondsOf } = timeReader(format);
  return times.map((text) => {
    const time = millisecondsOf(text);
    return time !== undefined && time >= oldest && time < newest ? time : undefined;
  });
}

function countOf(read: readonly (number | undefined)[]): number {
  return read.filter((time) => time !== undefined).length;
}
