/** Files that a page sends. */

export const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
} as const;

/** The header by which a file is saved under a name of any letters (RFC 6266, section 4.3). */
export function attachment(name: string): string {
  return `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)}`;
}
