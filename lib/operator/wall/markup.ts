/** HTML of what the wall's scripts make nodes of, and JSON that can stand in HTML. */
import { html, raw } from 'hono/html';
import type { Markup } from './site/view.ts';

/** Markup in which a text is never more than text. */
export type Html = ReturnType<typeof html>;

/** The HTML of some markup, whose names of tags and attributes nobody sends. */
export function htmlOf(markup: Markup): Html {
  if (typeof markup === 'string') return html`${markup}`;
  const { tag, attributes, children } = markup;
  const written = Object.entries(attributes).map(([name, value]) => html` ${raw(name)}="${value}"`);
  return html`<${raw(tag)}${written}>${children.map(htmlOf)}</${raw(tag)}>`;
}

/** JSON that can stand in a script element, and in whatever else is told what characters mean. */
export function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
