/** Receives submissions of forms: validates each, and creates one testimonial however often it is sent. */
import * as v from 'valibot';
import { IdempotencyKeyReused } from '../domain/outcomes.ts';
import { isRandomId, makeRandomId, pathOfPage } from '../domain/page.ts';
import { testimonialInput } from '../domain/testimonial.ts';
import { isBlank } from '../domain/visible-text.ts';
import type { ApiResponse } from '../http/api-event.ts';
import { describeIssues } from '../http/validate.ts';
import type { MediaKind } from '../media/kinds.ts';
import type { RefusedFormat } from '../media/refused-formats.ts';
import { UploadRefused } from '../media/uploads.ts';
import { branded } from './branding.ts';
import { askedFor, codeNameOf, mediaHeaders } from './form-media.ts';
import { formPage, type RefusedText, type ShownForm, shownFields } from './form-page.ts';
import { claimIn } from './media-requests.ts';
import { refusedRecordings } from './media-texts.ts';
import {
  type BrandedPage,
  htmlResponse,
  type PageEvent,
  type PagesDependencies,
  seeOther,
  urlOf,
} from './page-request.ts';
import { type FormSettings, readFormSettings } from './page-settings.ts';

/** Robots send sooner. */
const minMs = 2000;

// Far more than the longest valid form, whose letters take up to twelve bytes each. A page with the text must
// fit into a response.
const maxBytes = 1024 * 1024;

/** How long a form remembers that it was sent, in seconds. */
export const sentFormSeconds = 30 * 24 * 60 * 60;

type ShowOptions = Partial<Pick<ShownForm, 'notice' | 'refused' | 'errors' | 'key' | 'shownAt' | 'typed'>> & {
  status?: number;
  headers?: Record<string, string>;
};

export type Submissions = ReturnType<typeof submissions>;

export function submissions(deps: PagesDependencies) {
  const { assets, creates, media, now } = deps;

  /** Shows a form, with everything that was typed. */
  function show(
    event: PageEvent,
    { page, brand }: BrandedPage,
    { status = 200, headers = {}, ...contents }: ShowOptions = {},
  ): ApiResponse {
    const typed = typedIn(event);
    const sent = readSubmission(typed, now().getTime());
    const settings = askedFor(readFormSettings(page.settings), media !== undefined);
    const code = branded(assets[codeNameOf(settings)], brand);
    const form = {
      page,
      brand,
      settings,
      url: urlOf(event, page),
      code,
      ...(sent ?? newSubmission(deps, typed)),
      typed,
      ...contents,
    };
    return htmlResponse(status, code, formPage(form), {
      ...mediaHeaders(code, settings, media?.bucket.origin),
      ...headers,
    });
  }

  return {
    show,

    /** Creates the testimonial that was sent, or shows the form again. */
    async submit(event: PageEvent, brandedPage: BrandedPage, signal: AbortSignal): Promise<ApiResponse> {
      const { page } = brandedPage;
      if (String(event.body).length > maxBytes) {
        return show({ ...event, body: undefined }, brandedPage, { status: 413, notice: 'tooLarge' });
      }
      const typed = typedIn(event);
      const time = now().getTime();
      const thanks = seeOther(`${pathOfPage(page)}/thanks`);
      const submission = readSubmission(typed, time);
      if (submission && time - submission.shownAt < minMs) {
        // A robot gets the thanks of a person, so that it learns nothing.
        event.logged = { ...event.logged, isRobot: true };
        return thanks;
      }
      // A robot or autofill has filled the hidden field. Only people send again when they are asked.
      const isSentAgain = typed.has('again');
      const mayBeRobot = Boolean(typed.get('subject')) && !isSentAgain;
      if (mayBeRobot) event.logged = { ...event.logged, isAskedAgain: true };
      if (!submission) return show(event, brandedPage, { status: 422, notice: 'sendAgain' });
      const settings = readFormSettings(page.settings);
      const parsed = v.safeParse(testimonialInput, inputOf(typed, settings), { abortPipeEarly: true });
      const ofFields = parsed.success ? {} : describeIssues(parsed.issues);
      const errors = { ...ofFields, ...(!typed.has('consent') && { consent: 'is required' }) };
      if (!parsed.success || !typed.has('consent')) {
        return show(event, brandedPage, { status: 422, notice: 'invalid', errors });
      }
      if (mayBeRobot) return show(event, brandedPage, { status: 422, notice: 'filled' });
      try {
        // No client of the API can use this key, because it contains spaces.
        const idempotencyKey = `form ${page.id} ${submission.key}`;
        const media = claimIn(deps.media, page, { key: submission.key, kinds: typed.getAll('media') });
        await creates(page.organization, { signal, payFor: event.payFor }).create(parsed.output, {
          idempotencyKey,
          form: page.id,
          ...(media && { media }),
        });
        if (isSentAgain) event.logged = { ...event.logged, isSentAgain };
        return thanks;
      } catch (error) {
        if (error instanceof UploadRefused) {
          const { kind, reason } = error;
          event.logged = { ...event.logged, kind, refused: reason };
          const refused = refusedText(error, settings);
          const kept = withoutMedia(typed, kind);
          return show(event, brandedPage, { status: 422, notice: 'media', refused, typed: kept });
        }
        if (!(error instanceof IdempotencyKeyReused)) throw error;
        if (error.reason === 'erased') return thanks;
        return show(event, brandedPage, { status: 422, notice: 'used', ...newSubmission(deps, typed) });
      }
    },
  };
}

/** Returns a new key and time. A form that already has text skips the two-second check for robots. */
function newSubmission(
  { now, randomInt }: PagesDependencies,
  typed: URLSearchParams,
): Pick<ShownForm, 'key' | 'shownAt'> {
  return { key: makeRandomId(randomInt), shownAt: now().getTime() - (typed.size > 0 ? minMs : 0) };
}

/** Returns the name of the text that says why an upload was refused. */
function refusedText({ kind, reason }: UploadRefused, { ask }: Pick<FormSettings, 'ask'>): RefusedText {
  if (reason === 'not asked for') return ask.includes('video') ? 'onlyVideo' : 'onlyAudio';
  if (!(reason in refusedRecordings)) return 'media';
  // The limits of pictures are for the script, which makes them.
  if (kind !== 'recording' && reason !== 'has location') return 'notPicture';
  return refusedRecordings[reason as RefusedFormat]; // by the line above
}

/** Returns the fields without an upload; a poster without its video is none. */
function withoutMedia(typed: URLSearchParams, refused: MediaKind): URLSearchParams {
  const kept = new URLSearchParams(typed);
  kept.delete('media', refused);
  if (refused === 'recording') kept.delete('media', 'poster');
  return kept;
}

/** Returns the fields of a request; none if it sent no form. */
function typedIn({ body, isBase64Encoded }: PageEvent): URLSearchParams {
  if (typeof body !== 'string') return new URLSearchParams();
  return new URLSearchParams(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
}

/**
 * Returns the key of a submission and the time when its form was shown, or undefined if they are malformed or
 * too old.
 */
function readSubmission(
  typed: URLSearchParams,
  time: number,
): Pick<ShownForm, 'key' | 'shownAt'> | undefined {
  const key = typed.get('key') ?? '';
  const shownAt = Number(typed.get('shownAt') || Number.NaN);
  const isRemembered = Number.isSafeInteger(shownAt) && time - shownAt < sentFormSeconds * 1000;
  return isRandomId(key) && isRemembered ? { key, shownAt } : undefined;
}

/** Returns the body of a create; fields without a text, and hidden ones, are absent. */
function inputOf(typed: URLSearchParams, settings: FormSettings): Record<string, unknown> {
  const author: Record<string, unknown> = {};
  const input: Record<string, unknown> = { author, type: 'text' };
  for (const name of shownFields(settings)) {
    // Presentations and word processors break lines with these.
    const value = (typed.get(name) ?? '').replace(/[\v\f]/g, '\n');
    if (name === 'consent' || isBlank(value)) continue;
    const [, ofAuthor] = name.split('author.');
    if (ofAuthor) author[ofAuthor] = value;
    else input[name] = name === 'rating' ? Number(value) : value;
  }
  return { ...input, ...(settings.tags.length > 0 && { tags: settings.tags }) };
}
