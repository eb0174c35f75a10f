/** A text to copy, such as a link or markup. */
import { html } from 'hono/html';
import type { Html } from './layout.ts';

/**
 * Returns the text with a button that copies it, which needs the script.
 * @param kind `solid` if copying is the only action
 */
export function snippetPart(label: string, text: string, kind: 'small' | 'solid' = 'small'): Html {
  return html`<div class="snippet" data-snippet>
    <pre class="command" tabindex="0" aria-label="${label}"><code>${text}</code></pre>
    <button type="button" class="${kind}" data-copy hidden>Copy<span class="visually-hidden"> ${label}</span></button></div>`;
}
