/** Previews of forms and walls, which the desk shows in a frame. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { branded } from '../../serve-pages/branding.ts';
import { policyOf } from '../../serve-pages/html-page.ts';
import { linksOf } from '../../serve-pages/own-pages.ts';
import type { BrandedPage } from '../../serve-pages/page-request.ts';
import { pageCodeName, previewOf } from '../../serve-pages/preview.ts';
import type { Desk, DeskEnv } from '../parts/desk.ts';
import { BadForm } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import type { Problem } from './settings-fields.ts';

/** @throws {BadForm} if the deployment serves no pages */
export function pagesOf({ stores: { pages } }: Desk) {
  if (!pages) throw new BadForm('This deployment has no forms and walls.');
  return pages;
}

/**
 * Shows a form or a wall as visitors would see it. The preview is inert.
 * @param note a sentence about the preview, which the desk also shows next to it
 */
export async function showPreview(
  c: Context<DeskEnv>,
  { page, brand }: BrandedPage,
  note: Html | '' = '',
): Promise<Response> {
  const { desk } = c.var;
  const hasMedia = desk.media !== undefined;
  const code = branded(await desk.pageCode(pageCodeName(page, hasMedia)), brand);
  const { url } = linksOf(page, desk.serviceUrl);
  const shown = await previewOf(desk.testimonials, { page, brand }, { url, code, hasMedia });
  const policy = policyOf(code, hasMedia ? { images: ["'self'"] } : {});
  return respond(c, 200, html`${shown}${note && html`<p data-note hidden>${note}</p>`}`, policy);
}

/** The titles of new forms and walls. */
export const firstTitles = { form: 'Tell us about your experience', wall: 'What our customers say' };

/** Returns the element for a problem or a note about a preview. */
export function previewNote(note: Html | '' = ''): Html {
  return html`<p class="hint" data-preview-problem role="status">${note}</p>`;
}

const previewHead = html`<p class="shown">Preview</p>`;

/**
 * Returns the frame of a preview.
 * @param head the markup above it
 * @param note the markup below it; if empty, the note is elsewhere
 */
export function previewFrame(at: string, head: Html = previewHead, note: Html | '' = previewNote()): Html {
  return html`<div class="preview" id="preview">${head}<iframe name="preview" src="${at}/preview" title="Preview"></iframe>
    ${note}</div>`;
}

/** Shows the reason that there is no preview: the sentence about an invalid field, for the desk to show. */
export function showProblem(c: Context<DeskEnv>, { name, text }: Problem): Response | Promise<Response> {
  return respond(c, 422, html`<p data-problem="${name}">${text}</p>`, "default-src 'none'");
}

function respond(c: Context<DeskEnv>, status: 200 | 422, document: Html, policy: string) {
  c.set('isPreview', true);
  return c.html(document, status, { 'content-security-policy': `${policy}; frame-ancestors 'self'` });
}
