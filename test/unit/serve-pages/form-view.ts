/** A form to show in tests. */
import type { ShownForm } from '../../../functions/serve-pages/form-page.ts';
import { readFormSettings } from '../../../functions/serve-pages/page-settings.ts';

const id = '0123456789abcdefghijkl';

/** Returns a form with these settings, as they are typed. */
export function viewOf(
  settings: Record<string, string> = {},
  { title = 'Tell us how we did', ...overrides }: Partial<ShownForm> & { title?: string } = {},
): ShownForm {
  return {
    page: { id, organization: 'acme', kind: 'form', title, settings, createdAt: '2026-11-24T00:00:00.000Z' },
    brand: {},
    settings: readFormSettings(settings),
    url: `https://api.example.com/f/${id}`,
    code: { style: '', script: '' },
    key: 'k'.repeat(22),
    shownAt: 1_700_000_000_000,
    ...overrides,
  };
}
