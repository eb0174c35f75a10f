/** Who may use a desk: the browser that opened its address, from pages of its own. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

/** What lets a browser in. */
export interface Access {
  port: number;
  /** In the address that is printed. */
  key: string;
  /** In the cookie that the key is changed for, so that no page, log or history of it opens another desk. */
  pass: string;
}

/** Makes a key and a pass that nobody guesses. */
export function newSecrets(): Omit<Access, 'port'> {
  const secret = () => randomBytes(24).toString('base64url');
  return { key: secret(), pass: secret() };
}

/** The address to open. */
export function addressOf({ port, key }: Access): string {
  return `http://127.0.0.1:${port}/?key=${key}`;
}

/**
 * Refuses everybody else. A name that somebody has pointed at this machine is another host (DNS rebinding); browsers tell
 * from where a request comes by Sec-Fetch-Site, and that another port is another origin, which cookies do not know.
 */
export function guard({ port, key, pass }: Access): MiddlewareHandler {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  // Cookies of all ports of a host are in one place.
  const name = `desk-${port}`;
  return async (c, next) => {
    if (!hosts.includes(c.req.header('host') ?? '')) return c.text('Not for this host\n', 421);
    const site = c.req.header('sec-fetch-site');
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      return c.text('Not for other sites\n', 403);
    }
    const given = c.req.query('key');
    if (c.req.method === 'GET' && c.req.path === '/' && given !== undefined && isSame(given, key)) {
      setCookie(c, name, pass, { httpOnly: true, sameSite: 'Strict', path: '/' });
      return c.redirect('/', 303);
    }
    if (!isSame(getCookie(c, name) ?? '', pass)) {
      return c.text('This desk opens by the address that its command printed.\n', 403);
    }
    return next();
  };
}

/** Compares without telling by the time how much is right. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
