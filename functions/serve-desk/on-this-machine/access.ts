/** Protects the desk on this machine: only the browser that opened the printed URL may use it. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

export interface Access {
  port: number;
  /** The secret in the printed URL. */
  key: string;
  /** The secret in the cookie that replaces the key, so that a browser's history opens no desk. */
  cookieSecret: string;
}

export function newSecrets(): Omit<Access, 'port'> {
  const secret = () => randomBytes(24).toString('base64url');
  return { key: secret(), cookieSecret: secret() };
}

/** Returns the URL that opens the desk. */
export function urlOf({ port, key }: Access): string {
  return `http://127.0.0.1:${port}/?key=${key}`;
}

/**
 * Refuses all other requests. The host must be this machine's, against DNS rebinding. `Sec-Fetch-Site` must
 * be the desk's own origin, because cookies are shared between ports.
 */
export function guard({ port, key, cookieSecret }: Access): MiddlewareHandler {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const name = `desk-${port}`;
  return async (c, next) => {
    if (!hosts.includes(c.req.header('host') ?? '')) return c.text('This host is not served here\n', 421);
    const relation = c.req.header('sec-fetch-site');
    if (relation !== undefined && relation !== 'same-origin' && relation !== 'none') {
      return c.text('Requests from other origins are refused\n', 403);
    }
    const requestKey = c.req.query('key');
    if (c.req.method === 'GET' && c.req.path === '/' && requestKey !== undefined && isSame(requestKey, key)) {
      setCookie(c, name, cookieSecret, { httpOnly: true, sameSite: 'Strict', path: '/' });
      return c.redirect('/', 303);
    }
    if (!isSame(getCookie(c, name) ?? '', cookieSecret)) {
      return c.text('Open the desk with the URL that its command printed.\n', 403);
    }
    return next();
  };
}

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
