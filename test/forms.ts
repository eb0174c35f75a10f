/** Forms: what a page sends, and what it shows. */
import type { Testimonial } from '../functions/domain/testimonial.ts';

/** The fields of a form, some with several values. */
export type Fields = Record<string, string | string[]>;

export function encoded(fields: Fields): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) form.append(name, value);
  }
  return form;
}

/** Returns the fields that a button of a page sends, by its label. */
export function fieldsOf(page: string, label: string): Record<string, string> {
  const forms = page.match(/<form method="post"[\s\S]*?<\/form>/g) ?? [];
  const form =
    forms.find((each) => ['</button>', ' <kbd'].some((end) => each.includes(`>${label}${end}`))) ?? '';
  const fields = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries(Array.from(fields, ([, name = '', value = '']) => [name, plain(value)]));
}

/** Returns the fields by which a list of the desk names all of its matches. */
export function allMatchesIn(page: string): { all: string; of: string; edition: string } {
  const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  return { all: value('all'), of: value('of'), edition: value('edition') };
}

/** Returns the link to sign in, or of a feed, that a page of the desk shows to copy. */
export const linkIn = (page: string) => plain(/<code>(https:[^<]*)<\/code>/.exec(page)?.[1] ?? '');

/** Returns the value by which forms of the desk name a testimonial as it was shown. */
export const seen = ({ id, updatedAt }: Pick<Testimonial, 'id' | 'updatedAt'>) => `${id}@${updatedAt}`;

/** Returns the text of markup. */
export const plain = (markup: string) =>
  markup.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
