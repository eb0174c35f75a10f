/** Types of the live elements. Copy this file into your project. */

/** The attributes of `<testimonials-wall>`. */
export interface WallAttributes {
  /** The id of a wall. */
  page: string;
  /**
   * The height in pixels that is reserved until the cards arrive; without it, the one in your style sheet.
   */
  height?: number | string;
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
