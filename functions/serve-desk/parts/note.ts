/** Sentences about an action, kept in a cookie over the redirect that ends it. */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { isLocal } from '../../http/api-event.ts';
import { deskPath } from './assets.ts';

/** Redirects to a page that shows a note once; going back repeats nothing. Only a page that knows another cookie shows its note. */
export function redirectWithNote(c: Context, path: string, note: string, cookie = 'desk-note'): Response {
  const secure = !isLocal(c.req.header('host') ?? '');
  setCookie(c, cookie, note, { path: deskPath, httpOnly: true, sameSite: 'Lax', secure, maxAge: 60 });
  return c.redirect(path, 303);
}

/** Returns the note of the latest redirect, once; an empty one if there is none. */
export function takeNote(c: Context, cookie = 'desk-note'): string {
  return getCookie(c, cookie) ? (deleteCookie(c, cookie, { path: deskPath }) ?? '') : '';
}
