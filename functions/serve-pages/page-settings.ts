/** The settings of pages: their rules and meaning. Pages store them as typed; this reads them whenever a page is served. */
import * as v from 'valibot';
import type { ListQuery } from '../domain/list-query.ts';
import type { Page } from '../domain/page.ts';
import { tags } from '../domain/testimonial.ts';
import { text } from '../domain/text.ts';
import { type ParameterValues, readListQuery } from '../list-testimonials/parameters.ts';
import { readPermissions } from '../list-testimonials/read-permissions.ts';
import { englishFormTexts, type FormTextName } from './translations.ts';
import {
  language,
  listOf,
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
  texts: textsNamed(Object.keys(englishFormTexts()) as FormTextName[]), // of a constant
});

export type FormSettings = v.InferOutput<typeof formSettings>;

/** A wall accepts every list parameter, except those it sets itself. */
export type WallParameters<Values> = Record<Exclude<keyof Values, 'page' | 'status'>, string>;

const defaults: WallParameters<ParameterValues> = wallDefaults;

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
  const parameters = Object.fromEntries(wallParameters.map((name) => [name, values[name] ?? defaults[name]]));
  const read = readListQuery(String(new URLSearchParams({ ...parameters, page: String(number) })));
  if ('wrong' in read) {
    const [[name, rule] = []] = Object.entries(read.wrong);
    throw new Error(`${name} ${rule}`, { cause: name });
  }
  const [refusedSort] = published.refuses.sort;
  if (read.query.sort === refusedSort) {
    throw new Error('sort must be createdAt or rating', { cause: 'sort' });
  }
  const settings = readSettings(Object.fromEntries(settingNames.map((name) => [name, values[name]])));
  return { ...settings, query: published.narrow(read.query) };
}
