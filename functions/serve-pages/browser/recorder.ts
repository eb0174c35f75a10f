/** Records video and audio on the page, and accepts files that someone chooses instead. */
import { maxBytes, maxRecordedSeconds } from '../../media/kinds.ts';
import { recognize } from '../../media/recognize.ts';
import { bytesOf, removeLocation, withoutTags } from '../../media/remove-location.ts';
import { refusedRecordings } from '../media-texts.ts';
import { fillIn } from '../texts.ts';
import type { Attachment, MediaTexts } from './attachment.ts';
import { make } from './make.ts';
import { posterOf } from './photo.ts';

type RecordingKind = 'video' | 'audio';

/**
 * The types that every browser plays, best first. In other MP4 files, Chromium records VP9, which Safari
 * cannot play.
 */
const types: Record<RecordingKind, readonly string[]> = {
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

export interface Recorder {
  /**
   * Stops a recording, or accepts the recording that is shown.
   * @returns true if the person must review it first
   */
  finish(): boolean;
  /** Stops without a file. */
  cancel(): void;
}

/** Connects a form's buttons to the recorder, and its file input to the choice of a file. */
export function startRecorder(
  field: HTMLElement,
  recording: Attachment,
  texts: MediaTexts,
): Recorder | undefined {
  const stage = field.querySelector<HTMLElement>('.stage');
  const sources = field.querySelector<HTMLElement>('.sources');
  const input = sources?.querySelector<HTMLInputElement>('[type=file]');
  const buttons = [...field.querySelectorAll<HTMLInputElement>('.record')];
  if (!stage || !sources || !input) return undefined;
  stage.after(recording.host);
  let session = new AbortController();
  const acceptedKinds = buttons.map(({ dataset }) => dataset.is);
  recording.onChange = () => {
    sources.hidden = stage.childElementCount > 0 || !recording.isEmpty;
  };

  const take = (file: Blob) => recording.attach(() => prepared(file, acceptedKinds));
  const clear = () => {
    URL.revokeObjectURL(stage.querySelector<HTMLMediaElement>('[src]')?.src ?? '');
    stage.replaceChildren();
    recording.onChange();
  };
  const cancel = () => {
    session.abort();
    session = new AbortController();
    clear();
  };
  const record = async (is: RecordingKind, button: HTMLElement) => {
    recording.remove();
    const { signal } = session;
    for (const each of buttons) each.disabled = true;
    const stream = await opened(is);
    for (const each of buttons) each.disabled = false;
    if (signal.aborted) {
      stop(stream);
      return;
    }
    if (!stream) {
      recording.refuse(is === 'video' ? 'noCamera' : 'noMicrophone');
      button.focus();
      return;
    }
    const recorded = recordOn(stage, stream, is, texts, signal);
    // The stage is no longer empty.
    recording.onChange();
    const file = await recorded;
    if (signal.aborted) return;
    if (file && file.size > 0) {
      review(stage, file, is, texts, (choice) => {
        clear();
        if (choice === 'again') record(is, button);
        else take(file);
      });
      return;
    }
    clear();
    // A person who stops immediately has recorded nothing.
    if (file) button.focus();
    else recording.refuse('noMemory');
  };
  for (const button of buttons) {
    const is = button.dataset.is === 'video' ? 'video' : 'audio';
    // Without a secure connection, browsers offer no camera. Older browsers cannot record.
    button.hidden = !typeOf(is) || !navigator.mediaDevices;
    button.addEventListener('click', () => record(is, button));
  }
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    // Allows choosing the same file again.
    input.value = '';
    // A camera that opens after this is stopped again.
    cancel();
    if (file) take(file);
  });
  recording.onChange();
  const finish = () => {
    // “Stop” or “Use recording”.
    stage.querySelector<HTMLButtonElement>('.strong')?.click();
    return stage.childElementCount > 0;
  };
  return { finish, cancel };
}

function typeOf(is: RecordingKind): string | undefined {
  return globalThis.MediaRecorder && types[is].find((type) => MediaRecorder.isTypeSupported(type));
}

/** Opens the camera and the microphone. Returns undefined if the browser denies them. */
async function opened(is: RecordingKind): Promise<MediaStream | undefined> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true, video: is === 'video' && videoOptions });
  } catch {
    return undefined;
  }
}

function stop(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

/**
 * Records until the person presses “Stop”, the time is over or the phone is locked.
 * @param signal also stops the recording
 * @returns undefined if the browser cannot record or keep it
 */
async function recordOn(
  stage: HTMLElement,
  stream: MediaStream,
  is: RecordingKind,
  texts: MediaTexts,
  signal: AbortSignal,
): Promise<Blob | undefined> {
  const left = make('span', { className: 'left', role: 'timer' });
  const button = make('button', { type: 'button', textContent: texts.stop ?? '', className: 'strong' });
  const preview = make('video', { className: 'own', muted: true, playsInline: true, autoplay: true });
  const dot = make('span', { className: 'dot' });
  const line = make('div', { className: 'line' }, dot, left, button);
  stage.replaceChildren(...(is === 'video' ? [preview, line] : [line]));
  preview.srcObject = stream;
  button.focus();
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
    button.addEventListener('click', end);
    signal.addEventListener('abort', end);
    // A locked phone stops the camera.
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
    stop(stream);
  }
}

/** Returns a time in the format of players, such as 1:05. */
function minutesOf(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** Shows a recording, and asks whether to use it. */
function review(
  stage: HTMLElement,
  file: Blob,
  is: RecordingKind,
  texts: MediaTexts,
  onChoice: (choice: 'use' | 'again') => void,
): void {
  const player = make(is, { src: URL.createObjectURL(file), controls: true });
  player.setAttribute('playsinline', '');
  const button = (choice: 'use' | 'again', textContent = '', className = '') =>
    make('button', { type: 'button', textContent, className, onclick: () => onChoice(choice) });
  const use = button('use', texts.useThis, 'strong');
  const again = button('again', texts.recordAgain);
  stage.replaceChildren(player, make('div', { className: 'line' }, use, again));
  use.focus();
}

/** Returns a file without its location and other metadata, if its format allows removing them. */
async function cleaned(file: Blob, type: string): Promise<Blob> {
  if (type.endsWith('/mp4')) return removeLocation(file);
  return type === 'audio/mpeg' ? withoutTags(file) : file;
}

/** Checks a file in the same way as the service, and removes location metadata. */
async function prepared(file: Blob, acceptedKinds: readonly (string | undefined)[]) {
  const recognized = await recognize('recording', bytesOf(file));
  if ('refused' in recognized) return refusedRecordings[recognized.refused];
  const { type, medium = 'audio', hasLocation } = recognized;
  if (!acceptedKinds.includes(medium)) return medium === 'video' ? 'onlyAudio' : 'onlyVideo';
  if (hasLocation && type.endsWith('/webm')) return 'hasLocation';
  const sent = await cleaned(file, type);
  const poster = medium === 'video' ? await posterOf(sent) : undefined;
  const parts = [
    { kind: 'recording' as const, type, file: sent },
    ...(poster ? [{ kind: 'poster' as const, type: 'image/jpeg', file: poster }] : []),
  ];
  return { parts, is: medium === 'video' ? ('yourVideo' as const) : ('yourRecording' as const) };
}
