/** Writes markup as HTML in which a text is never more than text. */
import type { Markup } from './site/view.ts';

const voidTags = new Set(['input', 'link', 'meta']);

const entities: Record<string, string> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

/** The HTML of some markup. */
export function renderHtml(markup: Markup): string {
  if (typeof markup === 'string') return escaped(markup);
  const { tag, attributes, children } = markup;
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const begin = `<${tag}${written.join('')}>`;
  if (voidTags.has(tag)) return begin;
  return `${begin}${children.map(tag === 'script' ? rawText : renderHtml).join('')}</${tag}>`;
}

/** JSON that can stand in a script element, and in whatever else is told what characters mean. */
export function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** What stands in a script element, where no entity is read (HTML, section 13.1.2.1). */
function rawText(markup: Markup): string {
  if (typeof markup !== 'string' || markup.includes('<')) {
    throw new Error('A script element takes only text without <.');
  }
  return markup;
}
