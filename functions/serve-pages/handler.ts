/** Forms and walls at their own links, without sign-in. */
import { createHash } from 'node:crypto';
import type { MiddlewareObj } from '@middy/core';
import { html } from 'hono/html';
import type { Brand } from '../domain/brand.ts';
import { isRandomId, type Page, type PageKind, pageRoutes } from '../domain/page.ts';
import { errorResponse, toApiError } from '../http/api-error.ts';
import { type ApiResponse, json, originOf, requestIdOf } from '../http/api-event.ts';
import { type ApiLambdaHandler, requestHandler } from '../http/api-handler.ts';
import { branded, linkPreviewPageId } from './branding.ts';
import { thanksPage } from './form-page.ts';
import { documentOf, policyOf } from './html-page.ts';
import { showMedia, signUpload, withMedia } from './media-requests.ts';
import {
  type BrandedPage,
  htmlResponse,
  type PageAssets,
  type PageEvent,
  type PagesDependencies,
  seeOther,
  urlOf,
} from './page-request.ts';
import { published, readFormSettings } from './page-settings.ts';
import { repairedLink } from './personal-link.ts';
import { showForm, submitForm } from './submissions.ts';
import { loadWall, wallData, wallPage } from './wall-page.ts';

const accesses: Record<PageKind, PageEvent['access']> = {
  form: { budget: 'forms', share: 1 / 4 },
  wall: published,
};

/** The paths of pages: the id of a form or a wall, and a part of it. */
const pagePath = /^\/(?:f\/(\w+)(?:\/(thanks|uploads))?|w\/(\w+)(?:\.(json))?)$/;

/** Returns the id, kind and part in the path of a page; undefined for another path. */
function readPath(path: string): { id: string; kind: PageKind; part: string } | undefined {
  const [, form, ofForm, wall, ofWall] = pagePath.exec(path) ?? [];
  if (form !== undefined) return { id: form, kind: 'form', part: ofForm ?? 'page' };
  return wall === undefined ? undefined : { id: wall, kind: 'wall', part: ofWall ?? 'page' };
}

/** Returns the part of a page that is requested: `page`, `thanks`, `uploads` or `json`. */
function partOf({ rawPath }: PageEvent): string | undefined {
  return readPath(rawPath)?.part;
}

export function createHandler(deps: PagesDependencies): ApiLambdaHandler {
  const { embed, share } = deps.assets;
  const files: Record<string, ApiResponse> = {
    [pageRoutes.liveElement]: file('text/javascript; charset=utf-8', embed, 3600),
    [pageRoutes.shareImage]: {
      ...file('image/png', Buffer.from(share).toString('base64'), 86_400),
      isBase64Encoded: true,
    },
  };
  return requestHandler<PageEvent>(deps, {
    identify: [withPage(deps), withMedia(deps)],
    respond: async (event, _, signal) => {
      const { page, brand = {}, rawPath } = event;
      const asset = files[rawPath];
      if (asset && isRead(event)) return unlessCached(event, imageOf(brand) ?? asset);
      const media = isRead(event) ? await showMedia(deps, event, signal) : undefined;
      if (media) return media;
      if (!page) return missingPage(event, deps.assets);
      const part = partOf(event);
      if (part === 'uploads') return respondToUpload(deps, event, page);
      const { method } = event.requestContext.http;
      if (page.kind === 'form' && part === 'page' && method === 'POST')
        return submitForm(deps, event, { page, brand }, signal);
      if (!isRead(event)) return wrongMethod(event, deps.assets);
      if (page.kind === 'wall') return showWall(deps, event, { page, brand }, signal);
      if (part === 'page') return showForm(deps, event, { page, brand });
      if (part === 'thanks') return showThanks(deps, event, { page, brand });
      // A personal link whose `#` was escaped, so that the path names no part of the page.
      const mended = repairedLink(rawPath);
      return mended ? seeOther(mended.link) : missingPage(event, deps.assets);
    },
    showError: async (event, error, context) =>
      partOf(event) === 'uploads'
        ? errorResponse(error, requestIdOf(event, context))
        : showError(deps, event, error),
  });
}

/** Sets the page of a request, its brand, and the organization that pays. */
function withPage({ findPage, findBrand }: PagesDependencies): MiddlewareObj<PageEvent, ApiResponse> {
  return {
    before: async ({ event }) => {
      const named = readPath(repairedLink(event.rawPath)?.form ?? event.rawPath);
      const isImage = event.rawPath === pageRoutes.shareImage;
      const id = named?.id ?? (isImage ? linkPreviewPageId(event.rawQueryString) : '');
      if (!isRandomId(id)) return;
      event.logged = { page: id };
      const page = await findPage(id);
      if (!page || !(isImage || page.kind === named?.kind)) return;
      event.page = page;
      event.brand = (await findBrand(page.organization)) ?? {};
      event.caller = { organization: page.organization, id };
      event.access = accesses[page.kind];
    },
  };
}

function isRead({ requestContext }: PageEvent): boolean {
  const { method } = requestContext.http;
  return method === 'GET' || method === 'HEAD';
}

/** Signs a form for an upload. Responds 404 if the deployment has no media. */
async function respondToUpload(
  { assets, media }: PagesDependencies,
  event: PageEvent,
  page: Page,
): Promise<ApiResponse> {
  if (!media || isRead(event)) return missingPage(event, assets);
  const isPost = event.requestContext.http.method === 'POST';
  return isPost ? signUpload(media, event, page) : wrongMethod(event, assets);
}

function showThanks(
  { assets }: PagesDependencies,
  event: PageEvent,
  { page, brand }: BrandedPage,
): ApiResponse {
  const code = branded(assets.form, brand);
  const settings = readFormSettings(page.settings);
  return htmlResponse(200, code, thanksPage({ page, brand, settings, url: urlOf(event, page), code }));
}

/** Browsers and caches may keep a wall for a minute. */
const wallCaching = { 'cache-control': 'public, max-age=60' };

async function showWall(
  { assets, lists, media }: PagesDependencies,
  event: PageEvent,
  { page, brand }: BrandedPage,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const [, number = '1'] = /(?:^|&)page=([1-9]\d{0,8})(?:&|$)/.exec(event.rawQueryString) ?? [];
  const wall = await loadWall(lists(page.organization, { signal }), page, Number(number));
  if (partOf(event) === 'json') {
    // Any website may show the wall.
    return json(200, wallData({ ...wall, brand }), { ...wallCaching, 'access-control-allow-origin': '*' });
  }
  const url = urlOf(event, page);
  const code = branded(assets.wall, brand);
  const body = wallPage({ page, brand, url, code, ...wall });
  // A recording redirects to the bucket. “Show more” may add the first card with media.
  const sources = media && { images: ["'self'"], media: ["'self'", media.bucket.origin] };
  const policy = { 'content-security-policy': policyOf(code, sources) };
  return htmlResponse(200, code, body, { ...wallCaching, ...policy });
}

/** Shows an error. A form keeps everything that was typed. */
function showError(deps: PagesDependencies, event: PageEvent, error: unknown): ApiResponse {
  const { status, headers } = toApiError(error);
  const { page, brand = {} } = event;
  if (page?.kind === 'form' && partOf(event) === 'page') {
    // If the minute's budget is used up, visitors wait for less than a minute; if the day's is, until
    // midnight.
    const beyondBudget = Number(headers['retry-after']) > 60 ? 'full' : 'busy';
    const notice = status === 429 ? beyondBudget : 'failed';
    try {
      return showForm(deps, event, { page, brand }, { status, headers, notice });
    } catch {
      // The stored settings are invalid, perhaps the cause of the error itself, so the form cannot be shown.
    }
  }
  const line = 'This page cannot be shown now. Try again later.';
  return errorPage(event, deps.assets, status, line, headers);
}

function missingPage(event: PageEvent, assets: PageAssets): ApiResponse {
  return errorPage(event, assets, 404, 'This page does not exist, or it was removed.');
}

function wrongMethod(event: PageEvent, assets: PageAssets): ApiResponse {
  return errorPage(event, assets, 405, 'This page does not accept that request. Open its link again.');
}

function errorPage(
  event: PageEvent,
  { form }: PageAssets,
  status: number,
  line: string,
  headers: Record<string, string> = {},
): ApiResponse {
  // Scripts also request paths of walls that do not exist.
  if (event.rawPath.endsWith('.json')) {
    // Without the second header, browsers hide Retry-After from the website.
    const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' };
    return json(status, { message: line }, { ...headers, ...cors });
  }
  const url = originOf(event.headers.host ?? '') + event.rawPath;
  const body = html`<main><h1>${line}</h1></main>`;
  const document = documentOf({
    lang: 'en',
    title: line,
    description: line,
    url,
    isIndexed: false,
    ...form,
    body,
  });
  return htmlResponse(status, form, document, headers);
}

/** Returns the image for links to the pages of a brand: its logo, if any. */
function imageOf({ logo }: Brand): ApiResponse | undefined {
  return logo && { ...file(logo.type, logo.data, 300), isBase64Encoded: true };
}

/** @param seconds the time for which browsers and caches may keep it */
function file(type: string, body: string, seconds: number): ApiResponse {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 20);
  return {
    statusCode: 200,
    headers: {
      'content-type': type,
      'cache-control': `public, max-age=${seconds}`,
      // Weak, because the response may be compressed.
      etag: `W/"${digest}"`,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}

/** Returns a file, or 304 if the browser already has it. */
function unlessCached({ headers: sent }: PageEvent, { headers = {}, ...file }: ApiResponse): ApiResponse {
  if (sent['if-none-match'] !== headers.etag) return { ...file, headers: { ...headers } };
  const { 'content-type': _, ...others } = headers;
  return { statusCode: 304, headers: others };
}
