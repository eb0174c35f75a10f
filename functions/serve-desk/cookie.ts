/** The cookie by which a browser is known, which no script reads and no other site's form sends. */
import { sessionDays } from './people.ts';

const maxAge = sessionDays * 24 * 60 * 60;

/** Whether a host is the machine that the browser runs on, where there is no TLS. */
function isLocal(host: string): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);
}

/** The origin of the pages that a host serves. */
export function originOf(host: string): string {
  return `${isLocal(host) ? 'http' : 'https'}://${host}`;
}

/** Without TLS, browsers take none that is `Secure` or begins with `__Host-` (RFC 6265bis, section 4.1.3). */
function cookieOf(host: string): { name: string; flags: string } {
  const flags = 'Path=/; HttpOnly; SameSite=Lax';
  return isLocal(host) ? { name: 'desk', flags } : { name: '__Host-desk', flags: `${flags}; Secure` };
}

/** The session's secret in the cookies of a request. */
export function secretIn(cookies: readonly string[], host: string): string | undefined {
  const { name } = cookieOf(host);
  return cookies.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** What has a browser keep a session's secret, or forget it where that is absent. */
export function setCookieOf(host: string, secret = ''): string {
  const { name, flags } = cookieOf(host);
  return `${name}=${secret}; Max-Age=${secret === '' ? 0 : maxAge}; ${flags}`;
}
