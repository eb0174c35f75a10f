/** Sends files of a form to the bucket, over a network that may fail. */
import type { MediaKind } from '../../media/kinds.ts';

/** A file of one kind, in the form in which it is stored. */
export interface UploadFile {
  kind: MediaKind;
  type: string;
  file: Blob;
}

interface SignedForm {
  url: string;
  fields: Record<string, string>;
}

interface UploadOptions {
  /** Stops the upload. */
  signal: AbortSignal;
  /** Called with the share that was sent, or with undefined while there is no connection. */
  onProgress: (share: number | undefined) => void;
}

const maxTries = 3;
const pauseMs = 2000;
// A connection that sends nothing for this long is lost, even if the browser does not report it.
const stallMs = 30_000;

/** The service or the bucket refuses a file for good. */
class UploadRejected extends Error {
  override readonly name = 'UploadRejected';
}

/**
 * Sends a file. Tries three times. An attempt that the phone interrupted, because it was locked or offline,
 * does not count.
 * @param key the key of the submission
 * @throws the error of the last try
 */
export async function upload(part: UploadFile, key: string, sending: UploadOptions): Promise<void> {
  let signed: SignedForm | undefined;
  for (let tries = 0; ; ) {
    await awake(sending);
    const wasAway = watchAway();
    try {
      signed ??= await sign(part, key, sending.signal);
      await post(signed, part, sending);
      return;
    } catch (error) {
      if (sending.signal.aborted || error instanceof UploadRejected) throw error;
      // The bucket may refuse a form because it has expired.
      if (error instanceof FormRefused) signed = undefined;
      if (!wasAway()) tries += 1;
      if (tries === maxTries) throw error;
      sending.onProgress(undefined);
      await pause(sending.signal);
    } finally {
      wasAway();
    }
  }
}

/** The bucket refuses a signed form. */
class FormRefused extends Error {
  override readonly name = 'FormRefused';
}

async function sign({ kind, type, file }: UploadFile, key: string, signal: AbortSignal): Promise<SignedForm> {
  const response = await fetch(`${location.pathname}/uploads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key, kind, type, bytes: file.size }),
    signal,
  });
  const { status, ok } = response;
  if (ok) return response.json();
  const isBusy = status === 429 || status === 408 || status >= 500;
  throw isBusy ? new Error(`The service responds with ${status}`) : new UploadRejected(`${status}`);
}

function post(
  { url, fields }: SignedForm,
  { file }: UploadFile,
  { signal, onProgress }: UploadOptions,
): Promise<void> {
  signal.throwIfAborted();
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', file);
  const request = new XMLHttpRequest();
  return new Promise<void>((resolve, reject) => {
    const stop = () => request.abort();
    let timer = setTimeout(stop, stallMs);
    const goOn = () => {
      clearTimeout(timer);
      timer = setTimeout(stop, stallMs);
    };
    signal.addEventListener('abort', stop);
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      goOn();
      onProgress(loaded / total);
    });
    request.addEventListener('loadend', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      const { status } = request;
      if (status >= 200 && status < 300) resolve();
      else reject(status === 403 ? new FormRefused() : new Error(`The bucket responds with ${status}`));
    });
    request.open('POST', url);
    request.send(body);
  });
}

const isAway = () => !navigator.onLine || document.visibilityState === 'hidden';

/**
 * Watches whether the browser goes offline or the page is hidden. The returned function stops watching, and
 * reports whether either happened.
 */
function watchAway(): () => boolean {
  let was = isAway();
  const stop = new AbortController();
  const note = () => {
    was ||= isAway();
  };
  addEventListener('offline', note, { signal: stop.signal });
  document.addEventListener('visibilitychange', note, { signal: stop.signal });
  return () => {
    stop.abort();
    return was || isAway();
  };
}

/** Waits until the browser is online and the page is visible. */
async function awake({ signal, onProgress }: UploadOptions): Promise<void> {
  signal.throwIfAborted();
  if (!isAway()) return;
  onProgress(undefined);
  const stop = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const check = () => !isAway() && resolve();
    addEventListener('online', check, { signal: stop.signal });
    document.addEventListener('visibilitychange', check, { signal: stop.signal });
    signal.addEventListener('abort', () => reject(signal.reason), { signal: stop.signal });
  }).finally(() => stop.abort());
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, pauseMs);
    signal.addEventListener('abort', () => resolve());
  });
}

/** Keeps the screen on while a task runs, if the browser can, because a locked phone stops the task. */
export async function keepAwake(task: Promise<unknown>): Promise<void> {
  let lock: WakeLockSentinel | undefined;
  // Not every supported browser has wake locks.
  const locks: WakeLock | undefined = Reflect.get(navigator, 'wakeLock');
  try {
    lock = await locks?.request?.('screen');
  } catch {
    // The battery is low, or the page is hidden.
  }
  try {
    await task;
  } finally {
    await lock?.release?.();
  }
}
