/** A form or wall as its owner sees it before saving. The preview is inert. */

import type { Page } from '../domain/page.ts';
import type { PinnedLists } from '../testimonials/pinned-lists.ts';
import { type CodeName, codeNameOf, servedSettings } from './form-media.ts';
import { formPage, type PageCode } from './form-page.ts';
import type { Html } from './html-page.ts';
import type { BrandedPage } from './page-request.ts';
import { readFormSettings } from './page-settings.ts';
import { loadWall, wallPage } from './wall-page.ts';

export function pageCodeName({ kind, settings }: Page, hasMedia: boolean): CodeName {
  return kind === 'wall' ? kind : codeNameOf(servedSettings(readFormSettings(settings), hasMedia));
}

/**
 * Returns the document of a page.
 * @param url the absolute URL of the page
 * @param code the page's code, with the colors of the brand
 * @throws an error that names an invalid setting and its rule
 */
export async function previewOf(
  lists: PinnedLists,
  { page, brand }: BrandedPage,
  { url, code, hasMedia }: { url: string; code: PageCode; hasMedia: boolean },
): Promise<Html> {
  const isPreview = true;
  if (page.kind === 'wall')
    return wallPage({ page, brand, url, code, isPreview, ...(await loadWall(lists, page)) });
  const settings = servedSettings(readFormSettings(page.settings), hasMedia);
  return formPage({ page, brand, settings, url, code, isPreview, key: '', shownAt: 0 });
}
