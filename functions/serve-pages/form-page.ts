/** A form in the form that people see, complete without scripts. */
import { html, raw } from 'hono/html';
import type { Brand } from '../domain/brand.ts';
import type { Page } from '../domain/page.ts';
import { limits } from '../domain/testimonial.ts';
import type { ErrorDetails } from '../http/api-error.ts';
import { brandOf, linkPreviewOf } from './branding.ts';
import { attachedMedia, photoButton, recorder } from './form-media.ts';
import { documentOf, type Html } from './html-page.ts';
import { type MediaText, mediaTexts } from './media-texts.ts';
import type { FormSettings } from './page-settings.ts';
import { type FormTextName, type FormVoice, formVoice } from './translations.ts';

/** The value that the checked consent checkbox sends. No other value is consent. */
export const agreed = 'yes';

/**
 * The name of the text that explains why a photo or a recording was refused. `media` says that it did not
 * arrive.
 */
export type RefusedText = MediaText | 'media';

/** The reasons for showing a form again. Each has a text for its title and a text for its explanation. */
type FormNotice =
  | 'invalid'
  | 'used'
  | 'sendAgain'
  | 'filled'
  | 'busy'
  | 'full'
  | 'failed'
  | 'tooLarge'
  | 'media';

/** The style sheet and the script of a page. */
export interface PageCode {
  style: string;
  script: string;
}

/** Identifies one submission of a form, however often it is sent. */
export interface SubmissionKey {
  key: string;
  /**
   * When the form was first shown, in milliseconds since 1970. Backdated if it already has text, so that
   * resending immediately does not count as a robot.
   */
  shownAt: number;
}

export interface ShownForm extends SubmissionKey {
  page: Page;
  brand: Brand;
  settings: FormSettings;
  /** Absolute URL of the form. */
  url: string;
  code: PageCode;
  /** The fields as typed, by the names in the API's `details`, and `consent`. */
  typed?: URLSearchParams;
  /** The broken rule of each field, in the API's words. */
  errors?: ErrorDetails;
  notice?: FormNotice;
  /**
   * The name of the text that explains why a photo or a recording was refused; set with the notice `media`.
   */
  refused?: RefusedText;
  /** True if the next submission is accepted even if a program fills the hidden field. */
  isAcceptedNext?: boolean;
  isPreview?: boolean;
}

interface Field {
  /** The name of the text of its label. */
  label: FormTextName;
  hint?: FormTextName;
  /** The name of the text that asks for the field when it is missing. */
  missing?: FormTextName;
  isOptional?: boolean;
  length?: { min: number; max: number };
  /** Attributes of its `input` element. */
  input?: string;
  /** The part of a page that the setting `hide` names. */
  part?: FormSettings['hide'][number];
}

/** The fields by name, in their order on the page. */
const fields = {
  rating: { label: 'rating', isOptional: true, part: 'stars' },
  content: { label: 'content', hint: 'contentHint', missing: 'contentRequired', length: limits.content },
  'author.name': {
    label: 'name',
    hint: 'nameHint',
    missing: 'nameRequired',
    length: limits.authorText,
    input: 'type="text" autocomplete="name"',
  },
  'author.role': {
    label: 'role',
    hint: 'roleHint',
    length: limits.authorText,
    isOptional: true,
    part: 'role',
    input: 'type="text" autocomplete="organization-title"',
  },
  'author.company': {
    label: 'company',
    hint: 'companyHint',
    length: limits.authorText,
    isOptional: true,
    part: 'company',
    input: 'type="text" autocomplete="organization"',
  },
  'author.email': {
    label: 'email',
    hint: 'emailHint',
    missing: 'emailRequired',
    input: 'type="email" autocomplete="email"',
  },
  consent: { label: 'consent' },
} as const satisfies Record<string, Field>;

type FieldName = keyof typeof fields;

/** Returns the fields that people see. */
export function shownFields({ hide }: Pick<FormSettings, 'hide'>): FieldName[] {
  const names = Object.keys(fields) as FieldName[]; // of a constant
  return names.filter((name) => {
    const { part }: Field = fields[name];
    return part === undefined || !hide.includes(part);
  });
}

/** The texts that the script shows. */
const scriptTexts = [
  'sending',
  'left',
  'tooMany',
  'required',
  'emailRule',
  'consentRule',
  'invalidTitle',
  'invalid',
] as const;

export function formPage(form: ShownForm): Html {
  const {
    page,
    brand,
    settings,
    url,
    code,
    key,
    shownAt,
    typed = new URLSearchParams(),
    notice,
    refused,
    isAcceptedNext,
    isPreview,
  } = form;
  const { lang, intro, ask } = settings;
  const say = formVoice(settings);
  const errors = messagesOf(form, say);
  const shown = shownFields(settings);
  const title = notice ? `${headingOf(notice, say)} – ${page.title}` : page.title;
  const explanation = refused ? `${say(refused)} ${say('sendAgain')}` : notice && say(notice);
  const named = [...scriptTexts, ...(ask.length > 0 ? mediaTexts : [])];
  const texts = named.map((name) => html` data-${kebabCase(name)}="${say(name)}"`);
  const fieldOf = (name: FieldName) =>
    shown.includes(name) && field(name, typed.get(name) ?? '', errors.get(name) ?? '', say);
  // The query keeps the form in the browser's cache. A POST to the form's own URL would remove it from the
  // cache, and going back would make a new key.
  return documentOf({
    lang,
    title,
    description: intro ?? say('contentHint'),
    url,
    isIndexed: false,
    ...code,
    isPreview,
    ...linkPreviewOf(page, brand),
    body: html`<main><form method="post" action="${new URL(url).pathname}?sent" novalidate
      data-page="${page.id}"${typed.size > 0 && raw(' data-typed')}${texts}>
      ${brandOf(brand)}
      <h1>${page.title}</h1>
      ${intro !== undefined && html`<p class="intro">${linked(intro)}</p>`}
      ${summary(shown, errors, say, notice && { heading: headingOf(notice, say), explanation })}
      <input type="hidden" name="key" value="${key}" autocomplete="off">
      <input type="hidden" name="shownAt" value="${shownAt}" autocomplete="off">
      ${isAcceptedNext && html`<input type="hidden" name="again" value="yes" autocomplete="off">`}
      ${fieldOf('rating')}${recorder(ask, say)}${fieldOf('content')}
      <div role="group" aria-labelledby="author.name-hint">
        ${fieldOf('author.name')}<div class="beside">${fieldOf('author.role')}${fieldOf('author.company')}</div>${photoButton(ask, say)}
      </div>
      ${fieldOf('author.email')}${fieldOf('consent')}${ask.length > 0 && attachedMedia(typed, key)}
      <div class="subject" aria-hidden="true"><label>Subject <input name="subject" tabindex="-1" autocomplete="off"></label></div>
      <button class="send" autocomplete="off">${say('send')}</button>
    </form>
    <div class="restored" role="status" hidden><span>${say('restored')}</span>
      <button type="button">${say('discard')}</button></div></main>`,
  });
}

/** Returns the page after sending. The script discards the draft of the page named by `data-sent`. */
export function thanksPage({
  page,
  brand,
  settings,
  url,
  code,
}: Pick<ShownForm, 'page' | 'brand' | 'settings' | 'url' | 'code'>): Html {
  const { lang, link } = settings;
  const say = formVoice(settings);
  const title = say('thanksTitle');
  return documentOf({
    lang,
    title,
    description: page.title,
    url,
    isIndexed: false,
    ...code,
    ...linkPreviewOf(page, brand),
    body: html`<main class="thanks" data-sent="${page.id}">
      ${brandOf(brand)}
      <svg viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22"/><path d="M15 25l6.5 6.5L34 18"/></svg>
      <h1>${title}</h1>
      <p class="intro">${linked(say('thanks'))}</p>
      ${link !== undefined && html`<a class="send" href="${link}" target="_top">${say('link')}</a>`}</main>`,
  });
}

/** Returns the name of an attribute, which scripts read under its name in camel case. */
function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function headingOf(notice: FormNotice, say: FormVoice): string {
  return say(`${notice}Title`, { send: say('send') });
}

/** Returns a text with links for the URLs in it, such as the URL of a privacy policy. */
function linked(text: string): Html {
  const parts = text.split(/(https?:\/\/\S*[^\s.,;:!?)])/);
  return html`${parts.map((part, i) => (i % 2 === 0 ? part : html`<a href="${part}" target="_blank">${part}</a>`))}`;
}

/**
 * Returns the message for each broken rule: a translation if the rule is common, otherwise the API's words.
 */
function messagesOf({ errors = {}, typed }: ShownForm, say: FormVoice): Map<string, string> {
  return new Map(
    Object.entries(errors).map(([name, rule]) => {
      const isField = Object.hasOwn(fields, name);
      const { length, missing = 'required' }: Partial<Field> = isField ? fields[name as FieldName] : {};
      if (name === 'consent') return [name, say('consentRule')];
      // An optional field is left out when it is blank.
      const isMissing = isField && !typed?.get(name)?.trim();
      if (isMissing || rule === 'is required') return [name, say(missing)];
      if (length && /^must have \S+ to \S+ (?:visible )?characters\b/.test(rule))
        return [name, say('length', length)];
      return [name, name === 'author.email' && rule.includes('e-mail address') ? say('emailRule') : rule];
    }),
  );
}

/**
 * Returns the reason for showing the form again, with a link to each field in error. `autofocus` moves to it
 * without scripts. Without a reason it is hidden, and the script can show it.
 */
function summary(
  shown: FieldName[],
  errors: Map<string, string>,
  say: FormVoice,
  reason?: { heading: string; explanation?: string | undefined },
): Html {
  const isShown = (name: string): name is FieldName => shown.some((each) => each === name);
  const item = (name: string) => {
    if (!isShown(name)) return html`<li>${name} – ${errors.get(name)}</li>`;
    const { label, missing = 'required' }: Field = fields[name];
    const error = errors.get(name) ?? '';
    // A text of its own names the field.
    const isNamed = name === 'consent' || (error === say(missing) && error !== say('required'));
    return html`<li><a href="#${name}">${!isNamed && `${say(label)} – `}${error}</a></li>`;
  };
  const names = [
    ...shown.filter((name) => errors.has(name)),
    ...[...errors.keys()].filter((name) => !isShown(name)),
  ];
  return html`<section class="summary" role="alert" aria-labelledby="summary" tabindex="-1" ${raw(reason ? 'autofocus' : 'hidden')}>
        <h2 id="summary">${reason?.heading}</h2>
        <p>${reason?.explanation}</p>
        <ul>${names.map(item)}</ul>
      </section>`;
}

/** Returns a field with its label, hint, error and typed value. */
function field(name: FieldName, value: string, error: string, say: FormVoice): Html {
  const { label, hint: hintName, missing = 'required', length, isOptional, input }: Field = fields[name];
  const hint = hintName && say(hintName);
  const heading = html`<span>${say(label)}</span>${isOptional && html` <span class="quiet">(${say('optional')})</span>`}`;
  const message = html`<p class="error" id="${name}-error">${error}</p>`;
  const described = `${hint ? `${name}-hint ` : ''}${name}-error`;
  const state = html`aria-describedby="${described}"${error && raw(' aria-invalid="true"')}`;
  if (name === 'rating') return rating(html`<legend>${heading}</legend>${message}`, value, state, say);
  const control = html`id="${name}" name="${name}"${!isOptional && raw(' required')} ${state}`;
  if (name === 'consent') {
    return html`<div class="field">${message}<label class="choice"><input type="checkbox" value="${agreed}" ${control}${
      value === agreed && raw(' checked')
    }> <span>${linked(say(label))}</span></label></div>`;
  }
  const limit =
    length && html` data-min="${length.min}" data-max="${length.max}" data-length="${say('length', length)}"`;
  // Browsers ignore the line break after <textarea ...>.
  const rules = html`${!isOptional && html` data-required="${say(missing)}"`}${limit}`;
  return html`<div class="field"><label for="${name}">${heading}</label>
        ${hint && html`<p class="quiet" id="${name}-hint">${hint}</p>`}${message}
        ${
          input
            ? html`<input ${raw(input)} dir="auto" ${control}${rules} value="${value}">`
            : html`<textarea rows="6" dir="auto" ${control}${rules}>\n${value}</textarea>`
        }
        <p class="count" aria-live="polite"></p></div>`;
}

const star =
  raw(`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2.8l2.8 5.9 6.4.8-4.7 4.5 1.2 6.4-5.7-3.1-5.7 3.1
  1.2-6.4L2.8 9.5l6.4-.8z"/></svg>`);

/** Returns the stars as radio buttons. The last button means no rating. */
function rating(legend: Html, value: string, state: Html, say: FormVoice): Html {
  const radio = (count: string) =>
    html`<input type="radio" name="rating" value="${count}"${value === count && raw(' checked')}${count === '1' && raw(' id="rating"')}>`;
  const counts = Array.from({ length: limits.rating.max }, (_, i) => i + 1);
  const label = (count: number) =>
    html`<label class="star">${radio(String(count))}${star}<span class="spoken">${say('stars', { count })}</span></label>`;
  return html`<fieldset class="field" role="radiogroup" ${state}>${legend}
        <div class="stars">${counts.map(label)}<label class="no-rating">${radio('')} <span>${say('noRating')}</span></label></div>
      </fieldset>`;
}
