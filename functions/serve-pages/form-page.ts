/** A form as people see it: complete without scripts. */
import { html } from 'hono/html';
import type { Page } from '../domain/page.ts';
import type { ErrorDetails } from '../http/api-error.ts';
import { documentOf, type Html } from './html-page.ts';
import type { FormSettings } from './page-settings.ts';

/** Why a form is shown again; each has a text for its title and one for its explanation. */
export type FormNotice = 'invalid' | 'used' | 'again' | 'busy' | 'failed';

/** The style sheet and the script of a page. */
export interface PageCode {
  style: string;
  script: string;
}

export interface FormView {
  page: Page;
  settings: FormSettings;
  /** Absolute URL of the form. */
  url: string;
  code: PageCode;
  /** Names the submission, so that it creates one testimonial however often it is sent. */
  key: string;
  /** When the form was first shown, in milliseconds since the epoch. */
  shownAt: number;
  /** The fields as typed, by the names that the API's `details` use, and `consent`. */
  typed?: URLSearchParams;
  /** The broken rule of each field, in the API's words. */
  errors?: ErrorDetails;
  notice?: FormNotice;
}

/** Returns a form. */
export function formPage({
  page: { title },
  settings: { lang, intro = '' },
  url,
  code,
  key,
  shownAt,
}: FormView): Html {
  return documentOf({
    ...{ lang, title, description: intro, url, isIndexed: false, ...code },
    body: html`<main><h1>${title}</h1><form method="post" action="${new URL(url).pathname}">
      <input type="hidden" name="key" value="${key}"><input type="hidden" name="shownAt" value="${shownAt}"></form></main>`,
  });
}

/** Returns the page after sending. */
export function thanksPage({
  page: { title },
  settings: { lang, thanks = '' },
  url,
  code,
}: Pick<FormView, 'page' | 'settings' | 'url' | 'code'>): Html {
  return documentOf({
    ...{ lang, title, description: title, url, isIndexed: false, ...code },
    body: html`<main><h1>${thanks}</h1></main>`,
  });
}
