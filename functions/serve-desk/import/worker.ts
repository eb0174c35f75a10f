/**
 * The worker of the desk's page for files: reads files, so that the page never waits, and sends their lines to
 * the desk. It draws the import as markup, which the page shows.
 */
import type { UpdatedRecord } from '../../domain/outcomes.ts';
import { exportText, sampleOf } from '../../reading/export.ts';
import type { ExportFormat } from '../../reading/formats.ts';
import { FileImport } from './file-import.ts';
import { importPart, mappingIn } from './import-part.ts';

/** What the page asks for. */
type Asked =
  | { kind: 'begin'; stepUrl: string; organization: string; problem?: string }
  | { kind: 'open'; file: Blob & { name: string; lastModified: number } }
  | { kind: 'mapping' | 'check'; fields: [string, string][] }
  | { kind: 'all' | 'only new' | 'rejected' | 'sample' | 'forget' }
  | { kind: 'export'; url: string; search: string; format: ExportFormat; organization: string };

/**
 * What the page is to do. `isBusy` while a file is read: the page ends a worker that takes too long. `isStoring`
 * while the page should stay open.
 */
type Told =
  | { kind: 'show'; markup: string; isBusy: boolean; isStoring: boolean }
  | { kind: 'save'; name: string; text: string }
  | { kind: 'exported'; text: string };

declare const self: {
  onmessage: (event: { data: Asked }) => void;
  postMessage: (message: Told) => void;
};

let desk = { stepUrl: '', organization: '' };
let current: FileImport | undefined;
/** The file that was chosen last. One that was chosen before may take longer to read. */
let chosen: unknown;

function show(problem?: string): void {
  const phase = current?.step.kind === 'working' ? current.step.phase : '';
  const markup = String(importPart(current, desk.organization, problem));
  const isBusy = ['read', 'checked'].includes(phase);
  self.postMessage({ kind: 'show', markup, isBusy, isStoring: ['stored', 'indexed'].includes(phase) });
}

const showCurrent = (file: FileImport) => {
  if (file === current) show();
};

/** Opens a file, unless another one was chosen meanwhile. */
async function open(file: Extract<Asked, { kind: 'open' }>['file']): Promise<void> {
  current?.stop();
  current = undefined;
  chosen = file;
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
  const { step, name, opened } = current ?? {};
  if (!step || !('result' in step)) return;
  const ending = opened?.sheet ? 'csv' : 'ndjson';
  self.postMessage({ kind: 'save', name: `${name}.rejected.${ending}`, text: step.result.rejectedLines });
}

async function* recordsOf({
  url,
  search,
  organization,
}: Extract<Asked, { kind: 'export' }>): AsyncGenerator<UpdatedRecord[]> {
  let next: number | undefined = 0;
  while (next !== undefined) {
    const part: string = new URLSearchParams({ organization, from: String(next) }).toString();
    const answer: Response = await fetch(`${url}?${search}&${part}`);
    if (!answer.ok) throw new Error('The desk did not answer. Try again.');
    const read = (await answer.json()) as { records: UpdatedRecord[]; next?: number }; // the desk answers so
    yield read.records;
    next = read.next;
  }
}

async function save(asked: Extract<Asked, { kind: 'export' }>): Promise<void> {
  const { format, organization } = asked;
  try {
    let [text, count] = ['', 0];
    const onRead = (_: number, matching: number) => {
      count = matching;
      self.postMessage({ kind: 'exported', text: `${matching.toLocaleString('en')} read …` });
    };
    for await (const piece of exportText(recordsOf(asked), format, { onRead })) text += piece;
    const name = `${organization}-${new Date().toISOString().slice(0, 10)}.${format}`;
    self.postMessage({ kind: 'save', name, text });
    self.postMessage({ kind: 'exported', text: `${count.toLocaleString('en')} exported to ${name}.` });
  } catch (error) {
    self.postMessage({ kind: 'exported', text: error instanceof Error ? error.message : String(error) });
  }
}

async function perform(asked: Asked): Promise<void> {
  // A second tap on a button begins nothing.
  const isChoice = ['mapping', 'check', 'all', 'only new'].includes(asked.kind);
  if (isChoice && current?.step.kind === 'working') return;
  switch (asked.kind) {
    case 'begin':
      desk = asked;
      return show(asked.problem);
    case 'open':
      return open(asked.file);
    case 'mapping':
      return current?.show(mappingIn(asked.fields, current));
    case 'check':
      return current?.check(mappingIn(asked.fields, current));
    case 'all':
    case 'only new':
      return current?.store(asked.kind);
    case 'rejected':
      return saveRejected();
    case 'sample':
      return self.postMessage({ kind: 'save', name: 'testimonials.csv', text: sampleOf('csv') });
    case 'forget':
      current?.stop();
      current = undefined;
      chosen = undefined;
      return show();
    case 'export':
      return save(asked);
  }
}

self.onmessage = ({ data }) => void perform(data);
