/** The location is removed from all bytes of a file; picture, sound and rotation stay. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { recognize } from '../../../functions/media/recognize.ts';
import {
  bytesOf,
  removeLocation,
  withoutMetadata,
  withoutTags,
} from '../../../functions/media/remove-location.ts';
import { bareMp3, box, fixture, id3, joined, withInMoov, withSegment } from './files.ts';

const bytesIn = async (blob: Blob) => Buffer.from(await blob.arrayBuffer());
const recognized = (blob: Blob) => recognize('recording', bytesOf(blob));
const matrixOf = (file: Buffer) => file.subarray(file.indexOf('tkhd') + 44, file.indexOf('tkhd') + 80);

test('the place and the device of an iPhone are gone, the rotation stays', async () => {
  const file = fixture('location-rotated.mov');
  expect(Buffer.from(file).includes('+47.4210')).toBe(true);
  const cleaned = await removeLocation(new Blob([file]));
  const bytes = await bytesIn(cleaned);
  expect(bytes.includes('+47.4210') || bytes.includes('ISO6709') || bytes.includes('iPhone')).toBe(false);
  expect(matrixOf(bytes)).toEqual(matrixOf(Buffer.from(file)));
  expect(matrixOf(bytes)).not.toEqual(matrixOf(Buffer.from(fixture('h264-aac.mp4'))));
  expect(bytes.length).toBe(file.length);
  expect(await recognized(cleaned)).toEqual({ type: 'video/mp4', medium: 'video', hasLocation: false });
});

test('the subtitles in which drones write their flight are gone, samples included', async () => {
  const file = fixture('drone.mp4');
  expect(Buffer.from(file).includes('GPS(')).toBe(true);
  const cleaned = await removeLocation(new Blob([file]));
  const bytes = await bytesIn(cleaned);
  expect(bytes.includes('GPS(')).toBe(false);
  expect(await recognized(cleaned)).toMatchObject({ hasLocation: false });
});

test('the other bytes of a file stay as they are, whatever the metadata and wherever it is', async () => {
  const cleaned = await removeLocation(new Blob([fixture('h264-aac-moov-last.mp4')]));
  const mp4 = await bytesIn(cleaned);
  const metadata = fc.record({
    name: fc.constantFrom('udta', 'meta', 'uuid'),
    content: fc.uint8Array({ maxLength: 400 }),
    isInMoov: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(metadata, async ({ name, content, isInMoov }) => {
      const added = (type: string, body: Uint8Array) =>
        isInMoov ? withInMoov(mp4, box(type, body)) : joined(mp4, box(type, body));
      const cleaned = await removeLocation(new Blob([added(name, content)]));
      const expected = added('free', new Uint8Array(content.length));
      // `toEqual` would compare byte by byte, for seconds.
      expect((await bytesIn(cleaned)).compare(expected)).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test('what follows the fragments of a recording is gone, too', async () => {
  const fragmented = fixture('h264-aac-fragmented.mp4');
  const cleaned = await removeLocation(new Blob([joined(fragmented, box('udta', '+47.4210+010.9850/'))]));
  expect((await bytesIn(cleaned)).includes('+47.4210')).toBe(false);
});

test('a file without metadata stays as it is', async () => {
  for (const name of ['h264-aac.mp4', 'h264-aac-fragmented.mp4', 'tone.m4a']) {
    const cleaned = await removeLocation(new Blob([fixture(name)]));
    expect(await bytesIn(await removeLocation(cleaned))).toEqual(await bytesIn(cleaned));
  }
});

test('a picture keeps everything but its metadata', async () => {
  const photo = fixture('photo.jpg');
  const described = withSegment(withSegment(photo, 0xfe, 'Zugspitze'), 0xe1, 'Exif\0\0GPS');
  const cleaned = await withoutMetadata(new Blob([described], { type: 'image/jpeg' }));
  expect(await bytesIn(cleaned)).toEqual(Buffer.from(photo));
  expect(cleaned.type).toBe('image/jpeg');
});

test('an MP3 file keeps its sound alone', async () => {
  const tags = [id3('TIT2', '\0A title'), id3('TXXX', '\0LOCATION\0+47.4210+010.9850/')];
  const file = joined(...tags, '\0'.repeat(100), bareMp3(), `TAG${'\0'.repeat(125)}`);
  expect(await bytesIn(await withoutTags(new Blob([file])))).toEqual(Buffer.from(bareMp3()));
});
