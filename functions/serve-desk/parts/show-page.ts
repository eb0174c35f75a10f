/** Whole pages of the desk. */
import type { Context } from 'hono';
import type { AssetName } from './assets.ts';
import { type DeskEnv, oldestPending } from './desk.ts';
import { type Html, layout, type PageName } from './layout.ts';
import { takeNote } from './note.ts';

interface PageOptions {
  /** The page's name by default. */
  title?: string;
  /** How many testimonials are pending, if the page has counted them. */
  pending?: number;
  status?: 200 | 400 | 422;
  /** Scripts that only this page loads. */
  scripts?: readonly AssetName[];
  /** The outcome of an action; that of the redirect to this page by default. */
  message?: string;
}

/**
 * Responds with a whole page, and loads the notices or the number of pending testimonials while `main` is
 * loading.
 */
export async function showPage(
  c: Context<DeskEnv>,
  current: PageName,
  main: Html | Promise<Html>,
  { title, pending, status = 200, message: given, scripts = [] }: PageOptions = {},
): Promise<Response> {
  const { desk } = c.var;
  const message = given ?? (await takeNote(c));
  const loadAround = async () => {
    const notices = (await desk.notices?.()) ?? [];
    if (notices.length > 0) return { notices };
    return { pending: pending ?? (await oldestPending(desk.testimonials, {})).total };
  };
  const [content, around] = await Promise.all([main, loadAround()]);
  return c.html(layout(desk, { current, title, message, scripts, ...around }, content), status);
}
