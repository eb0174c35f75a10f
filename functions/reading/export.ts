/** Writes files that an import reads: exports, and a sample. */
import { byteOrderMark, csvText } from '../csv/csv.ts';
import type { UpdatedRecord } from '../domain/outcomes.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import type { ExportFormat } from './formats.ts';
import { cellsOfFields, lineFields } from './line-fields.ts';
import samples from './samples.json' with { type: 'json' };

export interface ExportOptions {
  /** Selects testimonials; all if absent. */
  matches?: (testimonial: Testimonial) => boolean;
  /** True for the text of a file that someone may open in a spreadsheet. */
  isFile?: boolean;
  /** Called with the number of testimonials read, and the number of those that match. */
  onRead?: (read: number, matching: number) => void;
}

/** Yields the text of an export page by page. */
export async function* exportText(
  pages: AsyncIterable<readonly UpdatedRecord[]>,
  format: ExportFormat,
  { matches = () => true, isFile = false, onRead = () => {} }: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  let read = 0;
  let matching = 0;
  if (format === 'csv') yield `${isFile ? byteOrderMark : ''}${csvText([lineFields])}`;
  for await (const page of pages) {
    const exported = page.filter(({ testimonial }) => matches(testimonial)).map(membersOf);
    read += page.length;
    matching += exported.length;
    onRead(read, matching);
    if (format === 'csv') yield csvText(exported.map((members) => cellsOfFields(members, lineFields)));
    else yield exported.map((members) => `${JSON.stringify(members)}\n`).join('');
  }
}

// If two updates have the same time, only this number shows which came first.
function membersOf({ testimonial, update, consent }: UpdatedRecord) {
  return { ...testimonial, ...(consent && { consent }), updateOrdinal: update };
}

/** Returns the text of a file that shows how testimonials are imported. */
export function sampleOf(format: ExportFormat): string {
  if (format === 'ndjson') return samples.map((sample) => `${JSON.stringify(sample)}\n`).join('');
  const fields = lineFields.filter(
    (field) => !['id', 'consent.page', 'consent.at', 'updateOrdinal'].includes(field),
  );
  return byteOrderMark + csvText([fields, ...samples.map((sample) => cellsOfFields(sample, fields))]);
}
