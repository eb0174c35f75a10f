/** The brand of an organization on its forms and walls. */
import { html } from 'hono/html';
import type { Brand } from '../domain/brand.ts';
import { type Page, pageRoutes } from '../domain/page.ts';
import type { Html } from './html-page.ts';

/** Returns the code of a page with the colors of a brand. */
export function branded<Code extends { style: string }>(code: Code, { accent }: Brand): Code {
  if (!accent) return code;
  const { light, dark } = accent;
  return { ...code, style: `${code.style}:root{--brand-light:${light};--brand-dark:${dark}}` };
}

/** Returns the site name and the logo for link previews, whose image is otherwise the service's own. */
export function linkPreviewOf({ id }: Pick<Page, 'id'>, { name, logo }: Brand) {
  return {
    ...(name !== undefined && { siteName: name }),
    ...(logo && { logo: `${pageRoutes.shareImage}?of=${id}` }),
  };
}

/** Returns the page id in a request for the image of link previews, or an empty text. */
export function linkPreviewPageId(rawQueryString = ''): string {
  return new URLSearchParams(rawQueryString).get('of') ?? '';
}

/** The largest size at which a page shows a logo, in CSS pixels. */
const largest = { width: 220, height: 56 };

/** Renders the brand above a page. The logo has an empty `alt`, because the name beside it says the same. */
export function brandOf({ name, logo }: Brand): Html | '' {
  if (!logo && name === undefined) return '';
  return html`<p class="brand">${logo && logoOf(logo)}${name !== undefined && html`<span dir="auto">${name}</span>`}</p>`;
}

/** Renders a logo at the size of a heading. */
export function logoOf({ type, data, width, height }: NonNullable<Brand['logo']>): Html {
  const scale = Math.min(1, largest.width / width, largest.height / height);
  return html`<img src="data:${type};base64,${data}" alt="" width="${Math.ceil(width * scale)}" height="${Math.ceil(height * scale)}">`;
}
