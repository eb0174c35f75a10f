/** Whole pages of the desk. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { AssetName } from './assets.ts';
import { type DeskEnv, oldestPending } from './desk.ts';
import { deskDocument, type Html, type PageName, type Shell } from './layout.ts';
import { consumeNote } from './note.ts';
import { deskPath } from './paths.ts';

interface ShowPageOptions {
  /** The page's name by default. */
  title?: string;
  /** The number of pending testimonials, if the page has counted them. */
  pending?: number;
  status?: 200 | 400 | 422;
  /** Scripts that only this page loads. */
  scripts?: readonly AssetName[];
  /** The outcome of an action; by default the outcome in the redirect to this page. */
  message?: string;
}

/**
 * Responds with a whole page. Unless the page has counted the pending testimonials, counts them while `main`
 * is loading.
 */
export async function showPage(
  c: Context<DeskEnv>,
  current: PageName,
  main: Html | Promise<Html>,
  { title, pending, status = 200, message: given, scripts = [] }: ShowPageOptions = {},
): Promise<Response> {
  const { desk } = c.var;
  const message = given ?? (await consumeNote(c));
  const countPending = async () => pending ?? (await oldestPending(desk.testimonials, {})).total;
  const [content, count] = await Promise.all([main, countPending()]);
  return c.html(deskDocument(desk, { current, title, message, scripts, pending: count }, content), status);
}

/** Responds to a path without a page. */
export async function showNotFound(c: Context<DeskEnv>): Promise<Response> {
  const { desk } = c.var;
  const { total: pending } = await oldestPending(desk.testimonials, {});
  const main = html`<div><h1>Page not found</h1>
    <p class="muted" data-problem>This page does not exist or was removed.</p></div>
    <div class="buttons"><a class="button" href="${deskPath}/queue">Go to the queue</a></div>`;
  return c.html(deskDocument(desk, { title: 'Page not found', pending }, main), 404);
}

/** Returns a page that explains what went wrong. */
export function problemPage(desk: Shell, line: string): Html {
  return deskDocument(
    desk,
    { title: 'Error' },
    html`<h1>Something went wrong</h1><div id="results"><p class="notice wrong" role="alert" data-problem>${line}</p>
      <p>Your earlier changes are saved. ${desk.pages.length > 0 && html`<a href="${deskPath}/queue">Back to the queue</a>`}</p></div>`,
  );
}
