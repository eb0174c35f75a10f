/** The brand of an organization on its forms and walls. */
import { html } from 'hono/html';
import type { Brand } from '../domain/brand.ts';
import type { Html } from './html-page.ts';

/** Returns the code of a page with the colors of a brand. */
export function branded<Code extends { style: string }>(code: Code, { accent }: Brand): Code {
  if (!accent) return code;
  const { light, dark } = accent;
  return { ...code, style: `${code.style}:root{--brand-light:${light};--brand-dark:${dark}}` };
}

/** Logos are shown at most this large, in pixels. */
const largest = { width: 220, height: 56 };

/** Returns the logo and the name above a page. The name stands in for a logo that has none. */
export function brandOf({ name, logo }: Brand): Html | '' {
  if (!logo && name === undefined) return '';
  return html`<p class="brand">${logo && logoOf(logo)}${name !== undefined && html`<span dir="auto">${name}</span>`}</p>`;
}

function logoOf({ type, data, width, height }: NonNullable<Brand['logo']>): Html {
  const scale = Math.min(1, largest.width / width, largest.height / height);
  return html`<img src="data:${type};base64,${data}" alt="" width="${Math.ceil(width * scale)}" height="${Math.ceil(height * scale)}">`;
}
