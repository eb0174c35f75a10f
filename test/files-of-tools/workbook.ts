/** A workbook of Excel (ECMA-376) of a few parts. */
import { strToU8, zipSync } from 'fflate';

export type Cell = string | number | boolean | { day: string } | undefined;

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A day, counted as spreadsheets do. */
export const serialOf = (time: string) => Date.parse(`${time}Z`) / 86_400_000 + 25_569;

function cell(value: Cell, place: string): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${Number(value)}</v></c>`;
  if (typeof value === 'object') return `<c r="${place}" s="1"><v>${serialOf(value.day)}</v></c>`;
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${xml(value)}</t></is></c>`;
}

/** The letters of a column, from A for 0. */
const column = (x: number): string =>
  `${x < 26 ? '' : column(Math.floor(x / 26) - 1)}${String.fromCharCode(65 + (x % 26))}`;

function sheet(rows: readonly (readonly Cell[])[]): string {
  const lines = rows.map((row, y) => {
    const cells = row.map((value, x) => cell(value, `${column(x)}${y + 1}`));
    return `<row r="${y + 1}">${cells.join('')}</row>`;
  });
  return `${head}<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData></worksheet>`;
}

/** @param sheets rows of cells, by the names of the sheets; dates are shown as days and times */
export function workbook(sheets: Record<string, readonly (readonly Cell[])[]>): Uint8Array {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>`;
  const relationships = (all: string[]) =>
    `${head}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`;
  const parts = {
    '[Content_Types].xml': `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`,
    '_rels/.rels': relationships([relation('rId1', 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${names.map((name, i) => `<sheet name="${xml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...names.map((_, i) => relation(`rId${i + 1}`, 'worksheet', `worksheets/sheet${i + 1}.xml`)),
      relation('rIdStyles', 'styles', 'styles.xml'),
    ]),
    'xl/styles.xml': `${head}<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, i) => [`xl/worksheets/sheet${i + 1}.xml`, sheet(rows)]),
    ),
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)])));
}
