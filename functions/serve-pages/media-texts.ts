/** The texts of forms about photos and recordings. */
import type { RefusedFormat } from '../media/refused-formats.ts';

/** The texts that the script of a form with media shows. */
export const mediaTexts = [
  'timeLeft',
  'stop',
  'useThis',
  'recordAgain',
  'yourVideo',
  'yourRecording',
  'yourPhoto',
  'preparing',
  'added',
  'interrupted',
  'notSent',
  'tryAgain',
  'remove',
  'waiting',
  'withoutVideo',
  'withoutRecording',
  'withoutPhoto',
  'noCamera',
  'noMicrophone',
  'noMemory',
  'tooLargeFile',
  'hevc',
  'otherFormat',
  'damaged',
  'hasLocation',
  'notPicture',
  'onlyVideo',
  'onlyAudio',
] as const;

export type MediaText = (typeof mediaTexts)[number];

/** The names of the texts about a recording that the browser or the service refuses. */
export const refusedRecordings: Record<RefusedFormat, MediaText> = {
  'too large': 'tooLargeFile',
  'not a picture': 'notPicture',
  'wrong size': 'notPicture',
  'other format': 'otherFormat',
  hevc: 'hevc',
  'other codec': 'otherFormat',
  damaged: 'damaged',
  'has location': 'hasLocation',
};
