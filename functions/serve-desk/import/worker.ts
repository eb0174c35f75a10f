/**
 * The worker of the desk's page for files: reads files, so that the page never waits, and sends their lines to
 * the desk. The page's script (browser/import.js) sends it what someone does; the worker sends back the
 * import as markup, which the script shows.
 */
import type { UpdatedRecord } from '../../domain/outcomes.ts';
import { exportText, sampleOf } from '../../reading/export.ts';
import type { ExportFormat } from '../../reading/formats.ts';
import { FileImport } from './file-import.ts';
import { importPart, mappingIn, openingPart } from './import-part.ts';

type ChosenFile = Blob & { name: string; lastModified: number };

/** What someone does on the page. */
type PageMessage =
  | { kind: 'begin'; stepUrl: string; organization: string; problem?: string }
  | { kind: 'open'; file: ChosenFile }
  | { kind: 'mapping' | 'check'; fields: [string, string][] }
  | { kind: 'all' | 'only new' | 'rejected' | 'sample' | 'forget' }
  | { kind: 'problem'; text: string }
  | { kind: 'export'; url: string; search: string; format: ExportFormat; organization: string };

/**
 * What the page is to do. `isBusy` while a file is read: the page ends a worker that takes too long. `isStoring`
 * while the page should stay open.
 */
type WorkerMessage =
  | { kind: 'show'; markup: string; isBusy: boolean; isStoring: boolean }
  | { kind: 'save'; name: string; text: string }
  | { kind: 'exported'; text: string; isOngoing?: boolean };

declare const self: {
  onmessage: (event: { data: PageMessage }) => void;
  postMessage: (message: WorkerMessage) => void;
};

let desk = { stepUrl: '', organization: '' };
let current: FileImport | undefined;
/** The file that was chosen last. One that was chosen before may take longer to read. */
let chosen: ChosenFile | undefined;

function show(problem?: string): void {
  const phase = current?.state.kind === 'working' ? current.state.phase : '';
  const markup = String(importPart(current, desk.organization, problem));
  const isBusy = ['read', 'checked'].includes(phase);
  self.postMessage({ kind: 'show', markup, isBusy, isStoring: ['stored', 'indexed'].includes(phase) });
}

const showCurrent = (file: FileImport) => {
  if (file === current) show();
};

/** Opens a file, unless another one was chosen meanwhile. */
async function open(file: ChosenFile): Promise<void> {
  current?.stop();
  current = undefined;
  chosen = file;
  self.postMessage({ kind: 'show', markup: String(openingPart(file.name)), isBusy: true, isStoring: false });
  try {
    const opened = await FileImport.open(file, desk.stepUrl, showCurrent);
    if (chosen !== file) return;
    current = opened;
    await opened.begin();
  } catch (error) {
    if (chosen !== file) return;
    show(error instanceof Error ? error.message : String(error));
  }
}

function saveRejected(): void {
  const { state, name, opened } = current ?? {};
  if (!state || !('result' in state)) return;
  const ending = opened?.sheet ? 'csv' : 'ndjson';
  self.postMessage({ kind: 'save', name: `${name}.rejected.${ending}`, text: state.result.rejectedLines });
}

async function* recordsOf({
  url,
  search,
  organization,
}: Extract<PageMessage, { kind: 'export' }>): AsyncGenerator<UpdatedRecord[]> {
  let next: number | undefined = 0;
  while (next !== undefined) {
    const part: string = new URLSearchParams({ organization, from: String(next) }).toString();
    const answer: Response | undefined = await fetch(`${url}?${search}&${part}`).catch(() => undefined);
    if (!answer?.ok) throw new Error(failureOf(answer?.status));
    const read = await answer.json().then(
      (value) => value as { records: UpdatedRecord[]; next?: number }, // the desk answers so
      () => undefined,
    );
    if (!read) throw new Error(failureOf(undefined));
    yield read.records;
    next = read.next;
  }
}

/** Says why an export ended. */
function failureOf(status: number | undefined): string {
  if (status === undefined) return 'There is no connection to the desk. Export again.';
  if (status === 401) return 'Your session has ended. Sign in again, then export again.';
  if (status === 429) return 'Too much is going on just now. Export again in a minute.';
  if (status < 500) return 'The desk refuses this export. Open this page again.';
  return 'The desk cannot do this just now. Export again in a minute.';
}

let isExporting = false;

async function save(asked: Extract<PageMessage, { kind: 'export' }>): Promise<void> {
  if (isExporting) return;
  const { format, organization } = asked;
  isExporting = true;
  try {
    let [text, count] = ['', 0];
    const onRead = (_: number, matching: number) => {
      count = matching;
      self.postMessage({
        kind: 'exported',
        text: `${matching.toLocaleString('en')} read …`,
        isOngoing: true,
      });
    };
    for await (const piece of exportText(recordsOf(asked), format, { onRead })) text += piece;
    const name = `${organization}-${new Date().toISOString().slice(0, 10)}.${format}`;
    self.postMessage({ kind: 'save', name, text });
    self.postMessage({ kind: 'exported', text: `${count.toLocaleString('en')} exported to ${name}.` });
  } catch (error) {
    self.postMessage({ kind: 'exported', text: error instanceof Error ? error.message : String(error) });
  } finally {
    isExporting = false;
  }
}

async function perform(message: PageMessage): Promise<void> {
  // A second tap on a button begins nothing.
  const isChoice = ['mapping', 'check', 'all', 'only new'].includes(message.kind);
  if (isChoice && current?.state.kind === 'working') return show();
  switch (message.kind) {
    case 'begin':
      desk = message;
      return show(message.problem);
    case 'open':
      return open(message.file);
    case 'mapping':
      return current?.show(mappingIn(message.fields, current));
    case 'check':
      return current?.check(mappingIn(message.fields, current));
    case 'all':
    case 'only new':
      return current?.store(message.kind);
    case 'rejected':
      return saveRejected();
    case 'sample':
      return self.postMessage({ kind: 'save', name: 'testimonials.csv', text: sampleOf('csv') });
    case 'forget':
      current?.stop();
      current = undefined;
      chosen = undefined;
      return show();
    case 'problem':
      return show(message.text);
    case 'export':
      return save(message);
  }
}

self.onmessage = ({ data }) =>
  void perform(data).catch((error: unknown) => show(error instanceof Error ? error.message : String(error)));
