/**
 * The parts of a form that ask for a photo and a recording. They need the script, and are hidden without it.
 */
import { html, raw } from 'hono/html';
import type { PageKind } from '../domain/page.ts';
import { mediaKinds } from '../media/kinds.ts';
import { type Html, type HtmlPage, policyOf } from './html-page.ts';
import type { FormSettings } from './page-settings.ts';
import type { FormVoice } from './translations.ts';

/** The names of the code of pages. Forms that ask for photos or recordings have additional code. */
export type CodeName = PageKind | 'mediaForm';

type RequestedMedia = FormSettings['ask'];

/** Returns the settings of a form, without media if the deployment stores none. */
export function servedSettings<Settings extends Pick<FormSettings, 'ask'>>(
  settings: Settings,
  hasMedia: boolean,
): Settings {
  return hasMedia ? settings : { ...settings, ask: [] };
}

export function codeNameOf({ ask }: Pick<FormSettings, 'ask'>): CodeName {
  return ask.length > 0 ? 'mediaForm' : 'form';
}

/**
 * Returns the headers of a form that asks for media. It sends files to the bucket, plays recordings, and may
 * use the camera or the microphone. Returns no headers for other forms.
 * @param bucket the origin of the bucket
 */
export function mediaHeaders(
  code: Pick<HtmlPage, 'style' | 'script'>,
  { ask }: Pick<FormSettings, 'ask'>,
  bucket: string | undefined,
): Record<string, string> {
  if (ask.length === 0 || bucket === undefined) return {};
  const isRecorded = ask.includes('video') || ask.includes('audio');
  const permission = (name: string, isUsed: boolean) => `${name}=(${isUsed ? 'self' : ''})`;
  return {
    'content-security-policy': policyOf(code, { connect: [bucket], ...(isRecorded && { media: ['blob:'] }) }),
    'permissions-policy': [
      permission('camera', ask.includes('video')),
      permission('microphone', isRecorded),
    ].join(', '),
  };
}

/** Returns the buttons that record and the button that chooses a file; empty if the form asks for neither. */
export function recorder(ask: RequestedMedia, say: FormVoice): Html | '' {
  const kinds = ask.filter((each) => each !== 'photo');
  if (kinds.length === 0) return '';
  // These are inputs, because the first `button` of the form is the one that sends it.
  const record = (is: 'video' | 'audio', label: string) =>
    kinds.includes(is) && html`<input type="button" class="record" data-is="${is}" value="${label}">`;
  return html`<div class="field with-script recorder" role="group" aria-labelledby="recorder-label" aria-describedby="recorder-hint">
        <p class="label" id="recorder-label"><span>${say('recording')}</span> <span class="quiet">(${say('optional')})</span></p>
        <p class="quiet" id="recorder-hint">${say('recordingHint')}</p>
        <div class="sources">${record('video', say('recordVideo'))}${record('audio', say('recordAudio'))}
          <label class="choose"><input type="file" accept="${kinds.map((each) => `${each}/*`).join()}"> <span>${say('chooseFile')}</span></label></div>
        <div class="stage"></div><p class="error" role="alert"></p>
      </div>`;
}

const person = raw(
  '<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="9" r="3.6"/><path d="M4.6 20.4a7.6 7.6 0 0 1 14.8 0M19 2.5v5M16.5 5h5"/></svg>',
);

/** Returns the button that chooses a photo, a circle with words; empty if the form asks for no photo. */
export function photoButton(ask: RequestedMedia, say: FormVoice): Html | '' {
  if (!ask.includes('photo')) return '';
  return html`<div class="field with-script with-photo"><label class="photo"><input type="file" accept="image/*">${person}<span>${say('addPhoto')} <span class="quiet">(${say('optional')})</span></span></label></div>`;
}

/**
 * Returns the inputs that name the uploads, for a form that is shown again. Uploads with another key belong
 * to another submission.
 */
export function attachedMedia(typed: URLSearchParams, key: string): Html[] {
  const kinds = mediaKinds.filter((kind) => typed.get('key') === key && typed.getAll('media').includes(kind));
  return kinds.map((kind) => html`<input type="hidden" name="media" value="${kind}" autocomplete="off">`);
}
