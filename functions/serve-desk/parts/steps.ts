/** Work that takes several requests: each answers with a form that carries how far it is, and asks for the next step by itself. */
import { html } from 'hono/html';
import * as v from 'valibot';
import { ofForms } from './cards.ts';
import { BadForm, type FormBody, textOf } from './forms.ts';
import type { Html } from './html.ts';

/** Schema of a number that a form carries; empty is none yet. */
export const count = v.pipe(v.string(), v.regex(/^\d{0,12}$/), v.transform(Number));

/**
 * What a form carries.
 * @throws {BadForm}
 */
export function carriedIn<const Entries extends v.ObjectEntries>(
  body: FormBody,
  schema: v.ObjectSchema<Entries, undefined>,
): v.InferOutput<v.ObjectSchema<Entries, undefined>> {
  const given = Object.fromEntries(Object.keys(schema.entries).map((name) => [name, textOf(body, name)]));
  const read = v.safeParse(schema, given);
  if (!read.success) throw new BadForm('The page does not say how far it is.');
  return read.output;
}

/** Values as a form carries them. */
export function carrying(values: Readonly<Record<string, string | number>>): Html {
  return html`${Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

interface Step {
  title: string;
  /** What is said of how far it is. */
  said: Html;
  /** Where the form is sent, and what it carries. */
  address: string;
  values: Readonly<Record<string, string | number>>;
  /** Where it leads to stop. */
  stop: string;
}

/** A page that goes on by itself; without a script, by its button. */
export function goOn({ title, said, address, values, stop }: Step): Html {
  return html`<h1 tabindex="-1" data-focus>${title}</h1>
  <div role="status">${said}</div>
  <form method="post" action="${address}" hx-post="${address}" hx-trigger="load, submit" ${ofForms}>
    ${carrying(values)}
    <div class="buttons"><button data-without-script>Go on</button>
      <a class="button quiet" href="${stop}">Stop here</a></div>
  </form>`;
}
