/** Chooses the sheet of a file that best fits testimonials, with its mapping. */
import { listed } from '../domain/wording.ts';
import { emptyText, type FileFormat } from './formats.ts';
import { type Guess, mappingFor } from './guess-mapping.ts';
import { requiredFields } from './line-fields.ts';
import { columnsByField, isSmallEnough, type Mapping } from './map-columns.ts';
import { contentOf, type FileContent, rowsSampled, type Sheet } from './spreadsheet.ts';

/** The metadata of a file. */
export interface FileFacts {
  /** The file name, for messages. */
  name: string;
  format: FileFormat;
  /** SHA-256 of the bytes, hexadecimal. */
  hash: string;
  /** The time at which the file was written. */
  modifiedAt: Date;
}

/** A file, and the way to read its lines. */
export interface OpenedFile extends FileFacts {
  text: string;
  /** Absent for NDJSON in the format of exports. */
  sheet?: Sheet;
  /** The names of all sheets, if there are several. */
  sheetNames?: readonly string[];
  /** The chosen mapping, completed by guesses. */
  mapping: Mapping;
  /** Present if the mapping contains guesses. */
  guess?: Guess;
}

/**
 * Reads the sheets of a file, and chooses one.
 * @throws if a file has no rows or does not match its format, or a chosen sheet or column is missing
 */
export async function openFile(
  { bytes, ...file }: FileFacts & { bytes: Uint8Array<ArrayBuffer> },
  chosen: Mapping,
): Promise<OpenedFile> {
  return chooseSheet(file, await contentOf(bytes, file.format, file.name), chosen);
}

/**
 * Chooses the sheet that fits best, unless a person chose one, and guesses the options that were not chosen.
 * @throws if the file has no rows, or a chosen sheet or column is missing
 */
export function chooseSheet(
  file: FileFacts,
  { text, sheets, needsNoSheet = false }: FileContent,
  chosen: Mapping,
): OpenedFile {
  const { name: fileName } = file;
  const isMapped = Object.keys({ ...chosen.map, ...chosen.defaults }).length > 0;
  if (needsNoSheet && !isMapped && text.trim() !== '') return { ...file, text, mapping: chosen };
  const sheetNames = sheets.map(({ name }) => name);
  if (chosen.sheetName !== undefined && !sheetNames.includes(chosen.sheetName))
    throw new Error(
      `${fileName} has no sheet ${chosen.sheetName}. Its sheets: ${listed(sheetNames) || 'none'}.`,
    );
  const withSheet = (sheet: Sheet): OpenedFile & { sheet: Sheet } => {
    const others = listed(sheetNames.filter((name) => name !== sheet.name));
    const guessed = mappingFor(sheet, chosen, dayOf(file));
    if (others === '') return { ...file, text, sheet, ...guessed };
    const notes = [`Sheet ${sheet.name} is imported. Ignored: ${others}.`, ...sheet.notes];
    const mapping = { ...guessed.mapping, sheetName: sheet.name };
    return { ...file, text, sheet: { ...sheet, notes }, sheetNames, ...guessed, mapping };
  };
  const possible = candidatesFor(sheets, chosen);
  // Skips sheets that are too wide, unless no other sheet has columns. The error about the width is then
  // clearer than an error about an empty file.
  const smallEnough = possible.filter(({ header }) => isSmallEnough(header));
  const all = (smallEnough.some(({ header }) => header.length > 0) ? smallEnough : possible).map(withSheet);
  const [opened] = all.length > 1 ? all.toSorted((a, b) => fitOf(b) - fitOf(a)) : all;
  if (!opened?.sheet.header.length) throw new Error(emptyText(fileName));
  if (!hasRows(opened.sheet))
    throw new Error(`${fileName} has no rows below its headings. Nothing was imported.`);
  return opened;
}

/** Returns the candidates: the chosen sheet, or the sheets with the chosen columns, or all sheets. */
function candidatesFor(sheets: readonly Sheet[], { sheetName, map }: Mapping): Sheet[] {
  const columns = new Set(Object.values(map).flat());
  const hasColumns = ({ header }: Sheet) => columns.isSubsetOf(new Set(header));
  // Each under the headings by which the columns were chosen.
  const possible = sheets
    .filter(({ name }) => sheetName === undefined || name === sheetName)
    .map((sheet) => [sheet, ...(sheet.otherHeadings ?? [])].find(hasColumns) ?? sheet);
  const fitting = possible.filter(hasColumns);
  return fitting.length > 0 ? fitting : possible;
}

function hasRows({ records }: Sheet): boolean {
  return Iterator.from(records()).some(() => true);
}

/** Counts the fields that every line needs, then the rows that have them. Returns -1 if there are no rows. */
function fitOf({ sheet, mapping }: OpenedFile & { sheet: Sheet }): number {
  if (!hasRows(sheet)) return -1;
  const { header, firstRows } = sheet;
  const names = columnsByField(header, mapping);
  const used = requiredFields.map((field) => names[field] ?? []).filter(({ length }) => length > 0);
  const isFilled = (row: readonly string[]) =>
    used.every((columns) => columns.some((name) => row[header.indexOf(name)]));
  return used.length * rowsSampled + firstRows.filter(isFilled).length;
}

/** Returns the day on which a file was written, from which `3 days ago` counts. */
export function dayOf({ modifiedAt }: FileFacts): string {
  return modifiedAt.toISOString().slice(0, 10);
}

/** Returns the SHA-256 of bytes, hexadecimal. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
