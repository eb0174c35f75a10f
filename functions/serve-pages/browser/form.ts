/** Keeps a draft of a form, checks it before it is sent, and counts near a limit. The form is complete without this script. */
import { withoutInvisible } from '../../domain/visible-text.ts';

type Control = HTMLInputElement | HTMLTextAreaElement;

// Sending again is harmless, so a press that led nowhere does not disable the button for long.
const sendingLife = 10_000;

const form = document.querySelector('form');
if (form) startForm(form);
else markSent(nameOf(document.querySelector('main')?.dataset.sent));

/** Returns the result of a use of the storage, or nothing if the browser refuses it. */
function use<Result>(task: (drafts: Storage) => Result): Result | undefined {
  try {
    // Of this tab: the next person at a shared computer sees nothing.
    return task(sessionStorage);
  } catch {
    return undefined;
  }
}

/** Remembers that a draft was sent, so that it creates nothing new when someone goes back and sends it again. */
function markSent(name: string): void {
  use((drafts) => {
    const draft = JSON.parse(drafts.getItem(name) ?? 'null');
    if (draft) drafts.setItem(name, JSON.stringify({ ...draft, isSent: true }));
  });
}

function nameOf(page = ''): string {
  return `form ${page}`;
}

function startForm(form: HTMLFormElement): void {
  const texts = JSON.parse(form.dataset.texts ?? '');
  const controls = [...form.querySelectorAll<Control>('.field > [id][name], [type=checkbox]')];
  const send = form.querySelector('button') as HTMLButtonElement; // in every form
  const label = send.textContent;

  const ready = () => {
    send.disabled = false;
    send.textContent = label;
  };
  // Also when the back button shows the page as it was left.
  addEventListener('pageshow', ready);
  const save = keepDraft(form, () => {
    for (const control of controls) count(control, texts);
  });

  form.addEventListener('input', ({ target }) => {
    save();
    const control = controls.find((each) => each === target);
    if (!control) return;
    count(control, texts);
    if (control.ariaInvalid === 'true') showError(control, errorOf(control, texts));
  });

  form.addEventListener('submit', (event) => {
    save();
    for (const control of controls) showError(control, errorOf(control, texts));
    const wrong = controls.filter((control) => control.ariaInvalid === 'true');
    if (wrong.length > 0) {
      event.preventDefault();
      showSummary(form, texts, wrong);
      return;
    }
    send.disabled = true;
    send.textContent = texts.sending;
    setTimeout(ready, sendingLife);
  });
}

/**
 * Restores the draft, unless the server returned the typed values.
 * @param changed runs after the fields changed
 * @returns a function that saves the draft
 */
function keepDraft(form: HTMLFormElement, changed: () => void): () => void {
  const name = nameOf(form.dataset.page);
  const note = document.querySelector<HTMLElement>('.restored');
  const isHidden = (field: string) => field === 'key' || field === 'shownAt';
  const fill = (fields: Iterable<[string, string]>) => {
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
    return [...data] as [string, string][]; // without files
  };
  const save = () => {
    const fields = read();
    const isEmpty = fields.every(([field, value]) => isHidden(field) || value === '');
    use((drafts) => {
      if (isEmpty) drafts.removeItem(name);
      else drafts.setItem(name, JSON.stringify({ fields }));
    });
  };
  const own = read().filter(([field]) => isHidden(field));
  const draft = use((drafts) => JSON.parse(drafts.getItem(name) ?? 'null'));
  if (form.dataset.typed !== undefined) {
    save();
    changed();
  } else if (draft && !draft.isSent && note) {
    fill(draft.fields);
    note.hidden = false;
  }
  form.addEventListener('submit', () => {
    const typed = (fields: [string, string][]) =>
      JSON.stringify(fields.filter(([field]) => !isHidden(field)));
    if (draft?.isSent && typed(read()) === typed(draft.fields)) {
      fill(draft.fields.filter(([field]: [string]) => isHidden(field)));
    }
  });
  note?.querySelector('button')?.addEventListener('click', () => {
    form.reset();
    fill(own);
    save();
    note.hidden = true;
    form.querySelector<HTMLElement>('textarea')?.focus();
  });
  return save;
}

/** Returns the length as the API counts it: Unicode code points after trimming, without invisible characters. */
function lengthOf({ value }: Control): number {
  return [...withoutInvisible(value.trim().normalize()).trim()].length;
}

/** Returns the broken rule of a field, or nothing. It refuses nothing that the API accepts. */
function errorOf(control: Control, texts: Record<string, string>): string | undefined {
  if (control instanceof HTMLInputElement && control.type === 'checkbox') {
    return control.checked ? '' : texts.consentRule;
  }
  const { min = 0, max = Infinity, length: rule } = control.dataset;
  const length = lengthOf(control);
  if (length === 0) return control.required ? texts.required : '';
  if (length < Number(min) || length > Number(max)) return rule;
  const isEmail = control.type !== 'email' || /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(control.value.trim());
  return isEmail ? '' : texts.emailRule;
}

function showError(control: Control, message = ''): void {
  control.ariaInvalid = message ? 'true' : null;
  const error = document.getElementById(`${control.id}-error`);
  if (error) error.textContent = message;
}

/** Shows how many characters are left, near the limit. */
function count(control: Control, texts: Record<string, string>): void {
  const counter = control.parentElement?.querySelector('.count');
  const max = Number(control.dataset.max);
  const left = max - lengthOf(control);
  if (!counter || !max) return;
  const text = left < 0 ? texts.tooMany : left <= max / 10 ? texts.left : '';
  counter.textContent =
    text?.replace('{count}', Math.abs(left).toLocaleString(document.documentElement.lang)) ?? '';
  counter.classList.toggle('over', left < 0);
}

/** Shows the errors above the form, as the server does. */
function showSummary(form: HTMLFormElement, texts: Record<string, string>, wrong: Control[]): void {
  const summary = form.querySelector('section');
  const [title, text, list] = ['h2', 'p', 'ul'].map((tag) => summary?.querySelector(tag));
  if (!summary || !title || !text || !list) return;
  title.textContent = texts.invalidTitle ?? '';
  text.textContent = texts.invalid ?? '';
  list.replaceChildren(
    ...wrong.map(({ id, type, labels }) => {
      const [item, link] = [document.createElement('li'), document.createElement('a')];
      const label = type === 'checkbox' ? '' : `${labels?.[0]?.firstChild?.textContent} – `;
      link.href = `#${id}`;
      link.textContent = label + (document.getElementById(`${id}-error`)?.textContent ?? '');
      item.append(link);
      return item;
    }),
  );
  summary.hidden = false;
  summary.focus();
}
