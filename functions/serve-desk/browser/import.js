/** The page for files: passes files and choices to its worker, and shows the worker's markup. */

// A file that takes longer to read was made to do so.
const longestReadMs = 10_000;
const tooLongText =
  'This file takes too long to read. Export it again with fewer columns or rows, or save it as CSV and choose that file.';
const failedText =
  'Something went wrong. Stored testimonials are kept. Choose the same file again to continue. If it fails again, save it as CSV and choose that file.';
const severalText = 'Choose one file at a time.';

// The worker's code needs these features.
const isTooOld = !globalThis.Iterator?.from || !Set.prototype.isSubsetOf;
// A worker that cannot even start is not restarted forever.
const maxStarts = 5;
let startsWithoutResponse = 0;

/** The part of the page that the worker draws; null while an undo is shown. */
const importElement = () => document.querySelector('[data-import]');

let worker;
let readTimer;
let isExporting = false;
/** True while a button is pressed, whose markup stays until the click has arrived. */
let isPressed = false;
let waitingMessage;
/** The id of a choice that has the focus again after the file is checked again. */
let keptId;

/** Starts a worker, perhaps in place of one that takes too long, and shows the reason. */
function start(openError) {
  worker?.terminate();
  worker = undefined;
  watch(false);
  if (isExporting) handlers.exported({ text: 'The export was interrupted. Export again.' });
  // During an undo the page has no import part; it connects afterwards.
  if (!importElement()) return;
  startsWithoutResponse += 1;
  if (isTooOld || startsWithoutResponse > maxStarts) {
    importElement().hidden = true;
    document.querySelector('[data-too-old]').hidden = false;
    return;
  }
  worker = new Worker(importElement().dataset.worker);
  worker.onmessage = ({ data }) => {
    startsWithoutResponse = 0;
    handlers[data.kind](data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    start(failedText);
  };
  connect(openError);
}

/**
 * Lets the worker draw the import on this page. An undo replaces the page, and so does the end of the undo.
 */
function connect(openError) {
  const { step: stepUrl, organization } = importElement().dataset;
  importElement().dataset.connected = '';
  worker.postMessage({ kind: 'connect', stepUrl, organization, openError });
}

/** From now on, ends a worker that reads for too long. */
function watch(isReading) {
  clearTimeout(readTimer);
  if (isReading) readTimer = setTimeout(start, longestReadMs, tooLongText);
}

/** Asks the worker to read. The worker responds with markup, or takes too long. */
function read(message) {
  watch(true);
  worker?.postMessage(message);
}

const handlers = {
  show(message) {
    const { markup, isBusy, isStoring } = message;
    window.onbeforeunload = isStoring ? (event) => event.preventDefault() : null;
    watch(isBusy);
    const element = importElement();
    if (!element) return;
    waitingMessage = isPressed ? message : undefined;
    if (waitingMessage) return;
    const active = element.contains(document.activeElement) ? document.activeElement : undefined;
    const { id } = active ?? {};
    if (active) keptId = active.matches('[type="radio"]') ? id : undefined;
    const isOpen = element.querySelector('details')?.open;
    element.innerHTML = markup;
    if (isOpen) element.querySelector('details')?.setAttribute('open', '');
    const sought = id || keptId;
    const same = sought && document.getElementById(sought);
    // Letters that the person typed while the worker was reading.
    const isTyped = same && active?.matches('input:not([type])');
    if (isTyped) same.value = active.value;
    (same || element.querySelector('[data-focus]'))?.focus({ preventScroll: Boolean(id) });
    if (isTyped) same.setSelectionRange(active.selectionStart, active.selectionEnd);
  },
  save({ name, text }) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text]));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  },
  exported({ text, isOngoing = false }) {
    isExporting = isOngoing;
    const status = document.querySelector('[data-exported]');
    if (status) status.textContent = text;
  },
};

function open([file, ...others]) {
  if (others.length > 0) worker?.postMessage({ kind: 'openError', text: severalText });
  else if (file) read({ kind: 'open', file });
}

const fieldsOf = (form) => [...new FormData(form)];

// A click on a button also changes the field that had the focus. The button's markup must not be replaced
// before the click arrives.
const changeMs = 300;
let changed;

/** Sends the columns that the person chose. */
function sendChange() {
  clearTimeout(changed);
  changed = undefined;
  const form = document.querySelector('[data-import] [data-mapping]');
  if (form) read({ kind: 'mapping', fields: fieldsOf(form) });
}

document.addEventListener('change', ({ target }) => {
  if (!target.closest('[data-import]')) return;
  if (target.type === 'file') return open(target.files);
  clearTimeout(changed);
  if (target.closest('[data-mapping]')) changed = setTimeout(sendChange, changeMs);
});

document.addEventListener('pointerdown', ({ target }) => {
  isPressed = Boolean(target.closest?.('[data-import] button'));
});
for (const type of ['pointerup', 'pointercancel'])
  document.addEventListener(type, () => {
    // The click comes next, and can itself request other markup.
    setTimeout(() => {
      isPressed = false;
      if (waitingMessage) handlers.show(waitingMessage);
    });
  });

document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('[data-import] [data-act]');
  if (!button) return;
  // A `kind` of `PageMessage` (import-worker/worker.ts), or `done`.
  const { act } = button.dataset;
  // The list of imports below has a new entry.
  if (act === 'done') return location.reload();
  // A change that is not shown yet is checked before anything is stored.
  if (changed !== undefined) sendChange();
  const form = button.closest('[data-mapping]');
  if (form) read({ kind: act, fields: fieldsOf(form) });
  else worker?.postMessage({ kind: act });
});

document.addEventListener('submit', (event) => {
  const { target } = event;
  if (!target.matches('[data-import] form, [data-export]')) return;
  event.preventDefault();
  if (target.matches('[data-mapping]')) {
    clearTimeout(changed);
    changed = undefined;
    read({ kind: 'check', fields: fieldsOf(target) });
  }
  if (!target.matches('[data-export]')) return;
  const { export: url, organization } = target.dataset;
  const fields = new FormData(target);
  const format = fields.get('format');
  fields.delete('format');
  const search = String(new URLSearchParams([...fields].filter(([, value]) => value !== '')));
  worker?.postMessage({ kind: 'export', url, search, format, organization });
});

const hasFile = ({ dataTransfer }) => [...(dataTransfer?.types ?? [])].includes('Files');
const dropZone = () => document.querySelector('[data-drop]');
for (const type of ['dragenter', 'dragover']) {
  document.addEventListener(type, (event) => {
    if (!importElement() || !hasFile(event)) return;
    event.preventDefault();
    dropZone()?.classList.add('over');
  });
}
document.addEventListener('dragleave', ({ relatedTarget }) => {
  if (!relatedTarget) dropZone()?.classList.remove('over');
});
document.addEventListener('drop', (event) => {
  if (!importElement() || !hasFile(event)) return;
  // Otherwise the browser would open the file instead of this page.
  event.preventDefault();
  dropZone()?.classList.remove('over');
  if (dropZone()) open(event.dataTransfer.files);
});

const connectIfNew = () =>
  document.querySelector('[data-import]:not([data-connected])') && (worker ? connect() : start());
document.addEventListener('htmx:afterSettle', connectIfNew);
connectIfNew();
