/** The next step of an organization without testimonials. */
import { html } from 'hono/html';
import type { Desk } from './desk.ts';
import type { Html } from './layout.ts';
import { deskPath } from './paths.ts';

/** Returns the next step that the person at the desk can take. */
export function firstStep({ pages }: Desk): Html {
  if (pages.includes('pages'))
    return html`<a href="${deskPath}/pages">Create a form, and send its link to a customer</a>. What they write appears here.`;
  if (pages.includes('files'))
    return html`<a href="${deskPath}/files">Import the testimonials that you have</a>. New ones appear here as well.`;
  return html`New testimonials appear here. Ask an owner of your desk for the link of a form, and send it to a customer.`;
}
