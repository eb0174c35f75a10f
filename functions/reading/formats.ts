/** The formats of files of testimonials. */

export const exportFormats = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The formats of imports. */
export const fileFormats = [...exportFormats, 'xlsx', 'json'] as const;
export type FileFormat = (typeof fileFormats)[number];

const endings: Record<FileFormat, RegExp> = {
  csv: /\.(csv|tsv|txt)$/i,
  ndjson: /\.(ndjson|jsonl)$/i,
  xlsx: /\.xlsx$/i,
  json: /\.json$/i,
};

export function formatOf<Format extends FileFormat>(file: string, formats: readonly Format[]) {
  return formats.find((format) => endings[format].test(file));
}

/** @param advice added to the message for an unknown ending */
export function noFormatText(file: string, advice = ''): string {
  if (/\.xml$/i.test(file)) return xmlText(file);
  const isOtherSheet = /\.(xls|ods|numbers)$/i.test(file);
  const how = isOtherSheet ? ' Save it as .xlsx or .csv.' : advice;
  return `${file} does not end in .xlsx, .csv, .tsv, .txt, .json, .ndjson or .jsonl.${how}`;
}

export function emptyText(file: string): string {
  return `${file} is empty. Nothing was imported.`;
}

/** Names the export to use instead of XML, such as the XML of WordPress. */
export function xmlText(file: string): string {
  return `${file} is XML, which cannot be imported. Export CSV, Excel or JSON instead. WordPress exports its comments as CSV with a plugin, or with: wp comment list --format=csv --fields=comment_author,comment_author_email,comment_date_gmt,comment_content,comment_approved`;
}
