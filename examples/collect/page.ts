/** The pages that people see, with their texts. They work without scripts. */
import { randomUUID } from 'node:crypto';

const field = (label: string, hint: string, optional = false) => ({ label, hint, optional });

/** The fields of the form, by the names that the API's `details` use. */
const fields = {
  content: field('Your testimonial', 'A few sentences about what we did for you.'),
  rating: field('Your rating', 'Five stars are the best.', true),
  'author.name': field('Your name', 'Shown with your testimonial.'),
  'author.email': field('Your e-mail address', 'Never shown.'),
  'author.company': field('Your company', 'Shown with your name.', true),
};

export type Field = keyof typeof fields;

/** A piece of a page. Only `html` makes one, and it escapes every text. */
interface Html {
  markup: string;
}

function html(parts: TemplateStringsArray, ...values: (string | Html | Html[])[]): Html {
  return { markup: String.raw({ raw: parts }, ...values.map(markupOf)) };
}

function markupOf(value: string | Html | Html[]): string {
  if (Array.isArray(value)) return value.map(markupOf).join('');
  return typeof value === 'object'
    ? value.markup
    : value.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const nothing = html``;

interface Notice {
  title: string;
  text: string;
}

/** The reasons to show the form again. */
export const notices = {
  invalid: { title: 'Please look at this again', text: 'Nothing was sent yet.' },
  notSent: {
    title: 'Your testimonial could not be sent',
    text: 'What you wrote is still here. Please send it again in a moment; it arrives only once.',
  },
  alreadySent: {
    title: 'You have already sent this form',
    text: 'It arrived as you wrote it first. Send it again only if you want to give us this text as well.',
  },
  forgotten: { title: 'Please write it again', text: 'What you wrote is no longer here.' },
  incomplete: { title: 'Your testimonial was not sent', text: 'Please send it once more.' },
  tooLarge: { title: 'Your testimonial is too long', text: 'Please go back and make it shorter.' },
} satisfies Record<string, Notice>;

export interface View {
  /** The typed values. */
  form?: URLSearchParams;
  /** The Idempotency-Key of the form. */
  key?: string;
  notice?: Notice;
  /** The errors by field, as in the API's `details`. */
  errors?: Record<string, string>;
}

/** Returns the form. A new one has its own key. */
export function formPage({
  form = new URLSearchParams(),
  key = randomUUID(),
  notice,
  errors = {},
}: View): string {
  const about = (name: Field) => aboutField(name, errors);
  const typed = (name: Field) => form.get(name) ?? '';
  const input = (name: Field, type: string, autocomplete: string) => {
    const { label, explanation, state } = about(name);
    return html`<div class="field">
        <label for="${name}">${label}</label>
        ${explanation}
        <input id="${name}" name="${name}" type="${type}" value="${typed(name)}" autocomplete="${autocomplete}" ${state}>
      </div>`;
  };
  const content = about('content');
  const rating = about('rating');
  const radio = (value: string) =>
    html`type="radio" name="rating" value="${value}"${typed('rating') === value ? html` checked` : nothing}`;
  const star = (value: string) => html`
          <label class="star"><input ${radio(value)}><span aria-hidden="true"></span>
            <span class="spoken">${value} of 5 stars</span></label>`;

  // The API checks the rules and reports all errors together, so browsers do not check (`novalidate`).
  // Browsers ignore the line break after <textarea ...>.
  return page(
    `${notice ? `${notice.title} – ` : ''}Share your experience`,
    html`<h1>Share your experience</h1>
    ${notice ? summary(notice, errors) : nothing}
    <form method="post" action="/send" novalidate>
      <input type="hidden" name="key" value="${key}">
      <div class="field">
        <label for="content">${content.label}</label>
        ${content.explanation}
        <textarea id="content" name="content" rows="6" ${content.state}>
${typed('content')}</textarea>
      </div>
      <fieldset class="field" role="radiogroup" ${rating.state}>
        <legend>${rating.label}</legend>
        ${rating.explanation}
        <div class="stars">
          <label><input id="rating" ${radio('')}> None</label>${['1', '2', '3', '4', '5'].map(star)}
        </div>
      </fieldset>
      ${input('author.name', 'text', 'name')}
      ${input('author.email', 'email', 'email')}
      ${input('author.company', 'text', 'organization')}
      <p id="consent">By sending this you allow us to publish your words with your rating, name and company. Your
        e-mail address is not published. You can withdraw this at any time by writing to us.</p>
      <button aria-describedby="consent">Send</button>
    </form>`,
  );
}

/** Returns the label, the hint and the error of a field, and the attributes that connect them. */
function aboutField(name: Field, errors: Record<string, string>) {
  const { label, hint, optional } = fields[name];
  return {
    label: html`${label}${optional ? html` <span class="optional">(optional)</span>` : nothing}`,
    explanation: html`<p class="hint" id="${name}-hint">${hint}</p>
        <p class="error" id="${name}-error">${sentence(name, errors)}</p>`,
    state: html`aria-describedby="${name}-hint ${name}-error" aria-invalid="${String(name in errors)}"${
      optional ? nothing : html` required`
    }`,
  };
}

const isField = (name: string): name is Field => Object.hasOwn(fields, name);

/** Returns the error of a field: "Your testimonial must have …". */
function sentence(name: string, errors: Record<string, string>): string {
  return name in errors ? `${isField(name) ? fields[name].label : name} ${errors[name]}.` : '';
}

/** Returns the reason for showing the form again, with a link to each field. `autofocus` moves to it without scripts. */
function summary({ title, text }: Notice, errors: Record<string, string>): Html {
  const inOrder = [
    ...Object.keys(fields).filter((name) => name in errors),
    ...Object.keys(errors).filter((name) => !isField(name)),
  ];
  const item = (name: string) =>
    html`<li>${isField(name) ? html`<a href="#${name}">${sentence(name, errors)}</a>` : sentence(name, errors)}</li>`;
  return html`<section class="summary" aria-labelledby="summary" tabindex="-1" autofocus>
      <h2 id="summary">${title}</h2>
      <p>${text}</p>
      ${inOrder.length > 0 ? html`<ul>${inOrder.map(item)}</ul>` : nothing}
    </section>`;
}

export const thanksPage = page(
  'Thank you',
  html`<h1>Thank you</h1>
    <p>Your testimonial has arrived. We read each one before we publish it.</p>
    <p><a href="/">Write another one</a></p>`,
);

export const notFoundPage = page(
  'Not found',
  html`<h1>There is nothing here</h1>
    <p><a href="/">Share your experience</a></p>`,
);

function page(title: string, main: Html): string {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="stylesheet" href="/collect.css">
  </head>
  <body>
    <main>
    ${main}
    </main>
  </body>
</html>
`.markup;
}
