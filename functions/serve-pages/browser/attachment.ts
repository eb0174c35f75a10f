/**
 * A photo or a recording in a form. It is sent while the person types, and named in the form once it has
 * arrived.
 */
import type { MediaText } from '../media-texts.ts';
import { make } from './make.ts';
import { keepAwake, type UploadFile, upload } from './upload.ts';

type State = 'none' | 'preparing' | 'sending' | 'arrived' | 'failed';

interface Hooks {
  /** Called after every change. */
  update: () => void;
  sendWithout: () => void;
}

export type MediaTexts = Partial<Record<MediaText, string>>;

const withoutTexts = {
  yourVideo: 'withoutVideo',
  yourRecording: 'withoutRecording',
  yourPhoto: 'withoutPhoto',
} as const;

/** Returns the key of the submission, which a restored draft may have changed. */
function keyOf(form: HTMLFormElement): string {
  return form.querySelector<HTMLInputElement>('[name=key]')?.value ?? '';
}

export class Attachment {
  /** Called after every change of its own field. */
  onChange: () => void = () => {};
  /** The element with its chip and its errors. */
  readonly host = make('div', { className: 'attachment' });
  readonly #form: HTMLFormElement;
  readonly #texts: MediaTexts;
  readonly #kinds: readonly string[];
  readonly #hooks: Hooks;
  readonly #error = make('p', { className: 'error', role: 'alert' });
  readonly #chip = make('div', { className: 'chip', hidden: true, tabIndex: -1 });
  readonly #label = make('span', { className: 'name' });
  readonly #percent = make('span', { className: 'quiet' });
  readonly #status = make('span', { className: 'quiet', role: 'status' });
  readonly #progress = make('progress', { max: 1 });
  readonly #again: HTMLButtonElement;
  readonly #without: HTMLButtonElement;
  #state: State = 'none';
  #is: keyof typeof withoutTexts;
  #parts: UploadFile[] = [];
  #key: string;
  #upload = new AbortController();

  /** @param kinds the kinds of its files, of which the first is always present */
  constructor(
    form: HTMLFormElement,
    kinds: readonly UploadFile['kind'][],
    is: keyof typeof withoutTexts,
    hooks: Hooks,
  ) {
    this.#form = form;
    this.#texts = form.dataset as MediaTexts;
    this.#kinds = kinds;
    this.#is = is;
    this.#hooks = hooks;
    this.#key = keyOf(form);
    const button = (textContent = '', onclick: () => void) =>
      make('button', { type: 'button', textContent, onclick });
    this.#again = button(this.#texts.tryAgain, () => this.send());
    this.#without = button('', () => hooks.sendWithout());
    const remove = button(this.#texts.remove, () => this.remove());
    const line = make(
      'div',
      { className: 'line' },
      this.#label,
      this.#percent,
      this.#status,
      this.#again,
      remove,
    );
    this.#chip.append(line, this.#progress, this.#without);
    this.host.append(this.#error, this.#chip);
    // An earlier page of this form has already sent the file.
    this.#set(this.#inputs().length > 0 ? 'arrived' : 'none');
  }

  get isPending(): boolean {
    return this.#state === 'preparing' || this.#state === 'sending';
  }

  get isFailed(): boolean {
    return this.#state === 'failed';
  }

  get isEmpty(): boolean {
    return this.#state === 'none';
  }

  /** Shows the reason that there is no file. */
  refuse(text: MediaText): void {
    this.remove();
    this.#error.textContent = this.#texts[text] ?? '';
  }

  /**
   * Prepares files, and sends them.
   * @param prepare returns the files, or the name of the text with the reason that there are none. Its signal
   * aborts when the files are no longer needed.
   */
  async attach(
    prepare: (
      signal: AbortSignal,
    ) => Promise<{ parts: UploadFile[]; is?: keyof typeof withoutTexts } | MediaText>,
  ): Promise<void> {
    this.remove();
    const { signal } = this.#upload;
    this.#set('preparing');
    this.#chip.focus({ preventScroll: true });
    let prepared: Awaited<ReturnType<typeof prepare>>;
    try {
      prepared = await prepare(signal);
    } catch {
      // The browser cannot read its recording or the chosen file.
      prepared = 'noMemory';
    }
    if (signal.aborted) return;
    if (typeof prepared === 'string') {
      this.refuse(prepared);
      return;
    }
    this.#parts = prepared.parts;
    this.#is = prepared.is ?? this.#is;
    await this.send();
  }

  /** Sends the files again if they were sent with another key. */
  followKey(): void {
    if (this.#key === keyOf(this.#form)) return;
    if (this.#parts.length > 0) this.send();
    else if (this.#state === 'arrived') this.remove();
  }

  async send(): Promise<void> {
    this.#upload.abort();
    this.#upload = new AbortController();
    const { signal } = this.#upload;
    this.#key = keyOf(this.#form);
    this.#name([]);
    this.#set('sending', 0);
    const sent = this.#sendAll(signal);
    try {
      await keepAwake(sent);
      if (!signal.aborted) this.#set('arrived');
    } catch {
      if (!signal.aborted) this.#set('failed');
    }
  }

  /** Removes the files from the form. */
  remove(): void {
    this.#upload.abort();
    this.#upload = new AbortController();
    this.#parts = [];
    this.#name([]);
    this.#error.textContent = '';
    this.#set('none');
  }

  /** Offers to send the form without the files. */
  offerWithout(isOffered: boolean): void {
    this.#without.hidden = !isOffered || this.isEmpty || this.#state === 'arrived';
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    const arrived: string[] = [];
    for (const part of this.#parts) {
      const onProgress = (share: number | undefined) => !signal.aborted && this.#set('sending', share);
      const isPoster = part.kind === 'poster';
      try {
        await upload(part, this.#key, { signal, onProgress: isPoster ? () => {} : onProgress });
        arrived.push(part.kind);
      } catch (error) {
        // A video without a poster is complete.
        if (!isPoster || signal.aborted) throw error;
      }
    }
    this.#name(arrived);
  }

  #inputs(): HTMLInputElement[] {
    const all = [...this.#form.querySelectorAll<HTMLInputElement>('input[name=media]')];
    return all.filter(({ value }) => this.#kinds.includes(value));
  }

  /** Names the kinds that have arrived in the form, and in its draft. */
  #name(arrived: readonly string[]): void {
    for (const input of this.#inputs()) input.remove();
    for (const value of arrived) {
      this.#form.append(make('input', { type: 'hidden', name: 'media', value, autocomplete: 'off' }));
    }
    this.#form.dispatchEvent(new Event('input'));
  }

  /** @param share the share that was sent; undefined while there is no connection */
  #set(state: State, share?: number): void {
    this.#state = state;
    const { lang } = document.documentElement;
    const percent = new Intl.NumberFormat(lang, { style: 'percent' });
    const words = {
      none: '',
      preparing: this.#texts.preparing,
      sending: share === undefined ? this.#texts.interrupted : '',
      arrived: this.#texts.added,
      failed: this.#texts.notSent,
    }[state];
    if (this.#status.textContent !== words) this.#status.textContent = words ?? '';
    this.#percent.textContent = state === 'sending' && share !== undefined ? percent.format(share) : '';
    this.#label.textContent = this.#texts[this.#is] ?? '';
    this.#without.textContent = this.#texts[withoutTexts[this.#is]] ?? '';
    this.#chip.hidden = state === 'none';
    this.#chip.classList.toggle('failed', state === 'failed');
    this.#again.hidden = state !== 'failed';
    this.#progress.hidden = state !== 'sending' && state !== 'preparing';
    if (share === undefined) this.#progress.removeAttribute('value');
    else this.#progress.value = share;
    this.#progress.ariaLabel = this.#label.textContent;
    this.offerWithout(state === 'failed');
    this.onChange();
    this.#hooks.update();
  }
}
