/** Personal links: the part of a form's URL after `#` fills in its fields. Browsers also load this file. */
import { collect, namesOf, trimmed } from './stand-ins.ts';

/**
 * The fields that a personal link can fill in, by their names in the link. The address is last, because mail
 * programs take a full stop at the end of a URL for the end of a sentence.
 */
export const personalFields = {
  name: 'author.name',
  role: 'author.role',
  company: 'author.company',
  email: 'author.email',
} as const;

export type PersonalField = keyof typeof personalFields;

export type PersonalValues = { [name in PersonalField]?: string | undefined };

// No value of a field has more code points.
const maxLength = 254;

// A value with control characters, or with replacement characters of a wrong encoding, is left out.
const broken = /[\p{Cc}\ufffd]/u;
// These characters would show a text in another order than it is stored.
const direction = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * Returns the link of a form that fills in these values.
 * @param form the URL of the form
 */
export function personalLink(form: string, values: PersonalValues): string {
  const parts = collect(namesOf(personalFields), (name) => {
    const value = values[name];
    // Mail programs also end a URL before some of the signs that need no escape (RFC 3986, section 2.2).
    return value && `${name}=${encodeURIComponent(value).replace(/[!'()*]/g, escaped)}`;
  });
  return `${form}#${parts.filter(Boolean).join('&')}`;
}

function escaped(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * Repairs a personal link whose `#` was escaped on its way, perhaps by a mail program, so that the server
 * received the values in the path.
 * @param rawPath the path as it was sent, or decoded by the gateway
 */
export function repairedLink(rawPath: string): { form: string; link: string } | undefined {
  let path = rawPath;
  // Each program on the way may have escaped it once more.
  for (let times = 0; times < 3; times += 1) {
    const [, form, sent] = /^(\/f\/\w+)(?:#|%23)(.*)$/s.exec(path) ?? [];
    if (form !== undefined && sent !== undefined) {
      const values = readPersonalLink(sent.includes('=') ? sent : decoded(sent));
      const byField = Object.fromEntries(values);
      const named = namesOf(personalFields).map((name) => [name, byField[personalFields[name]]]);
      return { form, link: personalLink(form, Object.fromEntries(named)) };
    }
    path = decoded(path);
  }
  return undefined;
}

/** Returns a decoded text, or the text itself if it is malformed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads the fragment of a personal link. Ignores unknown names, and values that no field could contain. Of
 * repeated names, the first one counts. The script of forms calls this function, so it must not use a method
 * that a page can replace.
 * @param fragment with or without `#`
 * @returns the values by the names of the form's fields
 */
export function readPersonalLink(fragment: string): [field: string, value: string][] {
  const typed = new URLSearchParams(/[^#].*/s.exec(fragment)?.[0] ?? '');
  return collect(namesOf(personalFields), (name) => {
    const value = trimmed(typed.get(name) ?? '');
    if (value === '' || broken.exec(value)) return undefined;
    let text = '';
    let length = 0;
    for (const character of value) {
      if (direction.exec(character)) continue;
      // A plus that was not escaped, because addresses have no spaces.
      text += name === 'email' && character === ' ' ? '+' : character;
      length += 1;
      if (length > maxLength) return undefined;
    }
    return [personalFields[name], text];
  });
}
