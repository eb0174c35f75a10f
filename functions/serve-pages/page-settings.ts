/**
 * The settings of pages: their rules and meaning. Pages store them as typed, and this module reads them
 * whenever a page is served.
 */
import * as v from 'valibot';
import type { ListQuery } from '../domain/list-query.ts';
import type { Page } from '../domain/page.ts';
import { tags } from '../domain/testimonial.ts';
import { text } from '../domain/text.ts';
import { isBlank } from '../domain/visible-text.ts';
import { type ParameterValues, readListQuery } from '../list-testimonials/parameters.ts';
import { readPermissions } from '../list-testimonials/read-permissions.ts';
import { englishFormTexts, type FormTextName } from './translations.ts';
import {
  language,
  readSettings,
  settingsReader,
  textsNamed,
  type WallSettings,
  wallDefaults,
  wallParameters,
  wordListReader,
} from './wall-settings.ts';

/** Returns the reader of a text that may be absent. */
const optional = (schema: v.GenericSchema<unknown, string>) => (typed?: string) =>
  typed === undefined ? undefined : v.parse(schema, typed);
const longText = optional(text({ min: 1, max: 2000 }));

const link = v.pipe(
  v.string(),
  v.check(
    (value) => /^https?:\/\//i.test(value) && URL.canParse(value),
    'must be a URL like https://www.example.com',
  ),
);

/**
 * Reads the settings of a form.
 * @throws an error that names the invalid setting and its rule
 */
export const readFormSettings = settingsReader({
  intro: longText,
  consent: longText,
  thanks: longText,
  link: optional(link),
  'link-text': longText,
  tags: (typed = '') =>
    v.parse(
      tags,
      typed.split(',').filter((tag) => !isBlank(tag)),
    ),
  hide: wordListReader(['stars', 'role', 'company']),
  ask: wordListReader(['photo', 'video', 'audio']),
  lang: language,
  texts: textsNamed(Object.keys(englishFormTexts()) as FormTextName[]), // of a constant
});

export type FormSettings = ReturnType<typeof readFormSettings>;

/** A wall accepts every list parameter, except those that it sets itself. */
export type WallParameters<Values> = Record<Exclude<keyof Values, 'page' | 'status'>, string>;

const defaults: WallParameters<ParameterValues> = wallDefaults;

/** The settings of a wall's page, and the list of its testimonials. */
export type WallPageSettings = WallSettings & { query: ListQuery };

/** The permission that walls have. */
export const [, published] = readPermissions;

/**
 * Reads the settings of a wall's page.
 * @param number the number of the page of testimonials
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
  return { ...readSettings(values), query: published.restrict(read.query) };
}
