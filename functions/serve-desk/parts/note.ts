/**
 * Texts for the page after a redirect, such as the outcome of an action. A cookie carries them, signed with a
 * key of the session.
 */
import type { Context } from 'hono';
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { isLocal } from '../../http/api-event.ts';
import type { DeskEnv } from './desk.ts';
import { BadForm } from './forms.ts';

/**
 * The names of notes. Every page can show an `outcome`, and only some the other notes. A browser has one note
 * of each name; the latest replaces the others.
 */
export type NoteName = 'outcome' | 'link' | 'feed' | 'work';

const seconds = 60;

// Browsers drop a cookie of more than 4,096 bytes (RFC 6265bis, section 5.6).
const maxBytes = 3800;

/** Over TLS, the prefix prevents other hosts from setting the cookie (RFC 6265bis, section 4.1.3.2). */
function cookieOf(c: Context): CookieOptions {
  const shared = { path: '/', httpOnly: true, sameSite: 'Lax' } as const;
  return isLocal(c.req.header('host') ?? '') ? shared : { ...shared, secure: true, prefix: 'host' };
}

// In a cookie, a character takes up to twelve bytes.
const maxCharacters = 300;

/** Returns the beginning of a long text. */
function beginning(text: string): string {
  const characters = Array.from(text);
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : text;
}

/**
 * Redirects to a page that shows a note once. Going back repeats nothing.
 * @param spareBytes the room that later notes of the same work need
 * @throws {BadForm} if the note is too long for a cookie, unless it is an outcome, which is truncated
 */
export async function redirectWithNote(
  c: Context<DeskEnv>,
  path: string,
  note: string,
  name: NoteName = 'outcome',
  spareBytes = 0,
): Promise<Response> {
  const { noteKey, now } = c.var.desk;
  const until = now().getTime() + seconds * 1000;
  const text = name === 'outcome' ? beginning(note) : note;
  // The signature covers only the value, so the value includes the name of the note.
  const value = `${name} ${until} ${text}`;
  if (encodeURIComponent(value).length + spareBytes > maxBytes)
    throw new BadForm('The tags are too many or too long. Shorten them and try again.');
  await setSignedCookie(c, `desk-${name}`, value, noteKey, { ...cookieOf(c), maxAge: seconds });
  return c.redirect(path, 303);
}

/**
 * Returns the note of the latest redirect, once. Returns an empty text if there is no note, or if it is not
 * from this session.
 */
export async function consumeNote(c: Context<DeskEnv>, name: NoteName = 'outcome'): Promise<string> {
  const { noteKey, now } = c.var.desk;
  const cookie = `desk-${name}`;
  const { prefix, ...options } = cookieOf(c);
  const value = await getSignedCookie(c, noteKey, cookie, prefix);
  if (value === undefined) return '';
  deleteCookie(c, cookie, { ...options, ...(prefix && { prefix }) });
  const [, sealedName, until, note = ''] = /^(\w+) (\d+) ([\s\S]*)$/.exec(value || '') ?? [];
  return sealedName === name && Number(until) > now().getTime() ? note : '';
}
