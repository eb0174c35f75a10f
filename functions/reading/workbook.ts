/** Reads Excel workbooks, and refuses workbooks that would take too much memory. */
import { strFromU8, type UnzipFileInfo, unzipSync } from 'fflate';

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads the nonempty sheets of a workbook.
 * @param name the file name, for errors
 * @throws if the file is not a workbook, or is too large when unpacked
 */
export async function readWorkbook(bytes: Bytes, name: string, maxUnpackedBytes: number) {
  if (unpackedSizeOf(bytes) > maxUnpackedBytes)
    throw new Error(
      `${name} unpacks to more than ${maxUnpackedBytes / 1024 / 1024} MB. Save its sheet as CSV, and import that.`,
    );
  refuseIfSparse(bytes, name);
  const { default: readSheets } = await import('read-excel-file/universal');
  const all = await readSheets(new Blob([bytes])).catch((error: unknown) => {
    throw new Error(`${name} is not an Excel workbook. Save it as .xlsx or as CSV.`, { cause: error });
  });
  return all.filter(({ data }) => data.length > 0);
}

/** True if the bytes are an Excel workbook, regardless of the file name. */
export function isWorkbook(bytes: Bytes): boolean {
  return filesIn(bytes).some(({ name }) => name === 'xl/workbook.xml');
}

// More cells take seconds and gigabytes, because the library fills each row up to the last column.
const maxFilledCells = 10_000_000;
const maxFilledPerCell = 20;
const scannedBytes = 16 * 1024 * 1024;

/** @throws if a sheet has a few cells far from the others, and therefore millions of blank ones */
function refuseIfSparse(bytes: Bytes, name: string): void {
  for (const xml of sheetFilesIn(bytes)) {
    let [cells, lastRow, lastColumn] = [0, 0, ''];
    for (let from = 0; from < xml.length; from += scannedBytes) {
      const text = strFromU8(xml.subarray(from, from + scannedBytes), true);
      for (const [, column = '', row] of text.matchAll(/\sr="([A-Z]{1,3})(\d{1,7})"/g)) {
        cells += 1;
        lastRow = Math.max(lastRow, Number(row));
        if (isBehind(column, lastColumn)) lastColumn = column;
      }
    }
    const filled = lastRow * columnNumber(lastColumn);
    if (filled > Math.max(maxFilledCells, maxFilledPerCell * cells))
      throw new Error(
        `A sheet of ${name} reaches to column ${lastColumn}, row ${lastRow.toLocaleString('en')}, and is mostly blank. Delete the stray cells, or save the sheet as CSV and import that.`,
      );
  }
}

/** Returns the XML of a workbook's sheets, or an empty array if the bytes are not an archive. */
function sheetFilesIn(bytes: Bytes): Uint8Array[] {
  try {
    const isSheet = (path: string) => /^xl\/worksheets\/[^/]+\.xml$/.test(path);
    return Object.values(unzipSync(bytes, { filter: (file) => isSheet(file.name) }));
  } catch {
    return [];
  }
}

/** Compares column letters: AB is after Z. */
function isBehind(column: string, other: string): boolean {
  return column.length === other.length ? column > other : column.length > other.length;
}

/** Returns the number of a column: 28 for AB. */
function columnNumber(letters: string): number {
  return Array.from(letters).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);
}

/** Returns the size of a ZIP archive's files, as it declares them; 0 if the bytes are not an archive. */
function unpackedSizeOf(bytes: Bytes): number {
  return filesIn(bytes).reduce((size, { originalSize }) => size + originalSize, 0);
}

/** Lists the files of a ZIP archive without unpacking them. Returns none if the bytes are not an archive. */
function filesIn(bytes: Bytes): UnzipFileInfo[] {
  const files: UnzipFileInfo[] = [];
  try {
    unzipSync(bytes, {
      filter: (file) => {
        files.push(file);
        return false;
      },
    });
  } catch {
    return [];
  }
  return files;
}
