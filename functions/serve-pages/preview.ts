/** A form or wall as its owner sees it before saving. Nothing in it can be pressed. */
import type { Page } from '../domain/page.ts';
import type { ListDependencies } from '../operations/list-testimonials.ts';
import { formPage, type PageCode } from './form-page.ts';
import type { Html } from './html-page.ts';
import { readFormSettings } from './page-settings.ts';
import { loadWall, wallPage } from './wall-page.ts';

/**
 * Returns the document of a page.
 * @param url absolute URL of the page
 * @throws an error that names an invalid setting and its rule
 */
export async function previewOf(
  deps: ListDependencies,
  page: Page,
  { url, code }: { url: string; code: PageCode },
): Promise<Html> {
  const isPreview = true;
  if (page.kind === 'wall') return wallPage({ page, url, code, isPreview, ...(await loadWall(deps, page)) });
  const settings = readFormSettings(page.settings);
  return formPage({ page, settings, url, code, isPreview, key: '', shownAt: 0 });
}
