/**
 * Elements of a page, described once: the build writes them as markup, the script makes nodes of them. A text is never
 * parsed, so that it is text whatever it says, also in pages that demand Trusted Types.
 */

/** An element. */
export interface Tree {
  tag: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly (Tree | string)[];
}

/** What an element may contain; nothing where it is undefined. */
type Child = Tree | string | undefined;

/** Describes an element. */
export function el(
  tag: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): Tree {
  return { tag, attributes, children: children.filter((child) => child !== undefined) };
}

/** The markup of what is described, in which a text is never more than text. It has no elements that HTML leaves open. */
export function markupOf(part: Tree | string): string {
  if (typeof part === 'string') return escaped(part);
  const attributes = Object.entries(part.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  return `<${part.tag}${attributes.join('')}>${part.children.map(markupOf).join('')}</${part.tag}>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
