/** Records video and audio in the page, and takes files that somebody chooses instead. */
import { maxBytes, maxRecordedSeconds } from '../../media/kinds.ts';
import { recognize } from '../../media/recognize.ts';
import { bytesOf, removeLocation } from '../../media/remove-location.ts';
import { refusedRecordings } from '../media-texts.ts';
import { fillIn } from '../texts.ts';
import type { Attachment, MediaTexts } from './attachment.ts';
import { make } from './make.ts';
import { posterOf } from './photo.ts';

type Is = 'video' | 'audio';

/**
 * What every browser plays, best first. Of other MP4 files Chromium records VP9, which Safari cannot play.
 */
const types: Record<Is, readonly string[]> = {
  video: [
    'video/mp4;codecs=avc1.42E01E,mp4a.40.2',
    'video/mp4;codecs=avc1.42E01E,opus',
    'video/webm;codecs=vp8,opus',
  ],
  audio: ['audio/mp4;codecs=mp4a.40.2', 'audio/webm;codecs=opus'],
};

const videoOptions = { width: { ideal: 1280 }, height: { ideal: 720 }, facingMode: 'user' };
// Two minutes are 24 MB, which a phone sends in a minute or two.
const bitsPerSecond = { videoBitsPerSecond: 1_500_000, audioBitsPerSecond: 96_000 };

/** Makes the buttons of a form record, and its file input take a file. */
export function startRecorder(field: HTMLElement, recording: Attachment, texts: MediaTexts): void {
  const stage = field.querySelector<HTMLElement>('.stage');
  const sources = field.querySelector<HTMLElement>('.sources');
  const input = sources?.querySelector<HTMLInputElement>('[type=file]');
  const buttons = [...field.querySelectorAll<HTMLInputElement>('.record')];
  if (!stage || !sources || !input) return;
  stage.after(recording.host);
  const asked = buttons.map(({ dataset }) => dataset.is);
  recording.onChange = () => {
    sources.hidden = stage.childElementCount > 0 || !recording.isEmpty;
  };

  const take = (file: Blob) => recording.attach(() => prepared(file, asked));
  const record = async (is: Is, button: HTMLElement) => {
    recording.remove();
    for (const each of buttons) each.disabled = true;
    const stream = await opened(is);
    for (const each of buttons) each.disabled = false;
    if (!stream) {
      recording.refuse(is === 'video' ? 'noCamera' : 'noMicrophone');
      button.focus();
      return;
    }
    const file = await recorded(stage, stream, is, texts, () => recording.onChange());
    const choice = file && file.size > 0 && (await reviewed(stage, file, is, texts));
    stage.replaceChildren();
    recording.onChange();
    if (choice === 'again') record(is, button);
    else if (choice) take(file);
    // Somebody who stops at once has recorded nothing.
    else if (file) button.focus();
    else recording.refuse('noMemory');
  };
  for (const button of buttons) {
    const is = button.dataset.is === 'video' ? 'video' : 'audio';
    // Without a secure connection there is no camera, and older browsers record nothing.
    button.hidden = !typeOf(is) || !navigator.mediaDevices;
    button.addEventListener('click', () => record(is, button));
  }
  input.addEventListener('change', async () => {
    const [file] = input.files ?? [];
    if (file) await take(file);
    // The same file can be chosen again.
    input.value = '';
  });
  recording.onChange();
}

function typeOf(is: Is): string | undefined {
  return globalThis.MediaRecorder && types[is].find((type) => MediaRecorder.isTypeSupported(type));
}

/** Returns the camera and the microphone, or undefined if the browser gives none. */
async function opened(is: Is): Promise<MediaStream | undefined> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true, video: is === 'video' && videoOptions });
  } catch {
    return undefined;
  }
}

/**
 * Records until somebody presses “Stop”, the time is over or the phone is locked.
 * @returns undefined if the browser cannot record or keep it
 */
async function recorded(
  stage: HTMLElement,
  stream: MediaStream,
  is: Is,
  texts: MediaTexts,
  onStart: () => void,
): Promise<Blob | undefined> {
  const left = make('span', { className: 'left', role: 'timer' });
  const stop = make('button', { type: 'button', textContent: texts.stop ?? '', className: 'strong' });
  const preview = make('video', { className: 'own', muted: true, playsInline: true, autoplay: true });
  const dot = make('span', { className: 'dot' });
  const line = make('div', { className: 'line' }, dot, left, stop);
  stage.replaceChildren(...(is === 'video' ? [preview, line] : [line]));
  preview.srcObject = stream;
  onStart();
  stop.focus();
  const chunks: Blob[] = [];
  const options = { mimeType: typeOf(is) ?? '', ...bitsPerSecond };
  const ended = new AbortController();
  let timer: ReturnType<typeof setInterval> | undefined;
  try {
    const recorder = new MediaRecorder(stream, options);
    const end = () => recorder.state !== 'inactive' && recorder.stop();
    const startedAt = performance.now();
    const tick = () => {
      const seconds = maxRecordedSeconds - (performance.now() - startedAt) / 1000;
      const { lang } = document.documentElement;
      left.textContent = fillIn(texts.timeLeft ?? '', { time: minutesOf(seconds) }, lang);
      if (seconds <= 0) end();
    };
    const finished = new Promise<void>((resolve, reject) => {
      recorder.addEventListener('stop', () => resolve());
      recorder.addEventListener('error', reject);
    });
    recorder.addEventListener('dataavailable', ({ data }) => {
      chunks.push(data);
      if (chunks.reduce((sum, { size }) => sum + size, 0) > 0.95 * maxBytes.recording) end();
    });
    stop.addEventListener('click', end);
    // A locked phone takes the camera away.
    document.addEventListener('visibilitychange', end, { signal: ended.signal });
    addEventListener('pagehide', end, { signal: ended.signal });
    recorder.start(1000);
    tick();
    timer = setInterval(tick, 250);
    await finished;
    return new Blob(chunks, { type: recorder.mimeType });
  } catch {
    return undefined;
  } finally {
    clearInterval(timer);
    ended.abort();
    for (const track of stream.getTracks()) track.stop();
  }
}

/** Returns a time as players show it, such as 1:05. */
function minutesOf(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** Shows a recording, and asks what to do with it. */
async function reviewed(stage: HTMLElement, file: Blob, is: Is, texts: MediaTexts): Promise<'use' | 'again'> {
  const src = URL.createObjectURL(file);
  const player = make(is, { src, controls: true });
  player.setAttribute('playsinline', '');
  const button = (textContent = '', className = '') =>
    make('button', { type: 'button', textContent, className });
  const [use, again] = [button(texts.useThis, 'strong'), button(texts.recordAgain)];
  stage.replaceChildren(player, make('div', { className: 'line' }, use, again));
  use.focus();
  const choice = await new Promise<'use' | 'again'>((resolve) => {
    use.addEventListener('click', () => resolve('use'));
    again.addEventListener('click', () => resolve('again'));
  });
  URL.revokeObjectURL(src);
  return choice;
}

/** Checks a file as the service will, and removes location metadata. */
async function prepared(file: Blob, asked: readonly (string | undefined)[]) {
  const recognized = await recognize('recording', bytesOf(file));
  if ('refused' in recognized) return refusedRecordings[recognized.refused];
  const { type, is = 'audio', hasLocation } = recognized;
  if (!asked.includes(is)) return is === 'video' ? 'onlyAudio' : 'onlyVideo';
  if (hasLocation && !type.endsWith('/mp4')) return 'hasLocation';
  const sent = type.endsWith('/mp4') ? await removeLocation(file) : file;
  const poster = is === 'video' ? await posterOf(sent) : undefined;
  const parts = [
    { kind: 'recording' as const, type, file: sent },
    ...(poster ? [{ kind: 'poster' as const, type: 'image/jpeg', file: poster }] : []),
  ];
  return { parts, is: is === 'video' ? ('yourVideo' as const) : ('yourRecording' as const) };
}
