/** Reading the lines of an import, one after another. */
import { counted } from '../terminal/formatting.ts';
import type { Columns } from './columns.ts';
import type { CsvRecord } from './csv.ts';
import { type FileContent, isObject } from './spreadsheet.ts';

/** A line of the file, a row of its sheet where that is a table. */
export interface Line {
  line: number;
  text: string;
  /** What it says; of a line that cannot be read, what it would say if it were taken alone. */
  value?: Record<string, unknown>;
  /** Why it cannot be read. */
  unreadable?: string;
}

/** @param columns of a table */
export function* readLines(
  { text, table }: FileContent,
  columns: Columns | undefined,
): Generator<Line, void, undefined> {
  if (!table) yield* jsonLines(text);
  else if (columns) for (const record of table.records()) yield tableLine(record, columns);
}

// One after another: a file may have more lines than an array takes.
function* jsonLines(text: string): Generator<Line, void, undefined> {
  for (let begin = 0, line = 1; begin < text.length; line += 1) {
    const found = text.indexOf('\n', begin);
    const json = text.slice(begin, found < 0 ? text.length : found);
    begin += json.length + 1;
    if (json.trim() !== '') yield { line, text: json, ...parsed(json) };
  }
}

function parsed(json: string): Pick<Line, 'value' | 'unreadable'> {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? { value } : { unreadable: 'is not a JSON object' };
  } catch {
    return { unreadable: 'is not JSON' };
  }
}

function tableLine({ line, text, cells = [], unreadable }: CsvRecord, columns: Columns): Line {
  const { length: width } = columns.header;
  // Nobody knows which cells are the right ones where there are too many or too few.
  const why =
    unreadable ??
    (cells.length === width
      ? undefined
      : `has ${counted(cells.length, 'cell')} where the header has ${width}`);
  return {
    line,
    text,
    ...(cells.length === width && { value: columns.toTestimonial(cells) }),
    ...(why !== undefined && { unreadable: why }),
  };
}
