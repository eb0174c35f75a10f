/**
 * The script of a form that asks for a photo or a recording. It contains the ordinary form script, and the
 * code that records, chooses and sends files. The form is sent after its files.
 */
import './form.ts';
import { Attachment } from './attachment.ts';
import { askForPhoto } from './photo.ts';
import { type Recorder, startRecorder } from './recorder.ts';

const form = document.querySelector('form');
if (form) startMedia(form);

function startMedia(form: HTMLFormElement): void {
  const recordingField = form.querySelector<HTMLElement>('.recorder');
  const photoField = form.querySelector<HTMLElement>('.with-photo');
  const send = form.querySelector<HTMLButtonElement>('button.send');
  const label = send?.textContent ?? '';
  const note = document.createElement('p');
  note.className = 'quiet waiting';
  note.role = 'status';
  send?.before(note);
  let isWaiting = false;
  const all: Attachment[] = [];
  const isMissing = (each: Attachment) => each.isPending || each.isFailed;

  /** Shows whether the form waits for its files, and sends it after the last one. */
  const update = () => {
    const wasWaiting = isWaiting;
    isWaiting &&= all.some((each) => each.isPending) && !all.some((each) => each.isFailed);
    for (const each of all) each.offerWithout(isWaiting || each.isFailed);
    note.textContent = isWaiting ? (form.dataset.waiting ?? '') : '';
    if (!send || !(isWaiting || wasWaiting)) return;
    send.disabled = isWaiting;
    send.textContent = isWaiting ? (form.dataset.sending ?? '') : label;
    if (!all.some(isMissing)) form.requestSubmit();
  };
  const sendWithout = () => {
    const wasWaiting = isWaiting;
    for (const each of all) if (isMissing(each)) each.remove();
    // `update` sends a form that was waiting.
    if (!wasWaiting) form.requestSubmit();
  };
  restore(form);
  const hooks = { update, sendWithout };
  let recorder: Recorder | undefined;
  if (recordingField) {
    const recording = new Attachment(form, ['recording', 'poster'], 'yourRecording', hooks);
    all.push(recording);
    recorder = startRecorder(recordingField, recording, form.dataset);
  }
  if (photoField) {
    const photo = new Attachment(form, ['photo'], 'yourPhoto', hooks);
    all.push(photo);
    askForPhoto(photoField, photo);
  }
  document.querySelector('.restored button')?.addEventListener('click', () => {
    recorder?.cancel();
    for (const each of all) each.remove();
  });

  // This listener runs after the one that enables the button again.
  addEventListener('pageshow', update);
  // It runs after the listeners of the form, which check it and may switch to the key of a draft.
  form.addEventListener('submit', (event) => {
    if (event.defaultPrevented) return;
    if (recorder?.finish()) {
      event.preventDefault();
      return;
    }
    for (const each of all) each.followKey();
    for (const each of all) if (each.isFailed) each.send();
    if (!all.some(isMissing)) return;
    event.preventDefault();
    isWaiting = true;
    update();
  });
}

/** Names the files that a restored draft has already sent. */
function restore(form: HTMLFormElement): void {
  if (document.querySelector<HTMLElement>('.restored')?.hidden !== false) return;
  const draft = new URLSearchParams(sessionStorage.getItem(`draft ${form.dataset.page}`) ?? '');
  for (const value of draft.getAll('media')) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name: 'media', value, autocomplete: 'off' });
    form.append(input);
  }
}
