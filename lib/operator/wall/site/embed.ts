/** A live wall: a custom element that shows published testimonials of the service, in whatever page. */
import { html } from 'hono/html';
import * as v from 'valibot';
import { keepInColumns } from './keep-in-columns.ts';
import { elementOf } from './nodes.ts';
import { cardOf, countText, fiveStars } from './view.ts';

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
      rating: v.exactOptional(v.pipe(v.number(), v.minValue(1), v.maxValue(5))),
      tags: v.array(v.string()),
      createdAt: v.pipe(v.string(), v.isoTimestamp()),
    }),
  ),
  pagination: v.object({ total: v.number(), hasNext: v.boolean() }),
});

const sheet = new CSSStyleSheet();

/**
 * `<testimonials-wall src token>`; each of the list's parameters may be an attribute. What it contains is shown until
 * there are testimonials, and stays where there are none. It has its height from the beginning, cuts
 * off what does not fit, and asks the service once, until somebody wants more.
 * @fires error where the service did not answer as it should: `detail` says why
 */
class TestimonialsWall extends HTMLElement {
  static observedAttributes = ['src', 'token', ...listParameters];

  readonly #fallback = document.createElement('slot');
  readonly #count = elementOf(html`<p class="visually-hidden" role="status"></p>`);
  readonly #cards = elementOf(html`<ul class="cards" role="list"></ul>`);
  readonly #more = elementOf(html`<div class="more"><button type="button">Show more</button></div>`);
  #connection: AbortController | undefined;
  #request: AbortController | undefined;
  #known = new Set<string>();
  #page = 0;
  #hasNext = false;
  // Until somebody asks for more it has the height that was kept free.
  #isReserved = true;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    root.append(
      elementOf(html`<div>${fiveStars}</div>`),
      this.#fallback,
      this.#count,
      this.#cards,
      this.#more,
    );
    this.#more.hidden = true;
    this.#more.addEventListener('click', () => this.#showMore());
    // A card that is read whole needs its height; such events do not bubble.
    root.addEventListener('toggle', () => this.#release(), true);
  }

  connectedCallback() {
    this.#connection = new AbortController();
    const { signal } = this.#connection;
    keepInColumns(this.#cards, signal);
    addEventListener('resize', () => this.#fit(), { signal });
    this.#begin();
  }

  disconnectedCallback() {
    this.#connection?.abort();
    this.#request?.abort();
    this.#connection = undefined;
  }

  attributeChangedCallback() {
    if (this.#connection) this.#begin();
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
    const next = cut ?? this.#cards.children[before];
    if (!(next instanceof HTMLElement)) return;
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
  }

  #newRequest(): AbortSignal {
    this.#request?.abort();
    this.#request = new AbortController();
    return this.#request.signal;
  }

  async #load(page: number, signal: AbortSignal) {
    try {
      const { testimonials, pagination } = await this.#ask(page, signal);
      if (page === 1) this.#known.clear();
      // What was approved meanwhile moves others to the next page.
      const added = testimonials.filter(({ id }) => !this.#known.has(id));
      for (const { id } of added) this.#known.add(id);
      const cards = added.map(({ author, createdAt, ...rest }) =>
        elementOf(cardOf({ ...rest, ...author, date: createdAt.slice(0, 10) })),
      );
      if (page === 1) this.#cards.replaceChildren(...cards);
      else this.#cards.append(...cards);
      this.#page = page;
      this.#hasNext = pagination.hasNext;
      this.#fallback.hidden = this.#known.size > 0;
      this.#count.className = 'visually-hidden';
      this.#count.textContent =
        this.#known.size > 0 ? countText(this.#known.size, pagination.total, false) : '';
      // The cards are in their columns when this goes on.
      await undefined;
      this.#showAll();
      this.#fit();
    } catch (error) {
      if (!signal.aborted) this.#fail(page, error);
    }
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
    const answer = await fetch(address, { signal });
    if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
    return v.parse(listAnswer, await answer.json());
  }

  /** Visitors see what the element contains, or the cards that are there; only who wanted more is told. */
  #fail(page: number, detail: unknown) {
    if (page > 1) {
      this.#count.className = 'count';
      this.#count.textContent = 'The other testimonials could not be loaded. Try again in a moment.';
    }
    this.dispatchEvent(new CustomEvent('error', { detail }));
  }

  #showAll() {
    this.#cards.classList.remove('cut');
    this.#cards.style.height = '';
    for (const card of this.#cards.children) if (card instanceof HTMLElement) card.inert = false;
    this.#more.hidden = !this.#hasNext;
  }

  /** Cuts the cards off where the space ends that was kept free, so that nothing in the page moves. */
  #fit() {
    if (!this.#isReserved || this.#known.size === 0) return;
    this.#showAll();
    const end = this.getBoundingClientRect().bottom;
    const { top, bottom } = this.#cards.getBoundingClientRect();
    if (!this.#hasNext && bottom <= end) return;
    this.#more.hidden = false;
    const { marginTop } = getComputedStyle(this.#more);
    const limit = end - this.#more.offsetHeight - Number.parseFloat(marginTop);
    if (bottom <= limit) return;
    this.#cards.classList.add('cut');
    this.#cards.style.height = `${Math.max(0, limit - top)}px`;
    // Nobody gets by the keyboard to what cannot be seen.
    for (const card of this.#cards.children) {
      if (card instanceof HTMLElement) card.inert = card.getBoundingClientRect().bottom > limit;
    }
  }

  /** Lets it grow from its height on, and cuts nothing off. */
  #release() {
    if (!this.#isReserved) return;
    this.#isReserved = false;
    this.style.minHeight = `${this.getBoundingClientRect().height}px`;
    this.style.height = 'auto';
    this.#showAll();
  }
}

sheet.replaceSync(styleText);
if (!customElements.get('testimonials-wall')) customElements.define('testimonials-wall', TestimonialsWall);
