/**
 * Receives submissions of forms: validates each one, and creates one testimonial however often it is sent.
 */
import * as v from 'valibot';
import { IdempotencyKeyReused } from '../domain/outcomes.ts';
import { isRandomId, makeRandomId, type Page, pathOfPage } from '../domain/page.ts';
import { testimonialInput } from '../domain/testimonial.ts';
import { isBlank } from '../domain/visible-text.ts';
import type { ApiResponse } from '../http/api-event.ts';
import { describeIssues } from '../http/validate.ts';
import type { MediaKind } from '../media/kinds.ts';
import { isRefusedFormat } from '../media/refused-formats.ts';
import { UploadRefused } from '../media/uploads.ts';
import { branded } from './branding.ts';
import { codeNameOf, mediaHeaders, servedSettings } from './form-media.ts';
import {
  agreed,
  formPage,
  type RefusedText,
  type ShownForm,
  type SubmissionKey,
  shownFields,
} from './form-page.ts';
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

/** The minimum time to fill in a form. Robots are faster. */
const minMs = 2000;

// Far more than the longest valid form, whose letters take up to twelve bytes each. A page with the text must
// fit into a response.
const maxBytes = 1024 * 1024;

/** The time for which a form remembers that it was sent, in seconds. */
export const sentFormSeconds = 30 * 24 * 60 * 60;

type ShowOptions = Partial<SubmissionKey & Pick<ShownForm, 'notice' | 'refused' | 'errors'>> & {
  /** The fields to show; the fields of the request by default. */
  typed?: URLSearchParams;
  status?: number;
  headers?: Record<string, string>;
};

/** Shows a form, with everything that was typed. */
export function showForm(
  deps: PagesDependencies,
  event: PageEvent,
  { page, brand }: BrandedPage,
  { status = 200, headers = {}, typed = typedIn(event), ...contents }: ShowOptions = {},
): ApiResponse {
  const { assets, media, now } = deps;
  const settings = settingsOf(deps, page);
  const code = branded(assets[codeNameOf(settings)], brand);
  const form = {
    page,
    brand,
    settings,
    url: urlOf(event, page),
    code,
    ...(readKey(typed, now().getTime()) ?? newKey(deps, typed)),
    typed,
    isAcceptedNext: hasFilledTrap(typed) || typed.has('again'),
    ...contents,
  };
  return htmlResponse(status, code, formPage(form), {
    ...mediaHeaders(code, settings, media?.bucket.origin),
    ...headers,
  });
}

/** Creates the testimonial that was sent, or shows the form again. */
export async function submitForm(
  deps: PagesDependencies,
  event: PageEvent,
  brandedPage: BrandedPage,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const showAgain = (options: ShowOptions) => showForm(deps, event, brandedPage, { status: 422, ...options });
  if (String(event.body).length > maxBytes) {
    return showAgain({ status: 413, notice: 'tooLarge', typed: new URLSearchParams() });
  }
  const { page } = brandedPage;
  const typed = typedIn(event);
  const time = deps.now().getTime();
  const thanks = seeOther(`${pathOfPage(page)}/thanks`);
  const sent = readKey(typed, time);
  if (sent && time - sent.shownAt < minMs) {
    // A robot gets the same thanks as a person, so that it learns nothing.
    event.logged = { ...event.logged, isRobot: true };
    return thanks;
  }
  // Robots do not send a second time when asked. If the trap is filled, the form is shown again with the
  // hidden field `again`, which lets the next submission pass.
  const isSentAgain = typed.has('again');
  const mayBeRobot = hasFilledTrap(typed) && !isSentAgain;
  if (mayBeRobot) event.logged = { ...event.logged, isAskedAgain: true };
  if (!sent) return showAgain({ notice: 'sendAgain' });
  const settings = settingsOf(deps, page);
  const { input, errors } = readInput(typed, settings);
  if (!input) return showAgain({ notice: 'invalid', errors });
  if (mayBeRobot) return showAgain({ notice: 'filled' });
  const media = claimIn(deps.media, page, settings, { key: sent.key, kinds: typed.getAll('media') });
  try {
    await deps.creates(page.organization, { signal, payFor: event.payFor }).create(input, {
      // A client of the API cannot use this key, because it contains spaces.
      idempotencyKey: `form ${page.id} ${sent.key}`,
      form: page.id,
      isCorrectable: true,
      ...(media && { media }),
    });
  } catch (error) {
    if (error instanceof UploadRefused) {
      const { kind, reason } = error;
      event.logged = { ...event.logged, kind, refused: reason };
      const refused = refusedText(error, settings);
      return showAgain({ notice: 'media', refused, typed: withoutUpload(typed, kind) });
    }
    if (!(error instanceof IdempotencyKeyReused)) throw error;
    return error.reason === 'erased' ? thanks : showAgain({ notice: 'used', ...newKey(deps, typed) });
  }
  if (isSentAgain) event.logged = { ...event.logged, isSentAgain };
  return thanks;
}

/** Returns the settings of a form, without media if the deployment stores none. */
function settingsOf({ media }: PagesDependencies, page: Page) {
  return servedSettings(readFormSettings(page.settings), media !== undefined);
}

/** Returns the testimonial in valid fields, or the rules that the fields break. */
function readInput(typed: URLSearchParams, settings: FormSettings) {
  const parsed = v.safeParse(testimonialInput, inputOf(typed, settings), { abortPipeEarly: true });
  const hasConsent = typed.get('consent') === agreed;
  if (parsed.success && hasConsent) return { input: parsed.output, errors: {} };
  const ofFields = parsed.success ? {} : describeIssues(parsed.issues);
  return { errors: { ...ofFields, ...(!hasConsent && { consent: 'is required' }) } };
}

/** True if the hidden field has a text, which a robot or autofill has filled in. */
function hasFilledTrap(typed: URLSearchParams): boolean {
  return Boolean(typed.get('subject'));
}

/** Returns a new key and time. A form that already has text skips the two-second check for robots. */
function newKey({ now, randomInt }: PagesDependencies, typed: URLSearchParams): SubmissionKey {
  return { key: makeRandomId(randomInt), shownAt: now().getTime() - (typed.size > 0 ? minMs : 0) };
}

/** Returns the name of the text that explains why an upload was refused. */
function refusedText({ kind, reason }: UploadRefused, { ask }: Pick<FormSettings, 'ask'>): RefusedText {
  if (reason === 'not asked for') return ask.includes('video') ? 'onlyVideo' : 'onlyAudio';
  if (!isRefusedFormat(reason)) return 'media';
  // The script makes pictures within the limits, so the form only says that the file is not a picture.
  if (kind !== 'recording' && reason !== 'has location') return 'notPicture';
  return refusedRecordings[reason];
}

/** Returns the fields without an upload. A poster goes with its video. */
function withoutUpload(typed: URLSearchParams, refused: MediaKind): URLSearchParams {
  const kept = new URLSearchParams(typed);
  kept.delete('media', refused);
  if (refused === 'recording') kept.delete('media', 'poster');
  return kept;
}

/** Returns the fields of a request; no fields if it sent no form. */
function typedIn({ body, isBase64Encoded }: PageEvent): URLSearchParams {
  if (typeof body !== 'string') return new URLSearchParams();
  return new URLSearchParams(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
}

/**
 * Returns the key of a submission and the time at which its form was shown. Returns undefined if they are
 * malformed, or so old that the key may be forgotten and a second testimonial could be created.
 */
function readKey(typed: URLSearchParams, time: number): SubmissionKey | undefined {
  const key = typed.get('key') ?? '';
  const shownAt = Number(typed.get('shownAt') || Number.NaN);
  const isRemembered = Number.isSafeInteger(shownAt) && time - shownAt < sentFormSeconds * 1000;
  return isRandomId(key) && isRemembered ? { key, shownAt } : undefined;
}

/** Returns the body of a create, without hidden fields and fields without text. */
function inputOf(typed: URLSearchParams, settings: FormSettings): Record<string, unknown> {
  const author: Record<string, unknown> = {};
  const input: Record<string, unknown> = { author, type: 'text' };
  for (const name of shownFields(settings)) {
    // Presentations and word processors use these characters as line breaks.
    const value = (typed.get(name) ?? '').replace(/[\v\f]/g, '\n');
    if (name === 'consent' || isBlank(value)) continue;
    const [, ofAuthor] = name.split('author.');
    if (ofAuthor) author[ofAuthor] = value;
    else input[name] = name === 'rating' ? Number(value) : value;
  }
  return { ...input, ...(settings.tags.length > 0 && { tags: settings.tags }) };
}
