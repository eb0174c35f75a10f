/** Requests for photos and recordings: for forms that upload them, and for the approved ones themselves. */
import type { MiddlewareObj } from '@middy/core';
import * as v from 'valibot';
import type { MediaClaim } from '../domain/outcomes.ts';
import { isRandomId, type Page } from '../domain/page.ts';
import { costOfDelivery, costOfUpload } from '../fair-use/prices.ts';
import { ApiError } from '../http/api-error.ts';
import { type ApiResponse, json } from '../http/api-event.ts';
import { describeIssues } from '../http/validate.ts';
import { type FoundMedia, type Media, mediaResponse } from '../media/media.ts';
import { isMediaId } from '../media/media-view.ts';
import { uploadClaimOf } from '../media/upload-claim.ts';
import { kindsAskedFor, uploadRequest } from '../media/upload-request.ts';
import { keyOfFormUpload } from '../media/uploads.ts';
import type { PageEvent, PagesDependencies } from './page-request.ts';
import { type FormSettings, published, readFormSettings } from './page-settings.ts';

/** Sets the media of a request, and the organization that pays. */
export function withMedia({ media }: PagesDependencies): MiddlewareObj<PageEvent, ApiResponse> {
  return {
    before: async ({ event }) => {
      const [, id = ''] = /^\/m\/(\w+)$/.exec(event.rawPath) ?? [];
      if (!media || !isMediaId(id)) return;
      event.logged = { media: id };
      const found = await media.find(id);
      if (!found) return;
      event.media = found;
      event.caller = { organization: found.organization, id };
      event.access = published;
    },
  };
}

/** Returns the media of an approved testimonial; undefined for any other media. */
export async function showMedia(
  { media, finds }: PagesDependencies,
  event: PageEvent,
  signal: AbortSignal,
): Promise<ApiResponse | undefined> {
  const { media: found } = event;
  if (!media || !found) return undefined;
  const record = await finds(found.organization, { signal }).find(found.testimonial);
  if (record?.testimonial.status !== 'approved' || !record.testimonial.media?.[found.kind]) return undefined;
  return respondWith(media, event, found);
}

async function respondWith(
  media: Media,
  event: PageEvent,
  found: FoundMedia,
): Promise<ApiResponse | undefined> {
  const method = event.requestContext.http.method === 'HEAD' ? 'HEAD' : 'GET';
  if (found.kind === 'recording' && method === 'GET') await event.payForMedia(costOfDelivery(found.bytes));
  return mediaResponse(media.bucket, found, {
    method,
    seen: event.headers['if-none-match'],
    // Withdrawn media can stay visible for a minute, and a recording that someone is playing until its URL
    // expires.
    caching: { 'cache-control': 'public, max-age=60', 'cross-origin-resource-policy': 'cross-origin' },
  });
}

const formUpload = v.pipe(
  v.string('must be JSON'),
  v.parseJson(undefined, 'must be JSON'),
  v.intersect([
    uploadRequest,
    v.object({
      key: v.pipe(v.string('must be a string'), v.check(isRandomId, 'must be the key of the form')),
    }),
  ]),
);

/** Signs a form for a file that the form of a page asks for. Charges before it signs. */
export async function signUpload({ bucket }: Media, event: PageEvent, page: Page): Promise<ApiResponse> {
  const { body, isBase64Encoded } = event;
  const text = isBase64Encoded ? Buffer.from(String(body), 'base64').toString() : body;
  const { success, output, issues } = v.safeParse(formUpload, text, { abortPipeEarly: true });
  if (!success) throw invalid(describeIssues(issues));
  const { key, kind, type, bytes } = output;
  if (!kindsAskedFor(readFormSettings(page.settings).ask).includes(kind)) {
    throw invalid({ kind: 'is not asked for by this form' });
  }
  await event.payForMedia(costOfUpload(bytes));
  event.logged = { ...event.logged, kind, bytes };
  return json(200, await bucket.signForm({ key: keyOfFormUpload(page.id, key, kind), type, bytes }));
}

function invalid(details: Record<string, string>): ApiError {
  return new ApiError('validation_error', 'The upload is not valid.', { details });
}

/**
 * Returns the media claim of a form's submission: the uploads with its key, of the kinds that it names and
 * the form asks for. Returns undefined if it claims nothing.
 */
export function claimIn(
  media: Media | undefined,
  { id, organization }: Page,
  { ask }: Pick<FormSettings, 'ask'>,
  { key, kinds }: { key: string; kinds: readonly string[] },
): MediaClaim | undefined {
  const claimed = kindsAskedFor(ask).filter((kind) => kinds.includes(kind));
  if (!media || claimed.length === 0) return undefined;
  const uploads = Object.fromEntries(claimed.map((kind) => [kind, keyOfFormUpload(id, key, kind)]));
  return uploadClaimOf(media.bucket, { organization, uploads, acceptedKinds: ask });
}
