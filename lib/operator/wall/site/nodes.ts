/** Makes nodes of markup, in which a text is never more than text. */
import type { Markup } from './view.ts';

const svgTags = new Set(['svg', 'use', 'defs', 'path']);

/** The node of some markup. */
export function nodeOf(markup: Markup): Node {
  if (typeof markup === 'string') return document.createTextNode(markup);
  const { tag, attributes, children } = markup;
  const node = svgTags.has(tag)
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.map(nodeOf));
  return node;
}
