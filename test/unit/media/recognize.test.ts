/** Photos and recordings are known by their bytes alone, and no file makes the reader read much. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type MediaKind, maxBytes } from '../../../functions/media/kinds.ts';
import { recognize } from '../../../functions/media/recognize.ts';
import { refusedFormats } from '../../../functions/media/refused-formats.ts';
import { bareMp3, box, counted, fileOf, fixture, id3, joined, withInMoov, withSegment } from './files.ts';

const recognized = (kind: MediaKind, bytes: Uint8Array) => recognize(kind, fileOf(bytes));
const mp4 = fixture('h264-aac-moov-last.mp4');
const photo = fixture('photo.jpg');

test.each([
  ['h264-aac.mp4', 'video/mp4', 'video'],
  ['h264-aac-moov-last.mp4', 'video/mp4', 'video'],
  ['h264-aac-fragmented.mp4', 'video/mp4', 'video'],
  ['h264-opus.mp4', 'video/mp4', 'video'],
  ['tone.m4a', 'audio/mp4', 'audio'],
  ['vp8-opus.webm', 'video/webm', 'video'],
  ['vp9-vorbis.webm', 'video/webm', 'video'],
  ['opus.webm', 'audio/webm', 'audio'],
  ['tone.mp3', 'audio/mpeg', 'audio'],
])('%s is %s', async (name, type, medium) => {
  expect(await recognized('recording', fixture(name))).toEqual({ type, medium, hasLocation: false });
});

test.each([
  ['hevc.mp4', 'hevc'],
  ['vp9.mp4', 'other codec'],
  ['mpeg4.mp4', 'other codec'],
  ['h264-10-bit.mp4', 'other codec'],
  ['av1.webm', 'other codec'],
  ['tone.wav', 'other format'],
  ['mpeg4.avi', 'other format'],
  ['photo.jpg', 'other format'],
])('%s is refused: %s', async (name, refused) => {
  expect(await recognized('recording', fixture(name))).toEqual({ refused });
});

test.each([
  ['location-rotated.mov', 'video/mp4'],
  ['drone.mp4', 'video/mp4'],
  ['location.webm', 'video/webm'],
])('%s has a location', async (name, type) => {
  expect(await recognized('recording', fixture(name))).toEqual({ type, medium: 'video', hasLocation: true });
});

test('the place of an Android phone, a 3GPP phone and a photo program are found', async () => {
  const places = [
    box('udta', box('\xa9xyz', '\0\x12\x15\xc7+47.4210+010.9850/')),
    box('udta', box('loci', '\0\0\0\0\x15\xc7Zugspitze\0')),
    box('uuid', '\xbe\x7a\xcf\xcb', '<exif:GPSLatitude>47,25.26N</exif:GPSLatitude>'),
    box('udta', box('GPMF', 'DEVC')),
  ];
  const fragmented = fixture('h264-aac-fragmented.mp4');
  for (const place of places) {
    expect(await recognized('recording', joined(fragmented, place))).toMatchObject({ hasLocation: true });
    expect(await recognized('recording', withInMoov(mp4, place))).toMatchObject({ hasLocation: true });
    expect(await recognized('recording', joined(mp4, place))).toMatchObject({ hasLocation: true });
  }
});

test('a title, a program and a word like velocity are no location', async () => {
  const described = withInMoov(
    mp4,
    box('udta', box('\xa9nam', 'Our velocity'), box('\xa9too', 'Lavf59.27.100')),
  );
  expect(await recognized('recording', described)).toMatchObject({ hasLocation: false });
});

test('a recording of hundreds of fragments is recognized, and so is one whose last fragment is incomplete', async () => {
  const file = fixture('h264-aac-fragmented.mp4');
  const fragment = file.subarray(
    Buffer.from(file).indexOf('moof') - 4,
    Buffer.from(file).indexOf('mfra') - 4,
  );
  const padded = joined(fragment, box('mdat', new Uint8Array(70_000)));
  const long = joined(file, ...Array(300).fill(padded));
  for (const recording of [long, long.subarray(0, -1), file.subarray(0, 3000)]) {
    expect(await recognized('recording', recording)).toMatchObject({ type: 'video/mp4', hasLocation: false });
  }
});

/** Returns a WebM element. */
function element(id: string, ...content: (Uint8Array | string)[]): Uint8Array {
  const size = Buffer.alloc(8);
  const body = joined(...content);
  size.writeUInt32BE(body.length, 4);
  size[0] = 1;
  return joined(id, size, body);
}

test('the tags of a WebM file are found behind its sound, and far behind it where its index says', async () => {
  const file = Buffer.from(fixture('opus.webm'));
  const segment = file.indexOf('\x18\x53\x80\x67', 0, 'latin1');
  const tracks = file.lastIndexOf('\x16\x54\xae\x6b', undefined, 'latin1');
  const described = file.subarray(tracks, file.indexOf('\x1f\x43\xb6\x75', tracks, 'latin1'));
  const tags = element('\x12\x54\xc3\x67', 'LOCATION\0+47.4210+010.9850/');
  const cluster = element('\x1f\x43\xb6\x75', new Uint8Array(100_000));
  const webm = (...parts: (Uint8Array | string)[]) =>
    joined(file.subarray(0, segment), element('\x18\x53\x80\x67', ...parts));
  const found = { type: 'audio/webm', hasLocation: true };
  expect(await recognized('recording', webm(described, cluster, cluster, tags))).toMatchObject(found);
  const many = Array<Uint8Array>(200).fill(cluster);
  const position = Buffer.alloc(4);
  const index = () =>
    element(
      '\x11\x4d\x9b\x74',
      element('\x4d\xbb', element('\x53\xab', '\x12\x54\xc3\x67'), element('\x53\xac', position)),
    );
  position.writeUInt32BE(joined(index(), described, ...many).length);
  const far = webm(index(), described, ...many, tags);
  expect(await recognized('recording', far)).toMatchObject(found);
  const bare = webm(described, ...many);
  expect(await recognized('recording', bare)).toMatchObject({ type: 'audio/webm', hasLocation: false });
});

const title = id3('TIT2', '\0Our velocity');
const place = '\0LOCATION\0+47.4210+010.9850/';

test.each([
  ['two tags', [title, title, bareMp3()]],
  ['a tag with a footer', [id3('TIT2', '\0A title', { hasFooter: true }), bareMp3()]],
  ['zeros after the tag', [title, '\0'.repeat(1000), bareMp3()]],
  ['zeros and no tag', ['\0'.repeat(1000), bareMp3()]],
  [
    'tags at the end, and a title in capitals before its padding',
    [
      id3('TIT2', '\0TOPIC\0\0\0\0\0'),
      bareMp3(),
      ape('Title', 'A title'),
      `TAG${'A title'.padEnd(125, '\0')}`,
    ],
  ],
])('an MP3 file with %s is recognized', async (_, parts) => {
  const expected = { type: 'audio/mpeg', medium: 'audio', hasLocation: false };
  expect(await recognized('recording', joined(...parts))).toEqual(expected);
});

test.each([
  ['a field', [id3('TXXX', place), bareMp3()]],
  ['a field in UTF-16', [id3('TXXX', `\x01\xff\xfe${wide('location\0+47.4210+010.9850/')}`), bareMp3()]],
  ['coordinates alone', [id3('COMM', '\0eng\0+47.4210+010.9850/'), bareMp3()]],
  ['a second tag', [title, id3('TXXX', place), bareMp3()]],
  ['a picture', [id3('APIC', '\0image/jpeg\0\x03\0\xff\xd8\xff\xe1'), bareMp3()]],
  ['a tag at the end', [bareMp3(), id3('TXXX', place, { hasFooter: true })]],
  ['APE', [bareMp3(), ape('Location', '+47.4210+010.9850/')]],
  ['APE before ID3v1', [bareMp3(), ape('Location', '+47.4210+010.9850/'), `TAG${'\0'.repeat(125)}`]],
])('an MP3 file has a location in %s', async (_, parts) => {
  expect(await recognized('recording', joined(...parts))).toMatchObject({ hasLocation: true });
});

function wide(text: string): string {
  return Buffer.from(text, 'utf16le').toString('latin1');
}

/** Returns an APEv2 tag with a field, without a header. */
function ape(name: string, value: string): Uint8Array {
  const item = Buffer.alloc(8);
  item.writeUInt32LE(value.length);
  const footer = Buffer.alloc(32);
  footer.write('APETAGEX', 'latin1');
  footer.writeUInt32LE(2000, 8);
  footer.writeUInt32LE(8 + name.length + 1 + value.length + 32, 12);
  footer.writeUInt32LE(1, 16);
  return joined(item, `${name}\0${value}`, footer);
}

test('a page named .mp4 is refused, whatever it begins with', async () => {
  for (const page of [
    '<!doctype html><script>alert(1)</script>',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '',
  ]) {
    expect(await recognized('recording', joined(page))).toEqual({ refused: 'other format' });
    expect(await recognized('photo', joined(page))).toEqual({ refused: 'not a picture' });
  }
  const disguised = joined(box('ftyp', 'isom'), '<!doctype html><script>alert(1)</script>');
  expect(await recognized('recording', disguised)).toEqual({ refused: 'damaged' });
});

test('a photo has 256 × 256 pixels, a poster at most 640 × 1280', async () => {
  expect(await recognized('photo', photo)).toEqual({ type: 'image/jpeg', hasLocation: false });
  expect(await recognized('photo', fixture('landscape.jpg'))).toEqual({ refused: 'wrong size' });
  expect(await recognized('poster', fixture('landscape.jpg'))).toMatchObject({ type: 'image/jpeg' });
  const frame = Buffer.from(photo).indexOf('\xff\xc0', 'latin1');
  const sized = (height: number, width: number) => {
    const bytes = Buffer.from(photo);
    bytes.writeUInt16BE(height, frame + 5);
    bytes.writeUInt16BE(width, frame + 7);
    return bytes;
  };
  expect(await recognized('poster', sized(1280, 640))).toMatchObject({ type: 'image/jpeg' });
  for (const [height, width] of [
    [1281, 640],
    [640, 641],
    [0, 640],
    [640, 0],
  ] as const) {
    expect(await recognized('poster', sized(height, width))).toEqual({ refused: 'wrong size' });
  }
});

test('Exif, XMP, IPTC and comments of a picture are found, color profiles are not', async () => {
  for (const [marker, content] of [
    [0xe1, 'Exif\0\0GPS'],
    [0xe1, 'http://ns.adobe.com/xap/1.0/'],
    [0xed, '8BIM'],
    [0xfe, 'here'],
  ] as const) {
    expect(await recognized('photo', withSegment(photo, marker, content))).toMatchObject({
      hasLocation: true,
    });
  }
  for (const [marker, content] of [
    [0xe2, 'ICC_PROFILE\0'],
    [0xee, 'Adobe'],
  ] as const) {
    expect(await recognized('photo', withSegment(photo, marker, content))).toMatchObject({
      hasLocation: false,
    });
  }
});

test('nothing may follow a picture', async () => {
  expect(await recognized('photo', joined(photo, '<script>'))).toEqual({ refused: 'damaged' });
  expect(await recognized('photo', joined(photo, photo))).toEqual({ refused: 'damaged' });
});

test.each(['photo', 'recording', 'poster'] as const)(
  'a %s with one byte too many is refused unread',
  async (kind) => {
    const file = counted(maxBytes[kind] + 1, () => photo);
    expect(await recognize(kind, file)).toEqual({ refused: 'too large' });
    expect(file.reads).toBe(0);
  },
);

test('a picture or an MP4 file that ends early is damaged, wherever it ends', async () => {
  for (const name of ['h264-aac.mp4', 'h264-aac-moov-last.mp4', 'tone.m4a']) {
    const file = fixture(name);
    for (let length = 9; length < file.length; length += 31) {
      expect(await recognized('recording', file.subarray(0, length))).toEqual({ refused: 'damaged' });
    }
  }
  for (let length = 3; length < photo.length; length += 31) {
    expect(await recognized('photo', photo.subarray(0, length))).toEqual({ refused: 'damaged' });
  }
});

test('a video of 100 MB needs few reads, with its index at the end too', async () => {
  const [before, after] = [mp4.subarray(0, 0x28), mp4.subarray(0x28)];
  expect(after.length).toBeLessThan(64 * 1024);
  const padding = 100 * 1024 * 1024 - mp4.length;
  const header = Buffer.alloc(8);
  header.writeUInt32BE(padding);
  header.write('free', 4, 'latin1');
  const read = (from: number, to: number) => {
    const bytes = Buffer.alloc(to - from);
    for (const [start, part] of [
      [0, before],
      [before.length, header],
      [before.length + padding, after],
    ] as const) {
      for (let at = Math.max(from, start); at < Math.min(to, start + part.length); at += 1) {
        bytes[at - from] = part[at - start] ?? 0;
      }
    }
    return new Uint8Array(bytes);
  };
  const file = counted(100 * 1024 * 1024, read);
  expect(await recognize('recording', file)).toEqual({
    type: 'video/mp4',
    medium: 'video',
    hasLocation: false,
  });
  expect(file.reads).toBeLessThanOrEqual(3);
});

/** Returns sound whose length is a multiple of 128 bytes, as that of ID3v1 is. */
function soundOf128s(): Uint8Array {
  const sound = bareMp3();
  return joined(sound, new Uint8Array(-sound.length & 127));
}

/** Files of 100 MB that repeat a few bytes. */
const endless: Record<string, { start?: Uint8Array; repeated: Uint8Array }> = {
  'boxes of 8 bytes': { start: box('ftyp'), repeated: box('free') },
  'boxes of length 0': { start: box('ftyp'), repeated: joined('\0\0\0\0moov') },
  'boxes of length 1': {
    start: box('ftyp'),
    repeated: joined('\0\0\0\x01moov\x7f\xff\xff\xff\xff\xff\xff\xff'),
  },
  'boxes of 2^63 bytes': { start: box('ftyp'), repeated: joined('\0\0\0\x01mdat\x80\0\0\0\0\0\0\0') },
  'tracks in tracks': { start: joined(box('ftyp'), '\x04\0\0\0moov'), repeated: joined('\0\x10\0\0trak') },
  'small tracks': { start: joined(box('ftyp'), '\0\0\0\0moov'), repeated: box('trak', box('udta')) },
  'metadata of 700 KB each': {
    start: box('ftyp'),
    repeated: box('udta', new Uint8Array(700 * 1024)),
  },
  'WebM elements of 2 bytes': { start: fixture('opus.webm').subarray(0, 50), repeated: joined('\xec\x80') },
  'WebM elements of unknown size': { repeated: joined('\x1a\x45\xdf\xa3\xff\x18\x53\x80\x67\xff') },
  'fill bytes of a JPEG picture': { start: joined('\xff\xd8\xff\xe0'), repeated: joined('\xff') },
  'MP3 tags': { repeated: joined('ID3\x04\0\0\0\0\0\0') },
  'MP3 tags behind the sound': { start: soundOf128s(), repeated: joined(`TAG${'\0'.repeat(125)}`) },
  zeros: { repeated: joined('\0') },
  'an MP3 tag': { repeated: joined('ID3\x04\0\0\x7f\x7f\x7f\x7f') },
};

test.each(Object.entries(endless))(
  'of endless %s little is read',
  async (_, { start = joined(), repeated }) => {
    const file = counted(maxBytes.recording, (from, to) => {
      const read = start.subarray(from, to);
      const before = Math.max(0, from - start.length) % repeated.length;
      return joined(read, Buffer.alloc(before + to - from - read.length, repeated).subarray(before));
    });
    const result = await recognize('recording', file);
    expect(result).toHaveProperty('refused');
    expect(file.reads).toBeLessThanOrEqual(64);
    expect(file.bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
  },
);

const names = [
  'h264-aac.mp4',
  'h264-aac-fragmented.mp4',
  'drone.mp4',
  'vp8-opus.webm',
  'location.webm',
  'tone.mp3',
  'photo.jpg',
];

test('a file with any bytes changed or missing is recognized or refused, with few reads', async () => {
  const changes = fc.array(fc.record({ at: fc.nat(), by: fc.uint8Array({ minLength: 1, maxLength: 12 }) }), {
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), changes, fc.nat({ max: 100 }), async (name, all, kept) => {
      const original = fixture(name);
      const bytes = original.slice(0, Math.ceil((original.length * kept) / 100));
      for (const { at, by } of all) if (bytes.length > 12) bytes.set(by, at % (bytes.length - 12));
      for (const kind of ['photo', 'recording', 'poster'] as const) {
        const file = fileOf(bytes);
        const result = await recognize(kind, file);
        expect('refused' in result ? result.refused in refusedFormats : result.type).toBeTruthy();
        expect(file.reads).toBeLessThanOrEqual(64);
        expect(file.bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
      }
    }),
    { numRuns: 500 },
  );
});

test('an error of the storage is no refusal', async () => {
  const file = counted(100, () => {
    throw new Error('503 Slow Down');
  });
  await expect(recognize('recording', file)).rejects.toThrow('503 Slow Down');
});
