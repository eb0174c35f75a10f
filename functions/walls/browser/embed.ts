/** A live wall: a custom element that shows published testimonials of the service, in whatever page. */
import * as v from 'valibot';
import { isLanguage, readSettings, settingNames, type WallSettings } from '../settings.ts';
import { voiceOf } from '../texts.ts';
import { keepInColumns } from './keep-in-columns.ts';
import { moveAlong, readOn } from './move-along.ts';
import { nodeOf } from './nodes.ts';
import { el } from './tree.ts';
import { buttonsOf, cardOf, countText, fiveStars, listOf, shownOf } from './view.ts';

/** Put in by the build. */
declare const styleText: string;

const listParameters = ['limit', 'tags', 'rating', 'type', 'search', 'sort', 'order'];
const defaultLimit = '12';

// Nothing from the network is believed: texts are texts, and no more is read.
const listAnswer = v.object({
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

// The service's errors have the first, the gateway's before it the second.
const errorAnswer = v.object({
  error: v.exactOptional(
    v.object({ message: v.string(), details: v.optional(v.record(v.string(), v.string()), {}) }),
  ),
  message: v.exactOptional(v.string()),
});

/** Why there is no list, in the words of who refused it. */
async function refusalIn(answer: Response): Promise<string> {
  const { success, output } = v.safeParse(errorAnswer, await answer.json().catch(() => undefined));
  const { error, message = answer.statusText } = success ? output : {};
  const details = Object.entries(error?.details ?? {}).map(([name, rule]) => `${name} ${rule}.`);
  return [answer.status, error?.message ?? message, ...details].join(' ');
}

const sheet = new CSSStyleSheet();

/**
 * `<testimonials-wall src token>`; each of the list's parameters and of a wall's settings may be an attribute. What it contains
 * is shown until there are testimonials, and stays where there are none. It has its height from the beginning, cuts off what
 * does not fit behind "Show more", and asks the service once, until somebody wants more. Where nothing comes it has no
 * height of its own, and the console says why.
 * @fires error where the service did not answer as it should: `detail` says why
 */
class TestimonialsWall extends HTMLElement {
  static observedAttributes = ['src', 'token', ...listParameters, ...settingNames];

  readonly #fallback = document.createElement('slot');
  readonly #count = nodeOf(el('p', { class: 'visually-hidden', role: 'status' }));
  #settings = readSettings({});
  #voice = voiceOf(this.#settings);
  #cards: HTMLElement = document.createElement('ul');
  #buttons: HTMLElement = document.createElement('div');
  #request = new AbortController();
  // Ends what keeps these cards and buttons in their places.
  #dressed = new AbortController();
  #known = new Set<string>();
  #page = 0;
  #hasNext = false;
  // Until somebody asks for more it has the height that was kept free.
  #isReserved = true;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    root.append(nodeOf(el('div', {}, fiveStars)), this.#fallback, this.#count, this.#cards, this.#buttons);
    // A card that is read whole needs its height; such events do not bubble.
    root.addEventListener('toggle', () => this.#release(), true);
  }

  connectedCallback() {
    this.#begin();
  }

  disconnectedCallback() {
    this.#dressed.abort();
    this.#request.abort();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#begin();
  }

  /** Asks for the first page, once for all attributes that a script sets. */
  async #begin() {
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
    // Where reading goes on.
    readOn(cut ?? this.#cards.children[before]);
  }

  #newRequest(): AbortSignal {
    this.#request.abort();
    this.#request = new AbortController();
    return this.#request.signal;
  }

  async #load(page: number, signal: AbortSignal) {
    try {
      const settings = page === 1 ? this.#given() : this.#settings;
      const { testimonials, pagination } = await this.#ask(page, signal);
      if (page === 1) this.#dress(settings);
      // What was approved meanwhile moves others to the next page.
      const added = testimonials.filter(({ id }) => !this.#known.has(id));
      for (const { id } of added) this.#known.add(id);
      const cards = added.map(({ author, createdAt, ...rest }) =>
        nodeOf(cardOf(shownOf({ ...rest, ...author, date: createdAt.slice(0, 10) }, settings), this.#voice)),
      );
      this.#cards.append(...cards);
      this.#page = page;
      this.#hasNext = pagination.hasNext;
      const shown = this.#known.size;
      this.#fallback.hidden = shown > 0;
      this.#count.className = 'visually-hidden';
      this.#count.textContent = shown > 0 ? countText(shown, pagination.total, this.#voice) : '';
      // The cards are in their columns when this goes on.
      await undefined;
      this.#showAll();
      this.#fit();
      if (shown > 0) return;
      this.#buttons.replaceChildren();
      this.#release('0');
      console.info('testimonials-wall: no approved testimonial is what it asks for.');
    } catch (error) {
      if (!signal.aborted) this.#fail(page, error);
    }
  }

  /** Its settings; where it has no language of its own, that of the page, if there is such a one. */
  #given() {
    const attributes = settingNames.map((name) => [name, this.getAttribute(name) ?? undefined] as const);
    const { lang: own, ...given } = Object.fromEntries(attributes);
    const pages = this.closest('[lang]')?.getAttribute('lang') ?? '';
    return readSettings({ ...given, lang: own ?? (isLanguage(pages) ? pages : undefined) });
  }

  /** Begins anew with these settings, without a card. */
  #dress(settings: WallSettings) {
    this.#dressed.abort();
    this.#dressed = new AbortController();
    const { signal } = this.#dressed;
    this.#settings = settings;
    this.#voice = voiceOf(settings);
    this.#known.clear();
    const cards = nodeOf(listOf(settings, this.#voice));
    const buttons = nodeOf(buttonsOf(settings, this.#voice));
    this.#cards.replaceWith(cards);
    this.#buttons.replaceWith(buttons);
    this.#cards = cards;
    this.#buttons = buttons;
    this.#more?.addEventListener('click', () => this.#showMore());
    keepInColumns(cards, signal);
    moveAlong(cards, buttons, signal);
    addEventListener('resize', () => this.#fit(), { signal });
  }

  get #more() {
    return this.#buttons.querySelector<HTMLElement>('.more');
  }

  async #ask(page: number, signal: AbortSignal) {
    const [src, token] = ['src', 'token'].map((name) => this.getAttribute(name)?.trim());
    if (!src || !token) throw new Error('A testimonials-wall has a src and a token.');
    const query = new URLSearchParams({ token, limit: defaultLimit, page: String(page) });
    for (const name of listParameters) {
      const value = this.getAttribute(name);
      if (value) query.set(name, value);
    }
    // Without a header of its own the browser asks for no leave before, and keeps the answer under this token's address.
    const address = `${src.replace(/\/+$/, '')}/v1/testimonials?${query}`;
    const answer = await fetch(address, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new Error(`${src} cannot be reached, or its corsOrigins lack ${location.origin}.`, {
        cause: error,
      });
    });
    if (!answer.ok) throw new Error(await refusalIn(answer));
    return v.parse(listAnswer, await answer.json());
  }

  /** Visitors see what the element contains, or the cards that are there; only who wanted more is told. */
  #fail(page: number, detail: unknown) {
    if (page > 1) {
      this.#count.className = 'count';
      this.#count.textContent = this.#voice.say('failed');
    }
    if (this.#known.size === 0) this.#release('0');
    console.error(`testimonials-wall: ${detail instanceof Error ? detail.message : detail}`);
    this.dispatchEvent(new CustomEvent('error', { detail }));
  }

  #showAll() {
    this.#cards.classList.remove('cut');
    this.#cards.style.height = '';
    for (const card of this.#cards.children) if (card instanceof HTMLElement) card.inert = false;
    if (this.#more) this.#more.hidden = !this.#hasNext;
  }

  /** Cuts the cards off where the space ends that was kept free, so that nothing in the page moves, if "Show more" can show the rest. */
  #fit() {
    if (!this.#isReserved || this.#known.size === 0) return;
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
    // Nobody gets by the keyboard to what cannot be seen.
    for (const card of this.#cards.children) {
      if (card instanceof HTMLElement) card.inert = card.getBoundingClientRect().bottom > limit;
    }
  }

  /** Lets it grow, and cuts nothing off: from the height on that was kept free, or from another. */
  #release(from = this.#isReserved ? `${this.getBoundingClientRect().height}px` : this.style.minHeight) {
    this.#isReserved = false;
    this.style.minHeight = from;
    this.style.height = 'auto';
    this.#showAll();
  }
}

sheet.replaceSync(styleText);
if (!customElements.get('testimonials-wall')) customElements.define('testimonials-wall', TestimonialsWall);
