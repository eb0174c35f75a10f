/** A text to copy, such as a link or markup. */
import { html } from 'hono/html';
import type { Html } from './layout.ts';

/** Returns the text with a button that copies it, which needs the script. */
export function snippetPart(label: string, text: string): Html {
  return html`<div class="snippet" data-snippet>
    <pre class="command" tabindex="0" aria-label="${label}"><code>${text}</code></pre>
    <button type="button" class="small" data-copy hidden>Copy<span class="visually-hidden"> ${label}</span></button></div>`;
}
