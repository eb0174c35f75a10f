/**
 * Keeps a draft of a form, checks the form before it is sent, and counts characters near a limit. The form is
 * complete without this script.
 */
import { withoutInvisible } from '../../domain/visible-text.ts';
import { readPersonalLink } from '../personal-link.ts';
import { collect, trimmed } from '../stand-ins.ts';
import { fillIn } from '../texts.ts';

type Control = HTMLInputElement | HTMLTextAreaElement;

// Sending again is harmless, so the button is disabled only for a while, in case the press had no effect.
const sendingLife = 10_000;

// A draft has the fields of its form, in the format in which the form sends them, and this field once it was
// sent.
const sentMark = 'isSent';
// The fields that people cannot see.
const hiddenFields = ['key', 'shownAt', 'again'];

// A page that shows the form in `<testimonials-form>` gives this height and title to the frame.
const reportSize = () => {
  const { height } = document.documentElement.getBoundingClientRect();
  parent.postMessage({ type: 'testimonials-form', height: Math.ceil(height), title: document.title }, '*');
};
if (parent !== window) {
  document.documentElement.classList.add('framed');
  new ResizeObserver(reportSize).observe(document.documentElement);
}

const form = document.querySelector('form');
if (form) startForm(form);
else markSent(nameOf(document.querySelector('main')?.dataset.sent));

/** Returns the result of a use of the storage, or undefined if the browser denies it. */
function use<Result>(task: (drafts: Storage) => Result): Result | undefined {
  try {
    // The storage of this tab, so that the next person at a shared computer sees nothing.
    return task(sessionStorage);
  } catch {
    return undefined;
  }
}

/** Records that a draft was sent, so that going back and sending it again creates nothing new. */
function markSent(name: string): void {
  use((drafts) => {
    const draft = drafts.getItem(name);
    if (draft) drafts.setItem(name, `${draft}&${sentMark}=yes`);
  });
}

function nameOf(page = ''): string {
  return `draft ${page}`;
}

function startForm(form: HTMLFormElement): void {
  const texts = form.dataset;
  const controls = [...form.querySelectorAll<Control>('.field > [id][name], [type=checkbox]')];
  const send = form.querySelector('button') as HTMLButtonElement; // in every form
  const label = send.textContent;

  const ready = () => {
    send.disabled = false;
    send.textContent = label;
  };
  // The back button can show the page in the state in which it was left.
  addEventListener('pageshow', ready);
  const countAll = () => {
    for (const control of controls) count(control, texts);
  };
  const { save, isRestored } = keepDraft(form, countAll);

  // After a reload, the personal link is in `history.state`. A restored draft keeps what the person has typed
  // since.
  fillPersonally(form, history.state ?? '', isRestored);
  const takeFragment = () => {
    const { hash, pathname, search } = location;
    if (readPersonalLink(hash).length === 0) return;
    // A link that the person copies from here is the form's, not the personal one.
    history.replaceState(hash, '', pathname + search);
    fillPersonally(form, hash, false);
    countAll();
  };
  takeFragment();
  // Following a link to the form that is already open only changes the fragment.
  addEventListener('hashchange', takeFragment);

  form.addEventListener('input', ({ target }) => {
    save();
    for (const control of controls) {
      if (control !== target) continue;
      count(control, texts);
      if (control.ariaInvalid === 'true') showError(control, errorOf(control, texts));
      updateSummary(form, control, texts);
    }
  });

  form.addEventListener('submit', (event) => {
    save();
    for (const control of controls) showError(control, errorOf(control, texts));
    const wrong = collect(controls, (each) => (each.ariaInvalid === 'true' ? each : undefined));
    if (wrong.length > 0) {
      event.preventDefault();
      showSummary(form, texts, wrong);
    }
  });
  // After the other listeners of the form, which may prevent sending.
  addEventListener('submit', (event) => {
    if (event.defaultPrevented) return;
    send.disabled = true;
    send.textContent = texts.sending ?? '';
    setTimeout(ready, sendingLife);
  });
}

/**
 * Restores the draft, unless the server returned the typed values.
 * @param changed called after the fields have changed
 * @returns a function that saves the draft, and whether there was one
 */
function keepDraft(form: HTMLFormElement, changed: () => void): { save: () => void; isRestored: boolean } {
  const name = nameOf(form.dataset.page);
  const note = document.querySelector<HTMLElement>('.restored');
  const fill = (fields: URLSearchParams) => {
    for (const [field, value] of fields) {
      const control = form.elements.namedItem(field);
      if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = true;
      else if (control) (control as Control | RadioNodeList).value = value;
    }
    changed();
  };
  const read = () => {
    const data = new FormData(form);
    data.delete('subject');
    return new URLSearchParams([...data] as [string, string][]); // without files
  };
  const save = () => {
    const fields = read();
    let isEmpty = true;
    for (const [, value] of withoutHidden(fields)) isEmpty &&= value === '';
    use((drafts) => {
      if (isEmpty) drafts.removeItem(name);
      else drafts.setItem(name, `${fields}`);
    });
  };
  const own = hiddenOf(read());
  const draft = new URLSearchParams(use((drafts) => drafts.getItem(name)) ?? '');
  const isSent = draft.has(sentMark);
  draft.delete(sentMark);
  if (form.dataset.typed !== undefined) {
    save();
    changed();
  } else if (draft.size > 0 && !isSent && note) {
    fill(draft);
    note.hidden = false;
  }
  form.addEventListener('submit', () => {
    if (isSent && `${withoutHidden(read())}` === `${withoutHidden(draft)}`) fill(hiddenOf(draft));
  });
  note?.querySelector('button')?.addEventListener('click', () => {
    form.reset();
    fill(own);
    use((drafts) => drafts.removeItem(name));
    note.hidden = true;
    form.querySelector<HTMLElement>('textarea')?.focus();
  });
  return { save, isRestored: note?.hidden === false };
}

/**
 * Fills in the empty fields that a personal link names. Skips fields with an error, and values that the field
 * would reject.
 * “Start over” resets the fields to these values.
 * @param isKept true changes only the values to which “Start over” resets the fields
 */
function fillPersonally(form: HTMLFormElement, fragment: string, isKept: boolean): void {
  for (const [name, value] of readPersonalLink(fragment)) {
    const control = form.elements.namedItem(name);
    if (!(control instanceof HTMLInputElement) || control.ariaInvalid === 'true') continue;
    const { value: typed } = control;
    control.value = value;
    const isValid = !errorOf(control, form.dataset);
    control.value = isValid && !typed && !isKept ? value : typed;
    if (isValid) control.defaultValue = value;
  }
}

function hiddenOf(fields: URLSearchParams): URLSearchParams {
  const hidden = new URLSearchParams();
  for (const field of hiddenFields) hidden.set(field, fields.get(field) ?? '');
  return hidden;
}

function withoutHidden(fields: URLSearchParams): URLSearchParams {
  const others = new URLSearchParams(fields);
  for (const field of hiddenFields) others.delete(field);
  return others;
}

/**
 * Returns the length as the API counts it: the Unicode code points after trimming, without invisible
 * characters.
 */
function lengthOf({ value }: Control): number {
  return [...trimmed(withoutInvisible(trimmed(value).normalize()))].length;
}

/** Returns the broken rule of a field, or undefined. Accepts everything that the API accepts. */
function errorOf(control: Control, texts: DOMStringMap): string | undefined {
  if (control instanceof HTMLInputElement && control.type === 'checkbox') {
    return control.checked ? '' : texts.consentRule;
  }
  const { min = '0', max = 'Infinity', length: rule } = control.dataset;
  const length = lengthOf(control);
  if (length === 0) return control.dataset.required;
  if (length < +min || length > +max) return rule;
  const isEmail = control.type !== 'email' || /^\s*[^@\s]+@[^@\s]+[.。．｡][^@\s]+\s*$/.exec(control.value);
  return isEmail ? '' : texts.emailRule;
}

function showError(control: Control, message = ''): void {
  control.ariaInvalid = message ? 'true' : null;
  const error = document.getElementById(`${control.id}-error`);
  if (error) error.textContent = message;
}

/** Shows the number of characters left, near the limit. */
function count(control: Control, texts: DOMStringMap): void {
  const counter = control.parentElement?.querySelector('.count');
  const max = +(control.dataset.max ?? 0);
  const left = max - lengthOf(control);
  if (!counter || !max) return;
  const text = left < 0 ? texts.tooMany : left <= max / 10 ? texts.left : '';
  const { lang } = document.documentElement;
  counter.textContent = fillIn(text ?? '', { count: Math.abs(left) }, lang);
  counter.classList.toggle('over', left < 0);
}

/** Shows the errors above the form, like the server. */
function showSummary(form: HTMLFormElement, texts: DOMStringMap, wrong: Control[]): void {
  const summary = form.querySelector('section');
  const title = summary?.querySelector('h2');
  const text = summary?.querySelector('p');
  const list = summary?.querySelector('ul');
  if (!summary || !title || !text || !list) return;
  title.textContent = texts.invalidTitle ?? '';
  text.textContent = texts.invalid ?? '';
  list.replaceChildren(
    ...collect(wrong, (control) => {
      const [item, link] = [document.createElement('li'), document.createElement('a')];
      link.href = `#${control.id}`;
      link.textContent = summaryOf(control, texts);
      item.append(link);
      return item;
    }),
  );
  summary.hidden = false;
  summary.focus();
}

/** Returns the error of a field for the summary, after its label unless the error names the field. */
function summaryOf({ id, type, labels, dataset }: Control, texts: DOMStringMap): string {
  const error = document.getElementById(`${id}-error`)?.textContent ?? '';
  const isNamed = type === 'checkbox' || (error === dataset.required && error !== texts.required);
  return isNamed ? error : `${labels?.[0]?.firstChild?.textContent} – ${error}`;
}

/** Keeps the line of a field in the summary up to date, and hides the summary after the last error. */
function updateSummary(form: HTMLFormElement, control: Control, texts: DOMStringMap): void {
  const link = form.querySelector(`section a[href="#${control.id}"]`);
  if (!link) return;
  if (control.ariaInvalid === 'true') {
    link.textContent = summaryOf(control, texts);
    return;
  }
  link.parentElement?.remove();
  const summary = form.querySelector('section');
  if (summary && !summary.querySelector('li')) summary.hidden = true;
}
