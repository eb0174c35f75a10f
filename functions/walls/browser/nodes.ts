/** Makes elements of what describes them. */
import type { Tree } from './tree.ts';

const drawings = new Set(['svg', 'defs', 'path', 'use']);

/** The element that is described. No text is parsed on the way: pages that demand Trusted Types take it. */
export function nodeOf({ tag, attributes, children }: Tree): HTMLElement {
  const element = drawings.has(tag)
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map((child) => (typeof child === 'string' ? child : nodeOf(child))));
  // A drawing is always inside of another element.
  return element as HTMLElement;
}
