/** Creates pages for their owners, and the markup that shows the pages on a website. */
import { html, raw } from 'hono/html';
import * as v from 'valibot';
import type { OrganizationStore } from '../accounts/organization-store.ts';
import type { PageStore } from '../accounts/page-store.ts';
import type { RandomInt } from '../domain/base62.ts';
import type { Brand } from '../domain/brand.ts';
import { makeRandomId, type Page, type PageKind, pathOfPage, pinnedBy } from '../domain/page.ts';
import { tags } from '../domain/testimonial.ts';
import { isTestimonialId } from '../domain/testimonial-id.ts';
import { codePoints } from '../domain/text.ts';
import { isRow } from './browser/view.ts';
import settings from './page-settings.json' with { type: 'json' };
import {
  type FormSettings,
  readFormSettings,
  readWallSettings,
  type WallPageSettings,
} from './page-settings.ts';
import { englishFormTexts, formVoice, translationOf } from './translations.ts';
import {
  isLanguage,
  maxPinned,
  type SettingName,
  type WallParameter,
  wallDefaults,
} from './wall-settings.ts';
import wallTexts from './wall-texts.json' with { type: 'json' };

/**
 * Creates a page, and stores the name of its organization.
 * @throws an error that names an unknown or invalid setting, before anything is stored
 */
export async function createPage(
  {
    pages,
    organizations,
    now,
    randomInt,
  }: {
    pages: Pick<PageStore, 'add'>;
    organizations: Pick<OrganizationStore, 'add'>;
    now: () => Date;
    randomInt: RandomInt;
  },
  fields: Omit<Page, 'id' | 'createdAt'>,
): Promise<Page> {
  const settings = checkPageSettings(fields);
  const page = { ...fields, settings, id: makeRandomId(randomInt), createdAt: now().toISOString() };
  await organizations.add(page.organization);
  await pages.add(page);
  return page;
}

/**
 * Changes the title or settings of a page. If someone else changes its pinned testimonials in the meantime,
 * applies the change again to the new state of the page, so that no pin is lost.
 * @param change returns the page after the change; an error that it throws ends the edit
 * @returns the page after the change, or undefined if it does not exist
 */
export async function editPage(
  pages: Pick<PageStore, 'find' | 'replace'>,
  { id, organization }: Pick<Page, 'id' | 'organization'>,
  change: (current: Page) => Page,
): Promise<Page | undefined> {
  for (;;) {
    const current = await pages.find(id);
    if (current?.organization !== organization) return undefined;
    const changed = change(current);
    if (await pages.replace(changed, current)) return changed;
  }
}

/** Returns a page with the pinned testimonials of other settings. */
export function withPins(page: Page, { pinned }: Page['settings']): Page {
  const { pinned: _, ...settings } = page.settings;
  return { ...page, settings: { ...settings, ...(pinned && { pinned }) } };
}

/** Returns the ids that a wall pins, without the invalid ones. */
export function validPins(wall: Pick<Page, 'settings'>): string[] {
  return [...new Set(pinnedBy(wall).filter(isTestimonialId))].slice(0, maxPinned);
}

// Heights in pixels, the largest of any width and translation: a form without an introduction, and the fields
// that can be hidden.
const formHeight = 1300;
const heights = { stars: 100, role: 90, company: 90 };
const recorderHeight = 280;
const photoHeight = 78;
// The height of a logo with the gaps around it, and of one line of a name.
const brandHeights = { logo: 76, line: 48 };

/** True if a form asks for video or audio. */
const isRecording = (ask: readonly string[]) => ask.some((each) => each !== 'photo');

/** Returns the height in pixels that a form needs at any width. */
function heightOfForm({ title, settings }: Page, { name = '', logo }: Brand): number {
  // The owner may be typing an invalid setting.
  const { ask, hide, intro = '', consent = '' } = readFormSettings(settings, () => {});
  const hidden = [...new Set(hide)].reduce((sum, part) => sum + heights[part], 0);
  // The form above has a title of two lines and a consent of five lines.
  const titleLines = Math.max(0, lineCountOf(title, 17) - 2);
  const lines = lineCountOf(intro, 26) + Math.max(0, lineCountOf(consent, 30) - 5);
  const ofBrand = (logo ? brandHeights.logo : 0) + brandHeights.line * lineCountOf(name, 20);
  const ofMedia = (isRecording(ask) ? recorderHeight : 0) + (ask.includes('photo') ? photoHeight : 0);
  // The consent to media is longer.
  const ofConsent = ask.length > 0 ? 26 : 0;
  return formHeight - hidden + ofMedia + ofConsent + ofBrand + 41 * titleLines + 26 * lines;
}

// In pixels: a card of ordinary length with the gap below it, the buttons, and the height at which most walls
// are cut off.
const [card, buttons, most] = [270, 72, 704];

/**
 * Returns the height that the cards of a wall need, as CSS. Reserved, it prevents the page from shifting when
 * they arrive. In columns, it decreases with the width of the nearest container around the wall, or of the
 * window.
 */
export function reservedHeight({ look, limit = '' }: Readonly<Record<string, string>>): string {
  if (isRow(look)) return '380px';
  const all = buttons + card * +(/^\d+$/.exec(limit) ? limit : wallDefaults.limit);
  if (look === 'list') return `${Math.min(most, all)}px`;
  return `clamp(${buttons + card}px, ${all + card}px - 86cqi, ${most}px)`;
}

/** Returns the number of lines of a text on a small phone. */
function lineCountOf(text: string, lettersPerLine: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / lettersPerLine), 0);
}

/**
 * Returns the URL of a page and the markup that shows it on a website: an element and an iframe. Both reserve
 * a size, so that nothing on the website moves.
 * @param serviceUrl the URL of the deployment, without a slash at its end
 * @param brand the brand, which makes a form higher
 */
export function linksOf(page: Page, serviceUrl: string, brand: Brand = {}) {
  const url = serviceUrl + pathOfPage(page);
  const title = page.title.replace(/\s+/g, ' ');
  const isForm = page.kind === 'form';
  const mayRecord = isForm && isRecording(readFormSettings(page.settings, () => {}).ask);
  const height = isForm ? heightOfForm(page, brand) : 900;
  const tag = raw(`testimonials-${page.kind}`);
  const reserved = isForm ? `${height}px` : reservedHeight(page.settings);
  const snippet = html`<script type="module" src="${serviceUrl}/embed.js"></script>
<${tag} page="${page.id}" style="display: block; width: 100%; min-height: ${reserved}">${
    isForm && html`<a href="${url}">${title}</a>`
  }</${tag}>`;
  const iframe = html`<iframe src="${url}" title="${title}" width="100%" height="${height}" style="border: 0" loading="lazy"${mayRecord && raw(' allow="camera; microphone"')}></iframe>`;
  return { url, snippet: String(snippet), iframe: String(iframe) };
}

/** A setting, as the owner of the page sees it. */
export interface PageSetting {
  /** The subheading above it. Settings of a group are consecutive. */
  group: string;
  label: string;
  /** A description in one line. */
  meaning: string;
  /** The values to choose from. An empty value is the default. */
  options?: string[];
  /** The parts that can be hidden, with their labels. */
  parts?: Record<string, string>;
  /** The values that a list can have, with their labels. */
  choices?: Record<string, string>;
  /** True for a text of several lines. */
  isLong?: boolean;
}

/** The settings by kind of page, in the order of forms that edit them. */
export const pageSettings: Record<PageKind, Record<string, PageSetting>> = settings satisfies {
  form: Record<keyof FormSettings, PageSetting>;
  wall: Record<WallParameter | SettingName, PageSetting>;
};

/**
 * Returns the texts of a kind of page in a language, by name.
 * @param ask the media that a form asks for, which its consent names
 */
export function defaultTexts(
  kind: PageKind,
  lang = 'en',
  ask: FormSettings['ask'] = [],
): Record<string, string> {
  const english = kind === 'form' ? englishFormTexts() : wallTexts;
  const texts = { ...english, ...(isLanguage(lang) && translationOf(lang)?.[kind]) };
  if (ask.length === 0 || !isLanguage(lang)) return texts;
  return { ...texts, consent: formVoice({ lang, texts: {}, ask })('consent') };
}

/** The settings with a default value that is not empty, by kind of page. */
export const pageDefaults: Record<PageKind, Readonly<Record<string, string>>> = {
  form: { lang: 'en' },
  wall: {
    limit: wallDefaults.limit,
    sort: 'createdAt',
    order: 'desc',
    look: 'columns',
    theme: 'auto',
    lang: 'en',
    'own-tags': 'featured',
  },
};

/**
 * Reads the settings of a page.
 * @throws an error that names the invalid setting and its rule; its `cause` is the name
 */
export function readPageSettings({ kind, settings }: Pick<Page, 'kind' | 'settings'>) {
  return kind === 'form' ? readFormSettings(settings) : readWallSettings(settings);
}

/**
 * Checks the settings of a page.
 * @param stored the stored settings; values under unknown names, which another version stored, stay
 * @returns the settings without empty ones, for which the defaults apply
 * @throws an error that names the unknown or invalid setting and its rule
 */
export function checkPageSettings(
  { kind, settings }: Pick<Page, 'kind' | 'settings'>,
  stored: Page['settings'] = {},
): Page['settings'] {
  const isKnown = (name: string) => Object.hasOwn(pageSettings[kind], name);
  const unknown = Object.keys(settings).find((name) => !isKnown(name) && settings[name] !== stored[name]);
  if (unknown !== undefined) {
    const known = Object.keys(pageSettings[kind]).join(', ');
    throw new Error(`${unknown} is not a setting of a ${kind}. Its settings are ${known}`);
  }
  const present = Object.entries(settings).filter(([, value]) => value !== '');
  const known = Object.fromEntries(present.filter(([name]) => isKnown(name)));
  checkLimits(known, readPageSettings({ kind, settings: known }));
  return Object.fromEntries(present);
}

const maxLength = 2000;
const maxLanguageLength = 35;
const maxBytes = 32 * 1024;

/**
 * Checks the limits of settings that are saved. Settings that were stored before the limits are still served.
 * @param settings the settings as typed
 * @throws an error that names a setting beyond its limit
 */
function checkLimits(settings: Page['settings'], read: FormSettings | WallPageSettings): void {
  const { texts: _, ...single } = settings;
  for (const [name, value] of Object.entries(single)) {
    refuseLonger(name, value, name === 'lang' ? maxLanguageLength : maxLength);
  }
  for (const [name, value] of Object.entries(read.texts))
    refuseLonger('texts', value, maxLength, ` in “${name}”`);
  const { username, password } = URL.parse(settings.link ?? '') ?? {};
  if (username || password) refuse('link', 'must not contain a user name or password');
  const malformed = 'pinned' in read && read.pinned.find((id) => !isTestimonialId(id));
  if (malformed) refuse('pinned', `must only contain ids of testimonials; ${malformed} is not one`);
  const wrongTags = 'own-tags' in read && v.safeParse(tags, read['own-tags']).issues;
  if (wrongTags) refuse('own-tags', wrongTags[0].message);
  const size = Buffer.byteLength(JSON.stringify(settings));
  if (size > maxBytes)
    refuse('texts', `and all other settings must have at most ${maxBytes / 1024} KB together`);
}

function refuseLonger(name: string, value: string, max: number, where = ''): void {
  if (codePoints(value) > max)
    refuse(name, `must have at most ${max.toLocaleString('en')} characters${where}`);
}

function refuse(name: string, rule: string): never {
  throw new Error(`${name} ${rule}`, { cause: name });
}
