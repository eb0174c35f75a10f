/** The element that shows a form on any page, in a frame as high as the form. */
import { nodeOf } from './elements.ts';
import { el } from './view.ts';
import { serviceOrigin } from './wall-request.ts';

/**
 * Returns the class of `<testimonials-form page>`. Its content is a fallback for visitors without scripts.
 * Every page of the form reports its height and its title.
 * @param sheet the styles, which reserve a height until then
 */
export function formElement(sheet: CSSStyleSheet): CustomElementConstructor {
  return class extends HTMLElement {
    static observedAttributes = ['page'];

    readonly #frame = nodeOf(
      el('iframe', { loading: 'lazy', allow: 'camera; microphone' }),
    ) as HTMLIFrameElement; // its tag
    #pages = 0;

    constructor() {
      super();
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [sheet];
      root.append(this.#frame);
      this.#frame.addEventListener('load', () => {
        this.#pages += 1;
        // The visitor pressed a button at the end of the previous page.
        if (this.#pages > 1 && this.getBoundingClientRect().top < 0) this.scrollIntoView();
      });
    }

    connectedCallback() {
      addEventListener('message', this);
    }

    disconnectedCallback() {
      removeEventListener('message', this);
    }

    attributeChangedCallback() {
      this.#pages = 0;
      this.#frame.src = `${serviceOrigin}/f/${encodeURIComponent(this.getAttribute('page') ?? '')}`;
    }

    /**
     * Handles a message from the form. Other frames of the page also send messages, and the frame may show
     * another site.
     */
    handleEvent({ source, origin, data }: MessageEvent) {
      if (source !== this.#frame.contentWindow || origin !== serviceOrigin) return;
      if (data?.type !== 'testimonials-form') return;
      const { height, title } = data;
      this.#frame.title = title;
      this.#frame.style.height = `${height}px`;
      this.style.minHeight = '0';
    }
  };
}
