/** The settings of a wall as form fields. */
import { html } from 'hono/html';
import { capital } from '../domain/wording.ts';
import { field } from '../serve-desk/parts/filter-form.ts';
import { BadForm } from '../serve-desk/parts/forms.ts';
import type { Html } from '../serve-desk/parts/layout.ts';
import { describeSettings, looks, readSettings, type SettingName, type WallSettings } from './settings.ts';

/** The settings with a form field. */
export const typedSettings = ['look', 'hide', 'lang', 'own-tags'] as const satisfies readonly SettingName[];

/**
 * Reads settings from a query. If a parameter is repeated, the first value counts, as in its field.
 * @throws {BadForm} naming the invalid setting
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
  look: ['Layout', ''],
  hide: ['Hide', 'dates, stars'],
  lang: ['Language', 'de'],
  'own-tags': ['Internal tags', 'featured'],
  texts: ['Texts', ''],
};

export function settingFields(search: URLSearchParams, names: readonly SettingName[] = typedSettings): Html {
  const descriptions = describeSettings();
  return html`${names.map((name) => {
    const [label, hint] = labels[name];
    const options = name === 'look' ? looks : undefined;
    const value = search.get(name) ?? options?.[0] ?? '';
    return field({
      id: `wall-${name}`,
      name,
      label,
      value,
      hint,
      title: capital(descriptions[name]),
      options,
    });
  })}`;
}
