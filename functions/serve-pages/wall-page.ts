/** A wall in the form that visitors see, complete without scripts. */
import { html } from 'hono/html';
import type { Brand } from '../domain/brand.ts';
import type { Page } from '../domain/page.ts';
import { filterNames } from '../domain/testimonial-filter.ts';
import { foldLabel } from '../domain/visible-text.ts';
import type { PublishedListBody, PublishedTestimonial } from '../list-testimonials/list-body.ts';
import { listBodyOf } from '../list-testimonials/make-list-body.ts';
import type { PinnedLists } from '../testimonials/pinned-lists.ts';
import { brandOf, linkPreviewOf } from './branding.ts';
import { buttonsOf, cardOf, el, fiveStars, isRow, listOf, type Tree, type WallData } from './browser/view.ts';
import type { PageCode } from './form-page.ts';
import { documentOf, type Html, markupOfTree } from './html-page.ts';
import { published, readWallSettings, type WallPageSettings } from './page-settings.ts';
import { rangeOf, type TextName, type Voice, voiceOf } from './texts.ts';
import { translationOf } from './translations.ts';
import type { WallSettings } from './wall-settings.ts';

export interface ShownWall {
  page: Page;
  brand: Brand;
  settings: WallPageSettings;
  /** Absolute URL of the wall's first page. */
  url: string;
  code: PageCode;
  list: PublishedListBody;
  isPreview?: boolean;
}

/**
 * Reads the settings of a wall and lists its testimonials, the pinned ones first.
 * @param number the number of the page of testimonials
 * @throws an error that names an invalid setting and its rule
 */
export async function loadWall(
  lists: PinnedLists,
  { settings: values, organization }: Page,
  number = 1,
): Promise<Pick<ShownWall, 'settings' | 'list'>> {
  const settings = readWallSettings(values, number);
  const result = await lists.listPinnedFirst(settings.query, settings.pinned);
  return { settings, list: published.show(listBodyOf(settings.query, result), organization) };
}

export function wallPage({
  page: { id, title, settings: values },
  brand,
  settings,
  url,
  code,
  list,
  isPreview,
}: ShownWall): Html {
  const { page: number } = list.pagination;
  const { lang, theme } = settings;
  const voice = voiceOf({ lang, texts: translatedTexts(settings) });
  const [first] = list.testimonials;
  const cards = shownOf(list, settings).map((each) => cardOf(each, voice, settings));
  return documentOf({
    lang,
    title,
    ...code,
    isPreview,
    isScriptFirst: true,
    isIndexed: first !== undefined,
    // The highest card decides the height of a row, so the other cards would move when it arrives.
    ...(isRow(settings.look) && { drawnAfter: 'failed' }),
    ...(theme !== 'auto' && { colorScheme: theme }),
    ...linkPreviewOf({ id }, brand),
    description: first === undefined ? title : `${shortened(first.content)} — ${first.author.name}`,
    url: number === 1 ? url : `${url}?page=${number}`,
    body: html`${markupOfTree(fiveStars)}
    <main>
      <header>${brandOf(brand)}<h1 dir="auto">${title}</h1>
      ${list.pagination.total === 0 ? html`<p class="count">${voice.say('none')}</p>` : countOf(list, settings, voice)}
      ${isPreview && list.pagination.total === 0 && forOwner(values)}</header>
      ${first !== undefined && markupOfTree(listOf(settings, voice, cards))}
      ${markupOfTree(buttonsAndLinks(list, settings, new URL(url).pathname, voice))}
      <p id="failed" class="count" role="status" data-text="${voice.say('failed')}"></p>
    </main>`,
  });
}

/** Returns the data of one page of a wall, for the live element. */
export function wallData({
  brand,
  settings,
  list,
}: Pick<ShownWall, 'brand' | 'settings' | 'list'>): WallData {
  const { look, theme, hide, lang } = settings;
  return {
    ...list,
    testimonials: shownOf(list, settings),
    settings: { look, theme, hide, lang, texts: translatedTexts(settings) },
    ...(brand.accent && { accent: { light: brand.accent.light, dark: brand.accent.dark } }),
  };
}

/** Returns testimonials without the tags that visitors do not see. */
function shownOf({ testimonials }: PublishedListBody, settings: WallSettings): PublishedTestimonial[] {
  const own = settings['own-tags'].map(foldLabel);
  const shown = (tags: readonly string[]) =>
    settings.hide.includes('tags') ? [] : tags.filter((tag) => !own.includes(foldLabel(tag)));
  return testimonials.map((each) => ({ ...each, tags: shown(each.tags) }));
}

/** Returns the texts that replace the English ones. */
function translatedTexts({ lang, texts }: WallSettings): WallSettings['texts'] {
  return { ...translationOf(lang)?.wall, ...texts };
}

/** Tells the owner of an empty wall how to fill it. */
function forOwner(values: Page['settings']): Html {
  const isNarrow = filterNames.some((name) => values[name]);
  return html`<p class="count">Only you see this: approve testimonials in the queue, and they appear here.${
    isNarrow && ' This wall shows only those that match its filters.'
  }</p>`;
}

/**
 * Returns the text that says how many testimonials there are and, on further pages, which of them are shown.
 * The script builds the same text from the attributes once it has added some.
 */
function countOf(
  { testimonials, pagination: { page, limit, total, hasNext } }: PublishedListBody,
  { look, hide, lang }: WallSettings,
  voice: Voice,
): Html {
  const first = (page - 1) * limit + 1;
  const all = voice.say(total === 1 ? 'one' : 'all', { found: total });
  // Without a link to further pages, visitors see only these testimonials.
  const isPart = testimonials.length > 0 && (page > 1 || (hasNext && hide.includes('more')));
  const shown = isPart && rangeOf(first, first + testimonials.length - 1, lang);
  // After the last page, such as after an erasure, the wall says how many testimonials there are.
  const count = shown ? voice.say('some', { shown, found: total }) : all;
  // Hidden if visitors see one card at a time, or have no link to further pages.
  const kind = look === 'single' || hide.includes('more') ? 'visually-hidden' : 'count';
  return html`<p id="count" class="${kind}" role="status" data-from="${first}"
        data-some="${voice.say('some', { found: total })}" data-all="${all}">${count}</p>`;
}

/** The buttons that scroll a row, and links to the other pages. */
function buttonsAndLinks(
  { testimonials, pagination: { page, hasNext } }: PublishedListBody,
  { look, hide }: WallSettings,
  path: string,
  voice: Voice,
): Tree {
  const linkTo = (number: number, name: TextName, rel: string) =>
    el('a', { class: name, rel, href: number === 1 ? path : `?page=${number}` }, voice.say(name));
  if (testimonials.length === 0)
    return el('div', { class: 'buttons' }, page > 1 ? linkTo(1, 'first', 'first') : undefined);
  const { attributes, children } = buttonsOf({ look, hide: ['more'] }, voice);
  const links = hide.includes('more')
    ? []
    : [
        page > 1 ? linkTo(page - 1, 'before', 'prev') : undefined,
        hasNext ? linkTo(page + 1, 'more', 'next') : undefined,
      ];
  return el('div', { ...attributes, id: 'buttons' }, ...children, ...links);
}

/** Returns the beginning of a text, in one line of at most 200 characters. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  if (line.length <= 200) return line;
  const words = /^.{1,200}(?= )/u.exec(line)?.[0] ?? Array.from(line).slice(0, 200).join('');
  return `${words} …`;
}
