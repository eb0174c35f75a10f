/** The live wall, a custom element that shows published testimonials on any page. */
import { collect, trimmed } from '../stand-ins.ts';
import { type Voice, voiceOf } from '../texts.ts';
import { watchBackground } from './background.ts';
import { focusCard, moveAlong, nodeOf } from './elements.ts';
import { formElement } from './form-element.ts';
import { cardsOf, heightOf, keepInColumns } from './keep-in-columns.ts';
import { watchPlayers } from './players.ts';
import { buttonsOf, cardOf, countText, el, fiveStars, listOf, type ShownSettings } from './view.ts';
import { requestWall, serviceOrigin } from './wall-request.ts';

/** Set by the bundler. */
declare const styleText: string;

const sheet = new CSSStyleSheet();

/**
 * `<testimonials-wall page>` shows a wall with the settings of its page. Its content is a fallback until
 * there are testimonials. It reserves its height from the start, and hides cards that do not fit behind “Show
 * more”. It sends one request until the visitor asks for more. If the request fails, it releases its height
 * and logs the reason to the console.
 * @fires error if the request fails; `detail` is the error
 */
class TestimonialsWall extends HTMLElement {
  static observedAttributes = ['page', 'height'];

  // Gives the element a width in shrink-to-fit layouts. Observed for resizes.
  readonly #probe = nodeOf(el('div', { class: 'probe', 'aria-hidden': 'true' }, '- -'));
  readonly #fallback = nodeOf(el('slot'));
  readonly #wall = nodeOf(el('div', { class: 'wall light' }, fiveStars));
  readonly #count = nodeOf(el('p', { class: 'visually-hidden', role: 'status' }));
  readonly #root = this.attachShadow({ mode: 'open' });
  // Set before the first card.
  #settings!: ShownSettings;
  #voice!: Voice;
  #cards = nodeOf(el('ul'));
  #buttons = nodeOf(el('div'));
  #request = new AbortController();
  // Stops the layout of the current cards and buttons.
  #layout = new AbortController();
  #page = 0;
  #hasNext = false;
  // The reserved height applies until the height of the cards is known.
  #isReserved = true;
  // A single function, so that a wall that is resized often listens to scrolling only once.
  readonly #refit = () => this.#fit();

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [sheet];
    this.#wall.append(this.#cards, this.#count, this.#buttons);
    this.#root.append(this.#probe, this.#fallback, this.#wall);
    // An opened card needs its full height. `toggle` does not bubble, so capture it.
    this.#root.addEventListener('toggle', () => this.#release(), true);
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

  /** Loads the first page, once even if a script sets several attributes. */
  async #start() {
    const request = this.#newRequest();
    await undefined;
    if (request.aborted) return;
    this.#reserve();
    await this.#load(1, request);
  }

  /** Reserves the height from the attribute. Without the attribute, the style sheet reserves a height. */
  #reserve() {
    const height = this.#attribute('height');
    const isNumber = +height > 0;
    if (height && !isNumber) {
      console.warn('testimonials-wall: height must be a number of pixels. The default is used.');
    }
    this.style.setProperty('--reserved', isNumber ? `${height}px` : '');
  }

  async #showMore() {
    const [cut] = collect(cardsOf(this.#cards), (card) => (card.inert ? card : undefined));
    const isCut = this.#cards.classList.contains('cut');
    this.#release();
    const before = this.#cards.children.length;
    if (!isCut) await this.#load(this.#page + 1, this.#newRequest());
    focusCard(cut ?? cardsOf(this.#cards)[before]);
  }

  #newRequest(): AbortSignal {
    this.#request.abort();
    this.#request = new AbortController();
    return this.#request.signal;
  }

  async #load(page: number, signal: AbortSignal) {
    try {
      const id = this.#attribute('page');
      if (!id) throw new Error('The attribute page is missing.');
      const { testimonials, pagination, settings, accent } = await requestWall(id, page, signal);
      if (signal.aborted) return;
      if (page === 1) {
        this.#reset(settings);
        this.#wall.style.setProperty('--brand-light', accent?.light ?? '');
        this.#wall.style.setProperty('--brand-dark', accent?.dark ?? '');
      }
      // New approvals can move a testimonial to the next page.
      const added = collect(testimonials, (each) =>
        this.#root.getElementById(each.id)
          ? undefined
          : nodeOf(cardOf(each, this.#voice, this.#settings, serviceOrigin)),
      );
      this.#cards.append(...added);
      this.#page = page;
      this.#hasNext = pagination.hasNext;
      const count = this.#cards.children.length;
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
      console.info('testimonials-wall: no approved testimonial matches the settings of its page.');
    } catch (error) {
      if (!signal.aborted) this.#fail(page, error);
    }
  }

  #attribute(name: 'page' | 'height'): string {
    return trimmed(this.getAttribute(name) ?? '');
  }

  /** Starts over with new settings and without cards. */
  #reset(settings: ShownSettings) {
    this.#layout.abort();
    this.#layout = new AbortController();
    const { signal } = this.#layout;
    this.#settings = settings;
    this.#voice = voiceOf(settings);
    const cards = nodeOf(listOf(settings, this.#voice));
    const buttons = nodeOf(buttonsOf(settings, this.#voice));
    this.#cards.replaceWith(cards);
    this.#buttons.replaceWith(buttons);
    this.#cards = cards;
    this.#buttons = buttons;
    this.#wall.lang = settings.lang;
    watchBackground(this.#probe, signal, (suitable, readable) => {
      const theme = settings.theme === 'auto' ? suitable : settings.theme;
      this.#wall.className = `wall ${theme} ${theme === readable ? '' : 'panel'}`;
    });
    this.#more?.addEventListener('click', () => this.#showMore());
    keepInColumns(cards, signal);
    moveAlong(cards, buttons, signal);
    watchPlayers(cards, signal);
    const resized = new ResizeObserver(this.#refit);
    resized.observe(this.#probe);
    signal.addEventListener('abort', () => resized.disconnect());
  }

  get #more() {
    return this.#buttons.querySelector<HTMLElement>('.more');
  }

  /** Visitors keep the fallback or the current cards. Only those who asked for more see a message. */
  #fail(page: number, detail: unknown) {
    if (page > 1) {
      this.#count.className = 'count';
      this.#count.textContent = this.#voice.say('failed');
    }
    if (!this.#hasCards) this.#release('0');
    console.error(`testimonials-wall: ${detail instanceof Error ? detail.message : detail}`);
    this.dispatchEvent(new CustomEvent('error', { detail }));
  }

  #showAll() {
    this.#cards.classList.remove('cut');
    this.#cards.style.height = '';
    for (const card of cardsOf(this.#cards)) card.inert = false;
    if (this.#more) this.#more.hidden = !this.#hasNext;
  }

  get #hasCards() {
    return this.#cards.children.length > 0;
  }

  /**
   * Gives the wall the height of its cards, or cuts off much higher ones if “Show more” can show the rest.
   */
  #fit() {
    if (!this.#isReserved || !this.#hasCards || this.offsetWidth === 0) return;
    this.#showAll();
    const needed = heightOf(this.#wall);
    const { reserved, top, scale } = this.#measureReserved();
    const by = needed - reserved;
    const { signal } = this.#layout;
    // A layout shift counts from 0.1 (web.dev/articles/cls).
    const seen = Math.min(1, 1 - (top + scale * Math.min(reserved, needed)) / innerHeight);
    const isShift = seen * scale * Math.abs(by) > 0.08 * Math.max(innerWidth, innerHeight);
    if (!this.#more || (!isShift && by < reserved / 4)) this.#release('0');
    else if (by > 0) this.#cut(this.#more, reserved);
    else addEventListener('scroll', this.#refit, { signal, once: true, capture: true });
  }

  /** Measures the element at its reserved height, even if its cards are higher. */
  #measureReserved() {
    this.#cards.style.height = '0';
    const reserved = heightOf(this);
    const { top, height } = this.getBoundingClientRect();
    // The page may scale its layout.
    const scale = height / this.offsetHeight || 0;
    this.#cards.style.height = '';
    return { reserved, top, scale };
  }

  #cut(more: HTMLElement, reserved: number) {
    more.hidden = false;
    // Browsers round computed heights, and the wall must not grow.
    const height = Math.max(0, heightOf(this.#cards) - heightOf(this) + reserved - 0.02);
    this.#cards.classList.add('cut');
    this.#cards.style.height = `${height}px`;
    // Keep the keyboard focus out of hidden cards.
    for (const card of cardsOf(this.#cards)) card.inert = card.offsetTop + card.offsetHeight > height;
  }

  /**
   * Lets the wall grow and shows all cards.
   * @param minHeight the reserved height by default
   */
  #release(minHeight = this.#isReserved ? `${this.#measureReserved().reserved}px` : this.style.minHeight) {
    this.#isReserved = false;
    this.style.minHeight = minHeight;
    this.style.height = 'auto';
    this.#showAll();
  }
}

sheet.replaceSync(styleText);
for (const [name, element] of [
  ['testimonials-wall', TestimonialsWall],
  ['testimonials-form', formElement(sheet)],
] as const) {
  if (!customElements.get(name)) customElements.define(name, element);
}
