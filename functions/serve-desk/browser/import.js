/** The page for files: gives files and choices to its worker, and shows what that draws. */

const part = document.querySelector('[data-import]');
const form = document.querySelector('[data-export]');
const { worker: workerUrl, step: stepUrl, organization } = part.dataset;

// A file that takes longer to read was made to do so.
const longestReadMs = 10_000;
const tooLongText =
  'This file takes too long to read. Export it again with fewer columns or rows, or save it as CSV, and choose that.';

let worker;
let patience;

function begin(problem) {
  worker?.terminate();
  clearTimeout(patience);
  worker = new Worker(workerUrl);
  worker.onmessage = ({ data }) => told[data.kind](data);
  worker.onerror = (event) => {
    event.preventDefault();
    if (isReady) return begin(tooLongText);
    part.hidden = true;
    document.querySelector('[data-too-old]').hidden = false;
  };
  worker.postMessage({ kind: 'begin', stepUrl, organization });
  shownProblem = problem;
}

let isReady = false;
let shownProblem;

const told = {
  show({ markup, isBusy }) {
    isReady = true;
    part.hidden = false;
    clearTimeout(patience);
    if (isBusy) patience = setTimeout(() => begin(tooLongText), longestReadMs);
    // Only the person's own drop or choice may move the focus.
    const hadFocus = part.contains(document.activeElement) ? document.activeElement.id : undefined;
    part.innerHTML = markup;
    if (shownProblem) {
      const notice = document.createElement('p');
      notice.className = 'notice wrong';
      notice.setAttribute('role', 'alert');
      notice.textContent = shownProblem;
      part.prepend(notice);
      shownProblem = undefined;
    }
    const kept = hadFocus && document.getElementById(hadFocus);
    (kept ?? part.querySelector('[data-focus]'))?.focus({ preventScroll: true });
  },
  save({ name, text }) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text]));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  },
  exported({ text }) {
    form.querySelector('[data-exported]').textContent = text;
  },
};

function open(file) {
  if (!file) return;
  clearTimeout(patience);
  patience = setTimeout(() => begin(tooLongText), longestReadMs);
  worker.postMessage({ kind: 'open', file });
}

const fieldsOf = (element) => [...new FormData(element.closest('form')).entries()];

part.addEventListener('change', ({ target }) => {
  if (target.type === 'file') return open(target.files[0]);
  if (target.closest('[data-mapping]')) worker.postMessage({ kind: 'mapping', fields: fieldsOf(target) });
});
part.addEventListener('submit', (event) => {
  event.preventDefault();
  if (event.target.matches('[data-mapping]'))
    worker.postMessage({ kind: 'check', fields: [...new FormData(event.target).entries()] });
});
part.addEventListener('click', ({ target }) => {
  const act = target.closest?.('[data-act]')?.dataset.act;
  if (!act) return;
  worker.postMessage({ kind: act, ...(act === 'check' && { fields: fieldsOf(target) }) });
  // The list of imports below shows what was stored.
  if (act === 'forget') setTimeout(() => location.reload());
});

const hasFile = ({ dataTransfer }) => [...(dataTransfer?.types ?? [])].includes('Files');
const drop = () => part.querySelector('[data-drop]');
for (const type of ['dragenter', 'dragover']) {
  document.addEventListener(type, (event) => {
    if (!drop() || !hasFile(event)) return;
    event.preventDefault();
    drop().classList.add('over');
  });
}
document.addEventListener('dragleave', ({ relatedTarget }) => {
  if (!relatedTarget) drop()?.classList.remove('over');
});
document.addEventListener('drop', (event) => {
  if (!drop() || !hasFile(event)) return;
  event.preventDefault();
  drop().classList.remove('over');
  open(event.dataTransfer.files[0]);
});

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const fields = new FormData(form);
  const format = fields.get('format');
  fields.delete('format');
  const filled = [...fields].filter(([, value]) => value !== '');
  const { export: url } = form.dataset;
  worker.postMessage({
    kind: 'export',
    url,
    search: String(new URLSearchParams(filled)),
    format,
    organization,
  });
});

begin();
