/** Types of the live elements. Copy this file into your project. */

/** The attributes of `<testimonials-wall>`: `page`, or `src` and `token` with any others. */
export interface WallAttributes {
  /** The id of a wall. All other attributes are ignored, except `src` and `height`. */
  page?: string;
  /** The URL of the service. With `page`, by default the one that `embed.js` came from. */
  src?: string;
  /** A token whose only permission is `testimonials:read-published`. */
  token?: string;
  /** Testimonials per page, 1 to 100; 12 by default. */
  limit?: number | string;
  /** Tags separated by commas; any of them matches. */
  tags?: string;
  /** The minimum rating, 1 to 5. */
  rating?: number | string;
  type?: 'text' | 'video' | 'audio' | 'all';
  search?: string;
  sort?: 'createdAt' | 'rating';
  order?: 'asc' | 'desc';
  look?: 'columns' | 'row' | 'single' | 'list';
  /** The colors; `auto`, the default, fits them to the background of the wall. */
  theme?: 'auto' | 'light' | 'dark';
  /** The height in pixels that is reserved until the cards arrive; the height that cards need in the look by default. */
  height?: number | string;
  /** Parts to hide, separated by commas: more, tags, dates, stars. */
  hide?: string;
  /** The language of dates and numbers, such as `de` or `pt-BR`; the page's language by default. */
  lang?: string;
  /** Internal tags that visitors do not see, separated by commas. */
  'own-tags'?: string;
  /** Replacements of the wall's own texts, as JSON. */
  texts?: string;
}

/** The attribute of `<testimonials-form>`. */
export interface FormAttributes {
  /** The id of a form. */
  page: string;
}

declare global {
  interface HTMLElementTagNameMap {
    'testimonials-form': HTMLElement;
    'testimonials-wall': HTMLElement;
  }
}
