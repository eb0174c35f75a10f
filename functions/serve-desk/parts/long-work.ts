/**
 * Work too long for one request. Each response has a form that carries the progress and sends itself to
 * continue.
 */
import { html } from 'hono/html';
import * as v from 'valibot';
import { replacesMain } from './cards.ts';
import { BadForm, type FormBody, fieldText, outOfDateText } from './forms.ts';
import type { Html } from './layout.ts';

/** Schema of a number in a form. An empty value means 0. */
export const progressCount = v.pipe(v.string(), v.regex(/^\d{0,12}$/), v.transform(Number));

/**
 * Reads the progress from a form.
 * @throws {BadForm} if the values are malformed
 */
export function readProgress<const Entries extends v.ObjectEntries>(
  body: FormBody,
  schema: v.ObjectSchema<Entries, undefined>,
): v.InferOutput<v.ObjectSchema<Entries, undefined>> {
  const fields = Object.fromEntries(Object.keys(schema.entries).map((name) => [name, fieldText(body, name)]));
  const { success, output } = v.safeParse(schema, fields);
  if (!success) throw new BadForm(outOfDateText);
  return output;
}

export function hiddenFields(values: Readonly<Record<string, string | number>>): Html {
  return html`${Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

interface Progress {
  title: string;
  message: Html;
  /** The path that continues the work. */
  path: string;
  values: Readonly<Record<string, string | number>>;
  /** The path of the link that stops the work. */
  stopPath: string;
}

/** Shows the progress, and continues. Without JavaScript, a button continues. */
export function progressPage({ title, message, path, values, stopPath }: Progress): Html {
  return html`<h1 tabindex="-1" data-focus>${title}</h1>
  <div role="status">${message}</div>
  <form method="post" action="${path}" hx-post="${path}" hx-trigger="load, submit" hx-replace-url="true" ${replacesMain}>
    ${hiddenFields(values)}
    <div class="buttons"><button data-without-script>Continue</button>
      <a class="button quiet" href="${stopPath}">Stop here</a></div>
  </form>`;
}
