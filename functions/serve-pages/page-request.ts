/** Requests for pages, and their responses. */

import type { RandomInt } from '../domain/base62.ts';
import type { Brand } from '../domain/brand.ts';
import { type Page, pathOfPage } from '../domain/page.ts';
import { type ApiEvent, type ApiResponse, originOf } from '../http/api-event.ts';
import type { ApiDependencies } from '../http/api-handler.ts';
import type { FoundMedia, Media } from '../media/media.ts';
import type { OpenCreates } from '../testimonials/creates.ts';
import type { OpenFinds } from '../testimonials/finds.ts';
import type { OpenPinnedLists } from '../testimonials/pinned-lists.ts';
import type { CodeName } from './form-media.ts';
import type { PageCode } from './form-page.ts';
import { type Html, policyOf } from './html-page.ts';

/** The files that pages consist of. */
export interface PageAssets extends Record<CodeName, PageCode> {
  /** The script of the live element. */
  embed: string;
  /** The image of link previews, a PNG. */
  share: Uint8Array;
}

export interface PagesDependencies extends Omit<ApiDependencies, 'findToken'> {
  /** Finds a page by its id. May cache it for 60 seconds. */
  findPage: (id: string) => Promise<Page | undefined>;
  /** Finds the brand of an organization. May cache it for 60 seconds. */
  findBrand: (organization: string) => Promise<Brand | undefined>;
  lists: OpenPinnedLists;
  /** The creates of forms, which remember sent forms for a month. */
  creates: OpenCreates;
  finds: OpenFinds;
  /** Absent if the deployment has no media. Pages use the bucket of this origin: `media.bucket.origin`. */
  media?: Media | undefined;
  randomInt: RandomInt;
  assets: PageAssets;
}

/** A page and the brand of its organization. */
export interface BrandedPage {
  page: Page;
  brand: Brand;
}

/** A request for a page, or for something else if `page` is absent. */
export type PageEvent = ApiEvent<unknown> & Partial<BrandedPage> & { media?: FoundMedia };

/** Returns the absolute URL of a page. */
export function urlOf({ headers }: Pick<PageEvent, 'headers'>, page: Page): string {
  return originOf(headers.host ?? '') + pathOfPage(page);
}

/** Returns an HTML response. Only the visitor's browser may keep it, unless `headers` say otherwise. */
export function htmlResponse(
  statusCode: number,
  code: PageCode,
  body: Html,
  headers: Record<string, string> = {},
): ApiResponse {
  return {
    statusCode,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf(code),
      // Going back shows the same form with the same key and the typed values.
      'cache-control': 'private, no-cache',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: String(body),
  };
}

export function seeOther(location: string): ApiResponse {
  return { statusCode: 303, headers: { location, 'cache-control': 'no-store' }, body: '' };
}
