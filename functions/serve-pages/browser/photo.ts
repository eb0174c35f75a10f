/** Asks for a photo, and crops it to a square in the middle, small enough for cards. */
import { maxBytes, photoSide, posterWidth } from '../../media/kinds.ts';
import { withoutMetadata } from '../../media/remove-location.ts';
import type { Attachment } from './attachment.ts';

/** Shows the chosen photo on the circle of its button, and sends it. */
export function askForPhoto(field: HTMLElement, photo: Attachment): void {
  const button = field.querySelector('.photo');
  const input = button?.querySelector<HTMLInputElement>('input');
  if (!button || !input) return;
  field.append(photo.host);
  const clear = () => button.querySelector('canvas')?.remove();
  photo.onChange = () => photo.isEmpty && clear();
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    // Allows choosing the same file again.
    input.value = '';
    if (!file) return;
    photo.attach(async (signal) => {
      const picture = await decoded(file);
      if (!picture) return 'notPicture';
      const side = Math.min(picture.width, picture.height);
      const canvas = drawnOn(photoSide, photoSide, (context) =>
        context.drawImage(
          picture,
          (picture.width - side) / 2,
          (picture.height - side) / 2,
          side,
          side,
          0,
          0,
          photoSide,
          photoSide,
        ),
      );
      picture.close();
      if (!signal.aborted) button.append(canvas);
      return { parts: [{ kind: 'photo', type: 'image/jpeg', file: await jpegOf(canvas, maxBytes.photo) }] };
    });
  });
}

/** Returns a picture in the orientation that people see; undefined if the browser cannot open it. */
async function decoded(file: Blob): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch {
    return undefined;
  }
}

const posterMs = 10_000;
// In seconds. Many videos begin with a dark picture.
const posterAt = 0.5;

/** Returns a picture from a video; undefined if the browser cannot show the video. */
export async function posterOf(file: Blob): Promise<Blob | undefined> {
  const video = document.createElement('video');
  Object.assign(video, { muted: true, playsInline: true, preload: 'auto', src: URL.createObjectURL(file) });
  try {
    await happened(video, 'loadeddata');
    video.currentTime = Math.min(posterAt, video.duration / 2 || 0);
    await happened(video, 'seeked');
    const { videoWidth, videoHeight } = video;
    const scale = Math.min(1, posterWidth / videoWidth, (2 * posterWidth) / videoHeight);
    const [width, height] = [Math.round(videoWidth * scale), Math.round(videoHeight * scale)];
    const canvas = drawnOn(width, height, (context) => context.drawImage(video, 0, 0, width, height));
    return await jpegOf(canvas, maxBytes.poster);
  } catch {
    return undefined;
  } finally {
    URL.revokeObjectURL(video.src);
  }
}

function happened(video: HTMLVideoElement, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(reject, posterMs);
    video.addEventListener(name, () => resolve(), { once: true });
    video.addEventListener('error', reject, { once: true });
  });
}

function drawnOn(
  width: number,
  height: number,
  draw: (context: CanvasRenderingContext2D) => void,
): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  if (context) draw(context);
  return canvas;
}

/** Returns a canvas as a JPEG of at most `most` bytes, without the metadata that browsers add. */
async function jpegOf(canvas: HTMLCanvasElement, most: number): Promise<Blob> {
  for (const quality of [0.85, 0.7, 0.5, 0.3]) {
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', quality));
    if (!blob) break;
    const picture = await withoutMetadata(blob);
    if (picture.size <= most) return picture;
  }
  throw new Error('The canvas gives no JPEG picture');
}
