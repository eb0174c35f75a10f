/**
 * The worker of the desk's page for files. It reads files, so that the page never blocks, and sends their
 * lines to the desk. The page's script (browser/import.js) forwards each action of the person; the worker
 * returns markup, which the script shows.
 */
import { sampleOf } from '../../reading/export.ts';
import { type ExportMessage, type ExportRequest, exportList } from './export-list.ts';
import { FileImport } from './file-import.ts';
import { importPart, openingPart } from './import-part.ts';
import { mappingIn } from './mapping-form.ts';

type ChosenFile = Blob & { name: string; lastModified: number };

/** An action of the person, forwarded by the page. */
type PageMessage =
  | { kind: 'connect'; stepUrl: string; organization: string; openError?: string }
  | { kind: 'open'; file: ChosenFile }
  | { kind: 'mapping' | 'check'; fields: [string, string][] }
  | { kind: 'all' | 'only new' | 'approve' | 'queue' | 'rejected' | 'sample' | 'cancel' }
  | { kind: 'openError'; text: string }
  | ({ kind: 'export' } & ExportRequest);

/**
 * A message to the page. `isBusy` while a file is read: the page ends a worker that takes too long.
 * `isStoring` while the page should stay open.
 */
type WorkerMessage = { kind: 'show'; markup: string; isBusy: boolean; isStoring: boolean } | ExportMessage;

declare const self: {
  onmessage: (event: { data: PageMessage }) => void;
  postMessage: (message: WorkerMessage) => void;
};

let desk = { stepUrl: '', organization: '' };
let current: FileImport | undefined;
/** The file that was chosen last. An earlier file may take longer to read. */
let chosen: ChosenFile | undefined;

function show(openError?: string): void {
  const phase = current?.state.kind === 'working' ? current.state.phase : '';
  const markup = String(importPart(current, desk.organization, openError));
  const isBusy = ['read', 'checked'].includes(phase);
  self.postMessage({ kind: 'show', markup, isBusy, isStoring: current?.isStoring ?? false });
}

const showCurrent = (file: FileImport) => {
  if (file === current) show();
};

/** Opens a file, unless another one is chosen in the meantime. */
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
  self.postMessage({ kind: 'save', name: `${name}.rejected.${ending}`, text: state.result.rejectedFileText });
}

async function perform(message: PageMessage): Promise<void> {
  // Ignores a second tap on a button.
  const isChoice = ['mapping', 'check', 'all', 'only new', 'approve', 'queue'].includes(message.kind);
  if (isChoice && current?.state.kind === 'working') return show();
  switch (message.kind) {
    case 'connect':
      desk = message;
      return show(message.openError);
    case 'open':
      return open(message.file);
    case 'mapping':
      return current?.preview(mappingIn(message.fields, current));
    case 'check':
      return current?.check(mappingIn(message.fields, current));
    case 'all':
    case 'only new':
      return current?.store(message.kind);
    case 'approve':
      return current?.checkWithStatus('approved');
    case 'queue':
      return current?.checkWithStatus('pending');
    case 'rejected':
      return saveRejected();
    case 'sample':
      return self.postMessage({ kind: 'save', name: 'testimonials.csv', text: sampleOf('csv') });
    case 'cancel':
      current?.stop();
      current = undefined;
      chosen = undefined;
      return show();
    case 'openError':
      return show(message.text);
    case 'export':
      return exportList(message, (part) => self.postMessage(part));
  }
}

self.onmessage = ({ data }) =>
  void perform(data).catch((error: unknown) => show(error instanceof Error ? error.message : String(error)));
