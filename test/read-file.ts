/** Reads the bytes of a file as an import does, with what its mapping says. */
import { checkFile } from '../functions/reading/check-file.ts';
import type { FileFormat } from '../functions/reading/formats.ts';
import type { Mapping } from '../functions/reading/map-columns.ts';
import { openFile } from '../functions/reading/open-file.ts';
import { mappingText } from '../functions/reading/report.ts';
import { wholeFile } from '../lib/operator/files/whole-file.ts';
import { commandOptionNames } from '../lib/operator/import/command-texts.ts';

interface ReadOptions extends Partial<Mapping> {
  name?: string;
  format?: FileFormat;
  /** When the file was written and is read. */
  now?: Date;
}

export async function readFile(
  content: string | Uint8Array,
  { format = 'csv', name = `a.${format}`, now = new Date('2024-06-15'), ...chosen }: ReadOptions = {},
) {
  const whole = wholeFile(Buffer.from(content as string), now); // Buffer.from takes either
  const opened = await openFile({ name, format, ...whole }, { map: {}, defaults: {}, ...chosen });
  const { lines, ...checked } = await checkFile(opened, { now, progress: () => {} });
  const text = mappingText({ ...opened, ...checked, wasImported: false }, commandOptionNames);
  return { ...checked, opened, lines, text, map: opened.mapping.map };
}
