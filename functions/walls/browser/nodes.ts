/** Creates DOM elements from trees. */
import type { Tree } from './view.ts';

const svgTags = new Set(['svg', 'defs', 'path', 'use']);

/** Creates the element of a tree without parsing markup, so it works in pages that enforce Trusted Types. */
export function nodeOf({ tag, attributes, children }: Tree): HTMLElement {
  const element = svgTags.has(tag)
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map((child) => (typeof child === 'string' ? child : nodeOf(child))));
  // The root is never an SVG element.
  return element as HTMLElement;
}
