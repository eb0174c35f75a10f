/** Makes elements of markup. */
import type { Html } from './view.ts';

/** The element that some markup is. */
export function elementOf(markup: Html): HTMLElement {
  const template = document.createElement('template');
  template.innerHTML = String(markup);
  const { firstElementChild: made } = document.importNode(template.content, true);
  if (made instanceof HTMLElement) return made;
  throw new Error(`${markup} is no element of HTML.`);
}
