/** Exports a list from the desk to a file, part by part, in the worker of the page for files. */
import type { UpdatedRecord } from '../../domain/outcomes.ts';
import { exportText } from '../../reading/export.ts';
import type { ExportFormat } from '../../reading/formats.ts';

export interface ExportRequest {
  /** The URL of the records at the desk. */
  url: string;
  /** The filter, in the format of a URL's query. */
  search: string;
  format: ExportFormat;
  organization: string;
}

export type ExportMessage =
  /** The file is ready to be saved. */
  { kind: 'save'; name: string; text: string } | { kind: 'exported'; text: string; isOngoing?: boolean };

async function* recordsOf({ url, search, organization }: ExportRequest): AsyncGenerator<UpdatedRecord[]> {
  let next: number | undefined = 0;
  while (next !== undefined) {
    const part: string = new URLSearchParams({ organization, from: String(next) }).toString();
    const answer: Response | undefined = await fetch(`${url}?${search}&${part}`).catch(() => undefined);
    const read = await answer?.json().then(
      // The format of the desk's response.
      (value) => value as { records?: UpdatedRecord[]; next?: number; problem?: string },
      () => undefined,
    );
    if (!answer?.ok || !read?.records)
      throw new Error(read?.problem ?? failureOf(answer?.ok ? undefined : answer?.status));
    yield read.records;
    next = read.next;
  }
}

/** Returns the reason that an export ended. */
function failureOf(status: number | undefined): string {
  if (status === undefined) return 'There is no connection to the desk. Export again.';
  if (status === 401) return 'Your session has ended. Sign in again, then export again.';
  if (status === 429) return 'There are too many requests right now. Export again in a minute.';
  if (status < 500) return 'This export is not allowed. Reload this page.';
  return 'The export failed. Try again in a minute.';
}

let isExporting = false;

/** Exports a list in parts, and reports the progress. Does nothing if an export is already running. */
export async function exportList(
  request: ExportRequest,
  report: (message: ExportMessage) => void,
): Promise<void> {
  if (isExporting) return;
  const { format, organization } = request;
  isExporting = true;
  try {
    let [text, count] = ['', 0];
    const onRead = (_: number, matching: number) => {
      count = matching;
      report({
        kind: 'exported',
        text: `${matching.toLocaleString('en')} read…`,
        isOngoing: true,
      });
    };
    for await (const piece of exportText(recordsOf(request), format, { isFile: true, onRead })) text += piece;
    const name = `${organization}-${new Date().toISOString().slice(0, 10)}.${format}`;
    report({ kind: 'save', name, text });
    report({ kind: 'exported', text: `${count.toLocaleString('en')} exported to ${name}.` });
  } catch (error) {
    report({ kind: 'exported', text: error instanceof Error ? error.message : String(error) });
  } finally {
    isExporting = false;
  }
}
