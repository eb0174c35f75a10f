/** The formats of files that testimonials come from and go to. */

export const fileFormats = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** The format that a file's name tells. */
export function formatOf(file: string): FileFormat | undefined {
  if (/\.csv$|\.tsv$/i.test(file)) return 'csv';
  return /\.ndjson$|\.jsonl$/i.test(file) ? 'ndjson' : undefined;
}
