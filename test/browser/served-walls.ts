/** Hosted walls on this machine, as the function serves them. */
import { createServer, type ServerResponse } from 'node:http';
import type { Brand } from '../../functions/domain/brand.ts';
import type { Page } from '../../functions/domain/page.ts';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import type { PublishedListBody } from '../../functions/list-testimonials/list-body.ts';
import { listBodyOf } from '../../functions/list-testimonials/make-list-body.ts';
import { branded } from '../../functions/serve-pages/branding.ts';
import { embedScript, wallCode } from '../../functions/serve-pages/bundle.ts';
import { policyOf } from '../../functions/serve-pages/html-page.ts';
import { published, readWallSettings } from '../../functions/serve-pages/page-settings.ts';
import { wallData, wallPage } from '../../functions/serve-pages/wall-page.ts';
import { listen } from '../listen.ts';

const code = await wallCode();

export const wallHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policyOf(code),
};

/** Returns a page of these testimonials as visitors see it; the URL's parameter `page` is its number. */
function publishedPage(
  { searchParams }: URL,
  testimonials: readonly Testimonial[],
  settings: Record<string, string>,
): PublishedListBody {
  const { query } = readWallSettings(settings, Number(searchParams.get('page') ?? 1));
  const shown = testimonials.slice((query.page - 1) * query.limit, query.page * query.limit);
  return published.show(listBodyOf(query, { testimonials: shown, total: testimonials.length }), 'acme');
}

/** Returns a page of a wall of these testimonials, as at a URL. */
export function wallAt(
  url: URL,
  testimonials: readonly Testimonial[],
  settings: Record<string, string>,
  brand: Brand = {},
): string {
  const page: Page = {
    id: '4fGhT2kLm9QwErTyUiOpAs',
    organization: 'acme',
    kind: 'wall' as const,
    settings,
    title: 'What our customers say',
    createdAt: '2026-01-15T10:30:00.000Z',
  };
  const view = {
    page,
    brand,
    settings: readWallSettings(settings),
    url: url.origin + url.pathname,
    code: branded(code, brand),
  };
  return String(wallPage({ ...view, list: publishedPage(url, testimonials, settings) }));
}

/** Returns the data of a page of a wall of these testimonials, as at a URL. */
export function dataAt(
  url: URL,
  testimonials: readonly Testimonial[],
  settings: Record<string, string>,
  brand: Brand = {},
): string {
  const list = publishedPage(url, testimonials, settings);
  return JSON.stringify(wallData({ brand, settings: readWallSettings(settings), list }));
}

/** Starts a server on a free port, and returns its origin. */
export async function serveOn(respond: (url: URL, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer(({ url = '' }, response) => respond(new URL(url, origin), response));
  const origin = await listen(server);
  return origin;
}

/**
 * Starts a service with the script of the live wall and the data of these testimonials.
 * @param settingsOf returns the settings of a wall by the id of its page
 * @param onRequest runs before a response
 */
export async function startWallService(
  testimonials: readonly Testimonial[],
  settingsOf: (id: string) => Record<string, string>,
  onRequest: (url: URL) => unknown = () => {},
): Promise<string> {
  const embed = await embedScript();
  return serveOn(async (url, response) => {
    await onRequest(url);
    const [, id] = /^\/w\/(\w+)\.json$/.exec(url.pathname) ?? [];
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('content-type', id === undefined ? 'text/javascript' : 'application/json');
    if (id === undefined) return response.end(embed);
    return response.end(dataAt(url, testimonials, settingsOf(id)));
  });
}
