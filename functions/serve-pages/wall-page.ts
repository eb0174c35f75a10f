/** A wall as visitors see it: complete without scripts. */
import { html } from 'hono/html';
import type { Page } from '../domain/page.ts';
import type { PublishedListBody } from '../list-testimonials/list-body.ts';
import type { PageCode } from './form-page.ts';
import { documentOf, type Html } from './html-page.ts';
import type { WallPageSettings } from './page-settings.ts';

export interface WallView {
  page: Page;
  settings: WallPageSettings;
  /** Absolute URL of the wall's first page. */
  url: string;
  code: PageCode;
  list: PublishedListBody;
}

/** Returns one page of a wall. */
export function wallPage({ page: { title }, settings: { lang }, url, code }: WallView): Html {
  return documentOf({
    ...{ lang, title, description: title, url, isIndexed: true, ...code },
    body: html`<main><h1>${title}</h1></main>`,
  });
}

/** Returns the data of one page of a wall, for the live element. */
export function wallData({ settings: { query: _, ...settings }, list }: Pick<WallView, 'settings' | 'list'>) {
  return { settings, ...list };
}
