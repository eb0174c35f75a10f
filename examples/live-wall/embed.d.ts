/** Types of the live wall: copy this file beside embed.js. Whatever an attribute is, it stands in the page as a text. */

/** The attributes of `<testimonials-wall>`. */
export interface WallAttributes {
  /** The service's address. */
  src: string;
  /** A token with `testimonials:read-published` and nothing else. */
  token: string;
  /** Testimonials a page, 1 to 100. */
  limit?: number | string;
  /** Any of these, with commas. */
  tags?: string;
  /** The smallest, 1 to 5. */
  rating?: number | string;
  type?: 'text' | 'video' | 'audio' | 'all';
  search?: string;
  sort?: 'createdAt' | 'rating';
  order?: 'asc' | 'desc';
  look?: 'columns' | 'row' | 'single' | 'list';
  /** Some of more, tags, dates and stars, with commas. */
  hide?: string;
  /** The language of dates and numbers, as `de` or `pt-BR`; the page’s where it is absent. */
  lang?: string;
  /** Tags that nobody is shown, with commas. */
  'own-tags'?: string;
  /** What the wall says itself, as JSON. */
  texts?: string;
}

declare global {
  interface HTMLElementTagNameMap {
    'testimonials-wall': HTMLElement;
  }
}
