/** The texts of a testimonial that everyone may read, on walls and in lists for tokens in web pages. */
import { isFieldGroup, type Texts } from './fields.ts';
import { maskAddresses } from './mask-addresses.ts';

/** Returns the texts with every e-mail address masked. */
export function publicTexts(texts: Texts): Texts {
  return masked(texts) as Texts; // of the same shape
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskAddresses(value);
  if (Array.isArray(value)) return value.map(masked);
  return isFieldGroup(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member)]))
    : value;
}
