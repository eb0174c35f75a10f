/** The settings of pages: their rules and meaning. Pages store them as typed; this reads them whenever a page is served. */
import * as v from 'valibot';
import type { ListQuery } from '../domain/list-query.ts';
import type { Page, PageKind } from '../domain/page.ts';
import { tags } from '../domain/testimonial.ts';
import { text } from '../domain/text.ts';
import { readListQuery } from '../list-testimonials/parameters.ts';
import { readPermissions } from '../list-testimonials/read-permissions.ts';
import type { FormTextName } from './form-texts.ts';
import en from './translations/en.json' with { type: 'json' };
import {
  describeSettings,
  language,
  listOf,
  looks,
  readSettings,
  settingNames,
  settingsOf,
  textsNamed,
  type WallSettings,
  wallDefaults,
  wallParameters,
} from './wall-settings.ts';

const link = v.pipe(
  v.string(),
  v.check(
    (value) => /^https?:\/\//i.test(value) && URL.canParse(value),
    'must be a URL like https://www.example.com',
  ),
);

/** Schema of the settings of a form. */
const formSettings = v.object({
  intro: v.exactOptional(text({ min: 1, max: 2000 })),
  consent: v.exactOptional(text({ min: 1, max: 2000 })),
  thanks: v.exactOptional(text({ min: 1, max: 2000 })),
  link: v.exactOptional(link),
  tags: v.optional(
    v.pipe(
      v.string(),
      v.transform((value): unknown => value.split(',').filter((tag) => tag.trim() !== '')),
      tags,
    ),
    '',
  ),
  hide: v.optional(listOf(['stars', 'company']), ''),
  lang: language,
  texts: textsNamed(Object.keys(en.form) as FormTextName[]), // of a constant
});

export type FormSettings = v.InferOutput<typeof formSettings>;

/** The settings of a wall's page, and the list of its testimonials. */
export type WallPageSettings = WallSettings & { query: ListQuery };

/** The permission that walls have. */
export const [, published] = readPermissions;

/**
 * Reads the settings of a form.
 * @throws an error that names the invalid setting and its rule
 */
export function readFormSettings(values: Page['settings']): FormSettings {
  return settingsOf(formSettings, values);
}

/**
 * Reads the settings of a wall's page.
 * @param number of the page of testimonials
 * @throws an error that names the invalid setting and its rule
 */
export function readWallSettings(values: Page['settings'], number = 1): WallPageSettings {
  const parameters = Object.fromEntries(
    wallParameters.map((name) => [name, values[name] ?? wallDefaults[name]]),
  );
  const read = readListQuery(String(new URLSearchParams({ ...parameters, page: String(number) })));
  if ('wrong' in read) throw new Error(Object.entries(read.wrong)[0]?.join(' '));
  const [refusedSort] = published.refuses.sort;
  if (read.query.sort === refusedSort) throw new Error(`sort must not be ${refusedSort} on a wall`);
  const settings = readSettings(Object.fromEntries(settingNames.map((name) => [name, values[name]])));
  return { ...settings, query: published.narrow(read.query) };
}

const aboutLanguage = 'language, such as de; translated are en, de, fr, es and pt';

/** Describes each setting in a line, by kind of page. */
export const pageSettings: Record<PageKind, Record<string, string>> = {
  form: {
    intro: 'invitation above the fields',
    consent: 'sentence that people agree to',
    thanks: 'text after sending',
    link: 'URL that the page after sending links to',
    tags: 'tags of the testimonials, separated by commas',
    hide: 'fields to hide, separated by commas: stars, company',
    lang: aboutLanguage,
    texts: 'other texts of the form, as JSON: {"send":"Submit"}',
  } satisfies Record<keyof FormSettings, string>,
  wall: {
    limit: 'testimonials per page, up to 100',
    rating: 'minimum rating',
    tags: 'testimonials with any of these tags, separated by commas',
    search: 'testimonials with these words',
    type: 'text, video or audio',
    sort: 'createdAt or rating',
    order: 'asc or desc',
    ...describeSettings(),
    lang: aboutLanguage,
  } satisfies Record<keyof typeof wallDefaults | keyof WallSettings, string>,
};

/** The settings with a default value that is not empty, by kind of page. */
export const pageDefaults: Record<PageKind, Readonly<Record<string, string>>> = {
  form: { lang: 'en' },
  wall: { limit: wallDefaults.limit, look: looks[0], lang: 'en', 'own-tags': 'featured' },
};

/**
 * Checks the settings of a page.
 * @returns the settings without empty ones, which have their default
 * @throws an error that names the unknown or invalid setting and its rule
 */
export function checkPageSettings({ kind, settings }: Pick<Page, 'kind' | 'settings'>): Page['settings'] {
  const unknown = Object.keys(settings).find((name) => !Object.hasOwn(pageSettings[kind], name));
  if (unknown !== undefined) {
    const known = Object.keys(pageSettings[kind]).join(', ');
    throw new Error(`${unknown} is not a setting of a ${kind}. Its settings are ${known}`);
  }
  const present = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''));
  if (kind === 'form') readFormSettings(present);
  else readWallSettings(present);
  return present;
}
