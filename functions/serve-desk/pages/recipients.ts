/** Reads the people for personal links from lines in the formats of spreadsheets and of people. */
import * as v from 'valibot';
import { columnsLike, countFamiliarNames } from '../../csv/column-names.ts';
import { csvRecords, readableCells, separatorOf, separators } from '../../csv/csv.ts';
import { emailAddress } from '../../domain/email-address.ts';
import { maskAddresses } from '../../domain/mask-addresses.ts';
import { limits } from '../../domain/testimonial.ts';
import { text } from '../../domain/text.ts';
import { isBlank } from '../../domain/visible-text.ts';
import { excerpt } from '../../domain/wording.ts';
import { type PersonalField, type PersonalValues, personalFields } from '../../serve-pages/personal-link.ts';
import { BadForm } from '../parts/forms.ts';

export interface Recipients {
  people: PersonalValues[];
  /** A sentence for each line that gets no link. */
  problems: string[];
  /** Sentences about how the lines were read. */
  notes: string[];
  separator: string;
}

export const fieldWords: Record<PersonalField, string> = {
  name: 'name',
  email: 'e-mail address',
  role: 'job title',
  company: 'company',
};

/** The indices of the columns of each field. Several columns are joined in their order. */
type Columns = { [name in PersonalField]?: number[] };
type Row = readonly string[];

const maxRecipients = 1000;
// A table of people does not need more columns.
const maxColumns = 100;

const person = v.object({
  name: v.pipe(
    text(limits.authorText),
    // Such as a line with another separator than the others. Visitors would see the address.
    v.check((name) => maskAddresses(name) === name, 'must not contain an e-mail address'),
  ),
  email: v.optional(emailAddress),
  role: v.optional(text(limits.authorText)),
  company: v.optional(text(limits.authorText)),
});

/**
 * Reads lines with a name and, optionally, an e-mail address, a job title and a company. The first line may
 * contain the headings of the columns. Without headings, the addresses can be in any column, and the other
 * columns are name, job title and company in this order.
 * @throws {BadForm} if there are too many lines, or none
 */
export function readRecipients(typed: string): Recipients {
  const lines = typed.replace(/\r\n?/g, '\n');
  const separator = separatorIn(lines);
  const records = Iterator.from(csvRecords(lines, separator))
    .take(maxRecipients + 2)
    .map((record) => ({ ...record, row: readableCells(record).slice(0, maxColumns).map(onOneLine) }))
    .toArray();
  const [first] = records;
  if (!first) throw new BadForm('Paste at least one line, or choose a file.');
  const headings = isHeading(first.row) ? first.row : undefined;
  const rest = headings
    ? records.slice(1)
    : records.map((record) => ({ ...record, row: withAddressApart(record.row) }));
  if (rest.length > maxRecipients) {
    throw new BadForm(`Paste at most ${maxRecipients.toLocaleString('en')} lines at a time.`);
  }
  const rows = rest.map(({ row }) => row);
  const columns = headings ? namedColumns(headings, rows) : orderedColumns(rows);
  const people: PersonalValues[] = [];
  const problems: string[] = [];
  for (const { line, row, unreadable } of rest) {
    const read = unreadable === undefined ? readPerson(row, columns) : unreadable;
    if (typeof read === 'string') problems.push(`Line ${line} ${read}.`);
    else people.push(read);
  }
  const notes = notesOf(columns, rows, headings);
  // If only some lack an address, their links are marked.
  if (people.length > 0 && people.every(({ email }) => email === undefined))
    notes.push('No line has an e-mail address.');
  return { people, problems, notes, separator };
}

function onOneLine(cell: string): string {
  return cell.replace(/\s+/g, ' ').trim();
}

/** Splits the name that ends with the only address of a line, such as “Jane Doe <jane@example.com>”. */
function withAddressApart(row: Row): Row {
  if (row.some(isAddress)) return row;
  return row.flatMap((cell) => {
    const [, name = '', address = ''] = /^(.*\S) <?([^ <>]+)>?$/.exec(cell) ?? [];
    return isAddress(address) ? [name, address] : cell;
  });
}

function isAddress(cell: string): boolean {
  return v.is(emailAddress, cell);
}

/** Returns the separator with which the most lines have an address in a cell of its own. */
function separatorIn(lines: string): string {
  const found = [separatorOf(lines), ...separators].map((separator) => {
    const rows = csvRecords(lines, separator).take(maxRecipients).map(readableCells);
    const addressed = rows.filter((row) => row.slice(0, maxColumns).some(isAddress));
    return { separator, count: [...addressed].length };
  });
  return found.toSorted((a, b) => b.count - a.count)[0]?.separator ?? ',';
}

/** True if at least half of the cells are familiar column names and no cell is an address. */
function isHeading(row: Row): boolean {
  const filled = row.filter((cell) => cell !== '');
  const familiar = countFamiliarNames(filled);
  return familiar > 0 && 2 * familiar >= filled.length && !filled.some((cell) => cell.includes('@'));
}

function namedColumns(headings: Row, rows: readonly Row[]): Columns {
  const mapped: Record<string, readonly string[]> = {};
  const columns: Columns = {};
  for (const name of ['name', 'email', 'role', 'company'] as const) {
    const used = Object.values(mapped).flat();
    const free = headings.filter((heading) => !used.includes(heading));
    const [found = []] = columnsLike(personalFields[name], free, mapped);
    if (found.length === 0) continue;
    mapped[personalFields[name]] = found;
    columns[name] = found.map((heading) => headings.indexOf(heading));
  }
  if (columns.email) return columns;
  const used = Object.values(columns).flat();
  const addresses = addressColumn(rows.map((row) => row.map((cell, i) => (used.includes(i) ? '' : cell))));
  return addresses === undefined ? columns : { ...columns, email: [addresses] };
}

function orderedColumns(rows: readonly Row[]): Columns {
  const isEmptySecond = rows.every((row) => !row[1]);
  const addresses = addressColumn(rows) ?? (isEmptySecond ? 1 : undefined);
  const others = columnNumbers(rows).filter((i) => i !== addresses);
  const columns: Columns = addresses === undefined ? {} : { email: [addresses] };
  for (const [i, name] of (['name', 'role', 'company'] as const).entries()) {
    const column = others[i];
    if (column !== undefined) columns[name] = [column];
  }
  return columns;
}

function columnNumbers(rows: readonly Row[]): number[] {
  return [...Array(Math.max(0, ...rows.map(({ length }) => length))).keys()];
}

/**
 * Returns the column with the most addresses or, if there are none, with the most cells that might be
 * misspelled addresses.
 */
function addressColumn(rows: readonly Row[]): number | undefined {
  const most = (pattern: RegExp) => {
    const counts = columnNumbers(rows).map((i) => rows.filter((row) => pattern.test(row[i] ?? '')).length);
    const max = Math.max(0, ...counts);
    return max > 0 ? counts.indexOf(max) : undefined;
  };
  return most(/@/) ?? most(/^[^\s.]+(\.[^\s.]+)+$/);
}

/** Returns the values of a line, or the rule that it breaks. */
function readPerson(row: Row, columns: Columns): PersonalValues | string {
  const cells = Object.entries(columns).map(([name, numbers]) => {
    const value = numbers
      .map((i) => row[i] ?? '')
      .join(' ')
      .trim();
    return [name, isBlank(value) ? undefined : value] as const;
  });
  const values: Record<string, string | undefined> = Object.fromEntries(cells);
  if (values.name === undefined)
    return `has no name${values.email === undefined ? '' : `: ${excerpt(values.email, 60)}`}`;
  const { success, output, issues } = v.safeParse(person, values, { abortPipeEarly: true });
  if (success) return output;
  const rules = issues.map((issue) => {
    const name = v.getDotPath(issue) as PersonalField; // the members of the schema
    const value = `“${excerpt(values[name] ?? '', 60)}”`;
    if (issue.message === 'must be a valid e-mail address') return `${value} is not an e-mail address`;
    return `the ${fieldWords[name]} ${value} ${issue.message}`;
  });
  return `cannot be used: ${rules.join(', ')}`;
}

function notesOf(columns: Columns, rows: readonly Row[], headings?: Row): string[] {
  const numbers = Object.values(columns).flat();
  const words = Object.entries(columns)
    .filter(([, numbers]) => rows.some((row) => numbers.some((i) => row[i])))
    .toSorted(([, [a = 0]], [, [b = 0]]) => a - b)
    .map(([name]) => fieldWords[name as PersonalField]); // the members of `Columns`
  const unread = columnNumbers(headings ? [headings, ...rows] : rows)
    .filter((i) => !numbers.includes(i) && rows.some((row) => row[i]))
    .map((i) => (headings?.[i] ? `“${excerpt(headings[i], 60)}”` : `number ${i + 1}`));
  return [
    ...(headings ? ['The first line was read as headings.'] : []),
    ...(words.length > 0 ? [`The columns were read as ${words.join(', ')}.`] : []),
    ...(unread.length > 0 ? [`Ignored columns: ${unread.join(', ')}.`] : []),
  ];
}
