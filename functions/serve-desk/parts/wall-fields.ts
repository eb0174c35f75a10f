/** The settings of a wall as fields. */
import { html } from 'hono/html';
import { capital } from '../../domain/wording.ts';
import { describeSettings, looks, readSettings, type SettingName } from '../wall/settings.ts';
import { BadForm } from './forms.ts';
import type { Html } from './html.ts';

/** Those that people type; the texts of a wall are for whoever writes its page. */
export const typedSettings = ['look', 'hide', 'lang', 'own-tags'] as const satisfies readonly SettingName[];

/**
 * Reads the settings in an address.
 * @throws {BadForm} naming the one that cannot be
 */
export function settingsIn(search: URLSearchParams, names: readonly SettingName[] = typedSettings) {
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
    const value = search.get(name) ?? '';
    const [label, example] = labels[name];
    return html`<div class="field" title="${capital(described[name])}"><label for="wall-${name}">${label}</label>
      ${
        name === 'look'
          ? html`<select id="wall-${name}" name="${name}">${looks.map(
              (look) =>
                html`<option value="${look}"${look === value ? html` selected` : ''}>${capital(look)}</option>`,
            )}</select>`
          : html`<input id="wall-${name}" name="${name}" value="${value}" placeholder="${example}" autocomplete="off">`
      }</div>`;
  })}`;
}
