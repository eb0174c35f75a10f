/** The settings of a wall as fields. */
import { html } from 'hono/html';
import { capital } from '../domain/wording.ts';
import { field } from '../serve-desk/parts/filter-form.ts';
import { BadForm } from '../serve-desk/parts/forms.ts';
import type { Html } from '../serve-desk/parts/html.ts';
import { describeSettings, looks, readSettings, type SettingName, type WallSettings } from './settings.ts';

/** Those that people type; the texts of a wall are for whoever writes its page. */
export const typedSettings = ['look', 'hide', 'lang', 'own-tags'] as const satisfies readonly SettingName[];

/**
 * Reads some settings in an address; of several of a name the first, which its field shows.
 * @throws {BadForm} naming the one that cannot be
 */
export function settingsIn(
  search: URLSearchParams,
  names: readonly SettingName[] = typedSettings,
): WallSettings {
  try {
    return readSettings(Object.fromEntries(names.map((name) => [name, search.get(name) ?? undefined])));
  } catch (error) {
    throw new BadForm(error instanceof Error ? `${error.message}.` : String(error));
  }
}

const labels: Record<SettingName, [label: string, example: string]> = {
  title: ['Title', 'What customers say'],
  look: ['Look', ''],
  hide: ['Leave out', 'dates, stars'],
  lang: ['Language', 'de'],
  'own-tags': ['Tags not shown', 'featured'],
  texts: ['Texts', ''],
};

/** A field for each; what it is stands with it. */
export function settingFields(search: URLSearchParams, names: readonly SettingName[] = typedSettings): Html {
  const described = describeSettings();
  return html`${names.map((name) => {
    const [label, hint] = labels[name];
    const options = name === 'look' ? looks : undefined;
    const value = search.get(name) ?? options?.[0] ?? '';
    return field({ id: `wall-${name}`, name, label, value, hint, title: capital(described[name]), options });
  })}`;
}
