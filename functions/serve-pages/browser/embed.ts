/** The live wall, a custom element that shows published testimonials on any page. */
import * as v from 'valibot';
import { voiceOf } from '../texts.ts';
import {
  isLanguage,
  readSettings,
  settingNames,
  type WallSettings,
  wallDefaults,
  wallParameters,
} from '../wall-settings.ts';
import { focusCard, moveAlong, nodeOf } from './elements.ts';
import { keepInColumns } from './keep-in-columns.ts';
import { buttonsOf, cardOf, countText, el, fiveStars, listOf, shownOf } from './view.ts';

/** Set by the bundler. */
declare const styleText: string;

// Responses are validated, and texts are never parsed as markup.
const listResponse = v.object({
  settings: v.exactOptional(v.record(v.string(), v.string())),
  testimonials: v.array(
    v.object({
      id: v.string(),
      content: v.string(),
      author: v.object({ name: v.string(), company: v.exactOptional(v.string()) }),
      rating: v.exactOptional(v.picklist([1, 2, 3, 4, 5])),
      tags: v.array(v.string()),
      createdAt: v.string(),
    }),
  ),
  pagination: v.object({ total: v.number(), hasNext: v.boolean() }),
});

// The service's errors have `error`, API Gateway's own `message`.
const errorResponse = v.object({
  error: v.exactOptional(
    v.object({ message: v.string(), details: v.optional(v.record(v.string(), v.string()), {}) }),
  ),
  message: v.exactOptional(v.string()),
});

/** Returns the status and message of an error response. */
async function errorText(response: Response): Promise<string> {
  const { success, output } = v.safeParse(errorResponse, await response.json().catch(() => undefined));
  const { error, message = response.statusText } = success ? output : {};
  const details = Object.entries(error?.details ?? {}).map(([name, rule]) => `${name} ${rule}.`);
  return [response.status, error?.message ?? message, ...details].join(' ');
}

const sheet = new CSSStyleSheet();

/**
 * `<testimonials-wall page>` shows a wall's page with its settings. `<testimonials-wall src token>` has list parameters and wall
 * settings as further attributes. Its content is a fallback until there are testimonials. It reserves its height from the start,
 * hides cards that do not fit behind “Show more”, and sends one request until the visitor asks for more. If the request fails, it
 * releases its height and logs the reason to the console.
 * @fires error if the request fails; `detail` is the error
 */
class TestimonialsWall extends HTMLElement {
  static observedAttributes = ['page', 'src', 'token', ...wallParameters, ...settingNames];

  readonly #fallback = document.createElement('slot');
  readonly #count = nodeOf(el('p', { class: 'visually-hidden', role: 'status' }));
  #settings = readSettings({});
  #voice = voiceOf(this.#settings);
  #cards: HTMLElement = document.createElement('ul');
  #buttons: HTMLElement = document.createElement('div');
  #request = new AbortController();
  // Stops the layout of the current cards and buttons.
  #layout = new AbortController();
  #ids = new Set<string>();
  #page = 0;
  #hasNext = false;
  // The reserved height applies until the visitor asks for more.
  #isReserved = true;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    root.append(nodeOf(el('div', {}, fiveStars)), this.#fallback, this.#cards, this.#count, this.#buttons);
    // An opened card needs its full height. `toggle` does not bubble, so capture it.
    root.addEventListener('toggle', () => this.#release(), true);
  }

  connectedCallback() {
    this.#start();
  }

  disconnectedCallback() {
    this.#layout.abort();
    this.#request.abort();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#start();
  }

  /** Loads the first page, once for all attributes that a script sets in one go. */
  async #start() {
    const request = this.#newRequest();
    await undefined;
    if (!request.aborted) await this.#load(1, request);
  }

  async #showMore() {
    const cut = [...this.#cards.children].find((card) => card instanceof HTMLElement && card.inert);
    const isCut = this.#cards.classList.contains('cut');
    this.#release();
    const before = this.#cards.children.length;
    if (!isCut) await this.#load(this.#page + 1, this.#newRequest());
    focusCard(cut ?? this.#cards.children[before]);
  }

  #newRequest(): AbortSignal {
    this.#request.abort();
    this.#request = new AbortController();
    return this.#request.signal;
  }

  async #load(page: number, signal: AbortSignal) {
    try {
      const { testimonials, pagination, settings } = await this.#fetch(page, signal);
      if (page === 1) this.#reset(readSettings(settings ?? this.#attributes()));
      // New approvals can move a testimonial to the next page.
      const added = testimonials.filter(({ id }) => !this.#ids.has(id));
      for (const { id } of added) this.#ids.add(id);
      const cards = added.map((each) =>
        cardOf(shownOf(each, this.#settings), this.#voice, this.#settings.look),
      );
      this.#cards.append(...cards.map(nodeOf));
      this.#page = page;
      this.#hasNext = pagination.hasNext;
      const count = this.#ids.size;
      this.#fallback.hidden = count > 0;
      this.#count.className = 'visually-hidden';
      this.#count.textContent = count > 0 ? countText(count, pagination.total, this.#voice) : '';
      // Let the observers put the cards into columns first.
      await undefined;
      this.#showAll();
      this.#fit();
      if (count > 0) return;
      this.#buttons.replaceChildren();
      this.#release('0');
      console.info('testimonials-wall: no approved testimonial matches its attributes.');
    } catch (error) {
      if (!signal.aborted) this.#fail(page, error);
    }
  }

  /** Returns the settings in the attributes. The language defaults to that of the surrounding page. */
  #attributes() {
    const attributes = settingNames.map((name) => [name, this.getAttribute(name) ?? undefined] as const);
    const { lang, ...others } = Object.fromEntries(attributes);
    const pageLang = this.closest('[lang]')?.getAttribute('lang') ?? '';
    return { ...others, lang: lang ?? (isLanguage(pageLang) ? pageLang : undefined) };
  }

  /** Starts again with new settings and no cards. */
  #reset(settings: WallSettings) {
    this.#layout.abort();
    this.#layout = new AbortController();
    const { signal } = this.#layout;
    this.#settings = settings;
    this.#voice = voiceOf(settings);
    this.#ids.clear();
    const cards = nodeOf(listOf(settings, this.#voice));
    const buttons = nodeOf(buttonsOf(settings, this.#voice));
    this.#cards.replaceWith(cards);
    this.#buttons.replaceWith(buttons);
    this.#cards = cards;
    this.#buttons = buttons;
    for (const part of [cards, this.#count, buttons]) part.lang = settings.lang;
    this.#more?.addEventListener('click', () => this.#showMore());
    keepInColumns(cards, signal);
    moveAlong(cards, buttons, signal);
    addEventListener('resize', () => this.#fit(), { signal });
  }

  get #more() {
    return this.#buttons.querySelector<HTMLElement>('.more');
  }

  /** Returns the service and the path of a list. With `page`, the service is the one that this script came from, unless `src` names it. */
  #source(number: number): [api: string, path: string] {
    const [page, src, token] = ['page', 'src', 'token'].map((name) => this.getAttribute(name)?.trim());
    const api = (src || new URL(import.meta.url).origin).replace(/\/+$/, '');
    if (page) return [api, `/w/${encodeURIComponent(page)}.json?page=${number}`];
    if (!src || !token) throw new Error('The attribute page is missing, or src and token.');
    const query = new URLSearchParams({ token, limit: wallDefaults.limit, page: String(number) });
    for (const name of wallParameters) {
      const value = this.getAttribute(name);
      if (value) query.set(name, value);
    }
    // With the token in the URL instead of a header, there is no preflight, and caches keep the responses of tokens apart.
    return [api, `/v1/testimonials?${query}`];
  }

  async #fetch(page: number, signal: AbortSignal) {
    const [api, path] = this.#source(page);
    const response = await fetch(api + path, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new Error(`${api} cannot be reached, or its corsOrigins do not include ${location.origin}.`, {
        cause: error,
      });
    });
    if (!response.ok) throw new Error(await errorText(response));
    return v.parse(listResponse, await response.json());
  }

  /** Visitors keep the fallback or the current cards. Only those who asked for more see a message. */
  #fail(page: number, detail: unknown) {
    if (page > 1) {
      this.#count.className = 'count';
      this.#count.textContent = this.#voice.say('failed');
    }
    if (this.#ids.size === 0) this.#release('0');
    console.error(`testimonials-wall: ${detail instanceof Error ? detail.message : detail}`);
    this.dispatchEvent(new CustomEvent('error', { detail }));
  }

  #showAll() {
    this.#cards.classList.remove('cut');
    this.#cards.style.height = '';
    for (const card of this.#cards.children) if (card instanceof HTMLElement) card.inert = false;
    if (this.#more) this.#more.hidden = !this.#hasNext;
  }

  /** Cuts the cards off at the reserved height, so that the page does not move, if “Show more” can show the rest. */
  #fit() {
    if (!this.#isReserved || this.#ids.size === 0) return;
    if (!this.#more) return this.#release();
    this.#showAll();
    const end = this.getBoundingClientRect().bottom;
    const { top, bottom } = this.#cards.getBoundingClientRect();
    if (!this.#hasNext && bottom <= end) return;
    this.#more.hidden = false;
    const limit = end - this.#buttons.offsetHeight;
    if (bottom <= limit) return;
    this.#cards.classList.add('cut');
    this.#cards.style.height = `${Math.max(0, limit - top)}px`;
    // Keep the keyboard focus out of hidden cards.
    for (const card of this.#cards.children) {
      if (card instanceof HTMLElement) card.inert = card.getBoundingClientRect().bottom > limit;
    }
  }

  /** Lets the wall grow and shows all cards; `minHeight` is the reserved height by default. */
  #release(minHeight = this.#isReserved ? `${this.getBoundingClientRect().height}px` : this.style.minHeight) {
    this.#isReserved = false;
    this.style.minHeight = minHeight;
    this.style.height = 'auto';
    this.#showAll();
  }
}

sheet.replaceSync(styleText);
if (!customElements.get('testimonials-wall')) customElements.define('testimonials-wall', TestimonialsWall);
