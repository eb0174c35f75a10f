/** Photos and recordings that are sent with a form, from the upload to the erasure. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomInt } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makeRandomId, type Page, pathOfPage } from '../../../functions/domain/page.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import type { MediaKind } from '../../../functions/media/kinds.ts';
import { mediaIdOf, mediaView } from '../../../functions/media/media-view.ts';
import { translationOf } from '../../../functions/serve-pages/translations.ts';
import { openChanges } from '../../../functions/testimonials/changes.ts';
import { mediaFile, type TestBucket, testBucket } from '../../media-bucket.ts';
import { playStream } from '../../media-stream.ts';
import { addPage, hiddenFieldsOf, typedFields, type Visitor, visitorOf } from '../../page-visitor.ts';
import { storedTestimonials } from '../../stored-items.ts';
import { onTableCall } from '../../table-calls.ts';
import { createTestTable } from '../../test-table.ts';

let table: Table;
let bucket: TestBucket;
let visitor: Visitor;
let form: Page;
beforeEach(async () => {
  table = await createTestTable();
  bucket = testBucket();
  visitor = visitorOf(table, { bucket: bucket.bucket });
  form = await addPage(table, { settings: { ask: 'photo, video, audio' } });
});

const files: Record<string, [MediaKind, string, string]> = {
  video: ['recording', 'video/mp4', 'h264-aac.mp4'],
  audio: ['recording', 'audio/mpeg', 'tone.mp3'],
  photo: ['photo', 'image/jpeg', 'photo.jpg'],
  poster: ['poster', 'image/jpeg', 'photo.jpg'],
};
const all = ['photo', 'recording', 'poster'];

const stored = () => storedTestimonials(table);

const only = async () => {
  const testimonials = await stored();
  expect(testimonials).toHaveLength(1);
  return testimonials[0]?.testimonial ?? unreachable();
};

function ask(body: object, page = form) {
  const headers = { 'content-type': 'application/json' };
  return visitor.ask('POST', `${pathOfPage(page)}/uploads`, { body: JSON.stringify(body), headers });
}

/** Returns the signed form of an upload. */
async function signed(key: string, kind: MediaKind, type: string, bytes: number, page = form) {
  const { status, text } = await ask({ key, kind, type, bytes }, page);
  expect(status).toBe(200);
  return JSON.parse(text);
}

/** Uploads a file as a browser does, with its own type by default. */
async function upload(key: string, name: keyof typeof files & string, bytes?: Uint8Array): Promise<void> {
  const [kind, type, file] = files[name] ?? unreachable();
  const sent = bytes ?? mediaFile(file);
  expect((await bucket.post(await signed(key, kind, type, sent.length), sent)).status).toBe(204);
}

/** Sends the words; the kinds are those that were uploaded. */
function send(hidden: { key: string; shownAt: string }, kinds: string[] = all, more = {}) {
  const fields = { ...typedFields({ ...hidden, ...more }) };
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) body.append(name, String(value));
  for (const kind of kinds) body.append('media', kind);
  return visitor.ask('POST', pathOfPage(form), { body: String(body) });
}

async function uploaded(...names: string[]) {
  const hidden = await visitor.opened(form);
  for (const name of names) await upload(hidden.key, name);
  return hidden;
}

const changes = () => openChanges(table)('acme');

function unreachable(): never {
  throw new Error('unreachable');
}

/** Returns the keys of the bucket after its rules have deleted drafts and uploads. */
async function keysAfterTwoDays(): Promise<string[]> {
  bucket.clock.aheadMs = 2 * 24 * 60 * 60 * 1000;
  await bucket.expire();
  return bucket.keys();
}

const bothKinds = ['photo', 'recording'];
const typedText = 'Everything that I typed is still here.';

/** Without the rights of the function whose call it runs in. */
const outside = AsyncLocalStorage.snapshot();

const unharmed = () => undefined;

/** Runs work once, before the first call of the bucket that it is meant for. */
function runBefore(isMeant: (call: string, number: number) => boolean, work: () => Promise<unknown>): void {
  bucket.fault = async (call, number) => {
    if (!isMeant(call, number)) return undefined;
    bucket.fault = unharmed;
    await outside(work);
    return undefined;
  };
}
const isCopy = (call: string) => call.startsWith('PUT');

/** For budgets, whose minute could end on a busy machine. */
const now = () => new Date(Date.UTC(2026, 10, 29, 1, 0, 5));

describe('a submission', () => {
  test('stores one testimonial with its media, of the type of the recording, however often it is sent', async () => {
    const hidden = await uploaded('video', 'photo', 'poster');
    for (const _ of [1, 2, 3]) expect(await send(hidden)).toMatchObject({ status: 303 });
    const { id, type, media } = await only();
    expect(type).toBe('video');
    const bytes = mediaFile('h264-aac.mp4').length;
    expect(media).toEqual({
      photo: { type: 'image/jpeg' },
      recording: { type: 'video/mp4', bytes },
      poster: { type: 'image/jpeg' },
    });
    const keys = (['photo', 'recording', 'poster'] as const).map(
      (kind) => `m/${mediaIdOf('acme', id, kind)}`,
    );
    expect(await bucket.keys()).toEqual(keys.sort());
    expect(await keysAfterTwoDays()).toHaveLength(3);
  });

  test.each<[string, string[], object]>([
    ['unchanged', bothKinds, {}],
    ['without its media', [], {}],
    ['with another text', bothKinds, { content: 'The same text, with the typo corrected.' }],
  ])('keeps words and files while the bucket fails, and sent again %s it is stored so', async (...of) => {
    const [, kinds, more] = of;
    const hidden = await uploaded('video', 'photo');
    bucket.fault = (call) => (call.startsWith('PUT') ? new Response(null, { status: 503 }) : undefined);
    for (const _ of [1, 2]) {
      const { status, text } = await send(hidden, bothKinds, { content: typedText });
      expect(status).toBe(500);
      const media = bothKinds.map((kind) => `name="media" value="${kind}"`);
      for (const kept of [typedText, hidden.key, ...media]) expect(text).toContain(kept);
    }
    bucket.fault = unharmed;
    const fields = { content: typedText, ...more };
    for (const _ of [1, 2]) expect((await send(hidden, kinds, fields)).status).toBe(303);
    const { media = {}, ...stored } = await only();
    expect(stored).toMatchObject(fields);
    expect(Object.keys(media)).toEqual(kinds);
    expect(await keysAfterTwoDays()).toHaveLength(kinds.length);
  });

  test.each(['at once', 'after the stream'])(
    'sent again %s with another recording is asked about, and the second one sent becomes a testimonial',
    async (moment) => {
      const hidden = await uploaded('video');
      expect((await send(hidden, ['recording'])).status).toBe(303);
      await upload(hidden.key, 'audio');
      if (moment === 'after the stream') await playStream(table, bucket);
      const asked = await send(hidden, ['recording']);
      expect([asked.status, asked.text.includes('You have already sent this form')]).toEqual([422, true]);
      expect(await only()).toMatchObject({ type: 'video' });
      const again = hiddenFieldsOf(asked.text);
      await upload(again.key, 'audio');
      expect((await send(again, ['recording'])).status).toBe(303);
      expect((await stored()).map(({ testimonial }) => testimonial.type)).toEqual(['video', 'audio']);
      await playStream(table, bucket);
      expect(await keysAfterTwoDays()).toHaveLength(2);
    },
  );

  test('sent with another recording while the first one is stored is asked about', async () => {
    const hidden = await uploaded('video');
    const submit = () => send(hidden, ['recording']);
    const copies = Promise.withResolvers<void>();
    let second: Promise<{ status: number }> | undefined;
    // The second one finds no testimonial yet, and then copies after the first one has stored it.
    bucket.fault = async (call, _, forward) => {
      if (!call.startsWith('PUT')) return undefined;
      if (second) {
        copies.resolve();
        await first;
        return undefined;
      }
      const copied = await forward();
      await outside(() => upload(hidden.key, 'audio'));
      second = outside(submit);
      await copies.promise;
      return copied;
    };
    const first = submit();
    expect((await first).status).toBe(303);
    expect((await second)?.status).toBe(422);
    expect(await only()).toMatchObject({ type: 'video' });
  });

  test('whose copy conflicts with another call of the bucket is copied again', async () => {
    const hidden = await uploaded('photo');
    bucket.fault = (call) => {
      if (!call.startsWith('PUT m/')) return undefined;
      bucket.fault = unharmed;
      return new Response('<Error><Code>ConditionalRequestConflict</Code></Error>', { status: 409 });
    };
    expect((await send(hidden, ['photo'])).status).toBe(303);
    expect((await only()).media).toMatchObject({ photo: {} });
  });

  test('reads erasures only if it is repeated with media and its testimonial is not stored', async () => {
    const callsOf = async (work: () => Promise<unknown>) => {
      const names: string[] = [];
      onTableCall(table, (name) => names.push(name));
      await work();
      onTableCall(table, () => {});
      return names.length;
    };
    const [hidden, plain] = [await uploaded('photo'), await uploaded()];
    const first = await callsOf(() => send(hidden, ['photo']));
    expect(await callsOf(() => send(plain, []))).toBe(first);
    const repeated = await callsOf(() => send(hidden, ['photo']));
    expect(await callsOf(() => send(plain, []))).toBe(repeated);
    for (const { testimonial } of await stored()) await changes().erase(testimonial.id);
    await playStream(table, bucket);
    const before = bucket.calls.length;
    const erased = await callsOf(() => send(hidden, ['photo']));
    expect(bucket.calls.slice(before)).toEqual([]);
    // Without media the insert finds the erasure: a write and a read.
    expect(await callsOf(() => send(plain, []))).toBe(erased + 1);
  });

  test('sent again between any two calls of the first shows the thanks twice', async () => {
    const alone = await uploaded('photo');
    const before = bucket.calls.length;
    await send(alone, ['photo']);
    const calls = bucket.calls.length - before;
    for (let at = 0; at < calls; at += 1) {
      const hidden = await uploaded('photo');
      const start = bucket.calls.length;
      let second: number | undefined;
      runBefore(
        (_, number) => number - start > at,
        async () => {
          second = (await send(hidden, ['photo'])).status;
        },
      );
      expect((await send(hidden, ['photo'])).status).toBe(303);
      expect(second).toBe(303);
    }
    expect(calls).toBeGreaterThan(4);
    expect(await stored()).toHaveLength(calls + 1);
    await playStream(table, bucket);
    expect(await keysAfterTwoDays()).toHaveLength(calls + 1);
  });

  test('without media, or of a form that asks for none, makes no call of the bucket', async () => {
    const without = await addPage(table);
    expect((await send(await uploaded(), ['film'])).status).toBe(303);
    form = without;
    expect((await send(await visitor.opened(form), all)).status).toBe(303);
    expect(bucket.calls).toEqual([]);
    for (const { testimonial } of await stored()) expect(testimonial).not.toHaveProperty('media');
  });

  test.each<[string, string[], string[], string]>([
    ['a missing recording', ['photo'], ['photo', 'recording'], 'missing'],
    ['a poster of an audio recording', ['audio', 'poster'], ['recording', 'poster'], 'needs a video'],
    ['a poster alone', ['poster'], ['poster'], 'needs a video'],
  ])(
    'with %s shows the form again with everything typed, and stores nothing',
    async (_, names, kinds, why) => {
      const hidden = await uploaded(...names);
      const { status, text, logged } = await send(hidden, kinds, { content: typedText });
      expect(status).toBe(422);
      expect(text).toContain(typedText);
      expect(text).toContain(hidden.key);
      expect(text).toContain(
        '<p>The file did not arrive completely. Nothing was sent yet. Your text is still here.</p>',
      );
      expect(logged).toContain(why);
      expect(await stored()).toEqual([]);
    },
  );

  test('refuses a recording that the form does not ask for', async () => {
    form = await addPage(table, { settings: { ask: 'audio' } });
    const hidden = await visitor.opened(form);
    await upload(hidden.key, 'video');
    const { logged, text } = await send(hidden, ['recording']);
    expect(logged).toContain('not asked for');
    expect(text).toContain('<p>Please choose an audio file. Nothing was sent yet.');
    expect(await stored()).toEqual([]);
  });

  const refusedFiles = [
    [
      'HTML',
      new TextEncoder().encode('<!doctype html><script>alert(1)</script>'),
      'other format',
      'otherFormat',
    ],
    ['HEVC', mediaFile('hevc.mp4'), 'hevc', 'hevc'],
    ['a truncated video', mediaFile('h264-aac-moov-last.mp4').slice(0, 3000), 'damaged', 'damaged'],
    ['a video with its place', mediaFile('location-rotated.mov'), 'has location', 'hasLocation'],
  ] as const;

  test.each(refusedFiles)(
    'refuses %s that is named video/mp4, says why in the language of the form, and keeps what was typed',
    async (_, file, why, name) => {
      form = await addPage(table, { settings: { ask: 'photo, video, audio', lang: 'de' } });
      const hidden = await visitor.opened(form);
      await upload(hidden.key, 'video', file);
      await upload(hidden.key, 'photo');
      const refused = await send(hidden, bothKinds, { content: typedText });
      expect([refused.status, refused.logged.includes(why)]).toEqual([422, true]);
      const { media, form: texts } = translationOf('de') ?? unreachable();
      expect(refused.text).toContain(`<p>${media[name]} ${texts.sendAgain}</p>`);
      expect(refused.text).toContain(typedText);
      // The photo need not be sent again.
      expect(refused.text).toContain('name="media" value="photo"');
      expect(refused.text).not.toContain('name="media" value="recording"');
      expect(await stored()).toEqual([]);
    },
  );

  test.each([
    ['SVG', new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'not a picture'],
    ['a photo with EXIF and a place', mediaFile('landscape.jpg'), ''],
  ])('refuses %s as a photo', async (_, file, why) => {
    const hidden = await visitor.opened(form);
    await upload(hidden.key, 'photo', file);
    const { status, logged, text } = await send(hidden, ['photo']);
    expect(status).toBe(422);
    expect(logged).toContain(why);
    expect(text).toContain(
      '<p>This picture cannot be opened. Choose a JPEG or PNG picture. Nothing was sent yet.',
    );
  });
});

describe('an upload', () => {
  const key = '0123456789012345678901';
  const valid = { key, kind: 'recording', type: 'video/mp4', bytes: 1000 };

  test.each<[string, object | string, Record<string, unknown>]>([
    ['no JSON', 'x', { body: 'must be JSON' }],
    ['no key', { ...valid, key: 'x' }, { key: 'must be the key of the form' }],
    ['another kind', { ...valid, kind: 'film' }, { kind: 'must be one of photo, recording, poster' }],
    ['a photo of another type', { ...valid, kind: 'photo' }, { type: 'must be one of image/jpeg' }],
    [
      'one byte too many',
      { ...valid, bytes: 104_857_601 },
      { bytes: 'must be at most 104,857,600 bytes for a recording' },
    ],
    ['no byte', { ...valid, bytes: 0 }, { bytes: expect.stringContaining('integer from 1') }],
  ])('with %s is refused by the name of the field', async (_, body, details) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { status, text: response } = await visitor.ask('POST', `${pathOfPage(form)}/uploads`, {
      body: text,
    });
    expect(status).toBe(422);
    expect(JSON.parse(response)).toMatchObject({ error: { code: 'validation_error', details } });
  });

  test('that the form does not ask for is refused', async () => {
    form = await addPage(table, { settings: { ask: 'photo' } });
    const { status, text } = await ask(valid);
    expect([status, JSON.parse(text).error.details]).toEqual([
      422,
      { kind: 'is not asked for by this form' },
    ]);
  });

  test('has no form without media, and on no wall', async () => {
    const without = visitorOf(table);
    expect((await without.ask('POST', `${pathOfPage(form)}/uploads`, { body: '{}' })).status).toBe(404);
    const wall = await addPage(table, { kind: 'wall' });
    expect((await ask(valid, wall)).status).toBe(404);
    expect((await visitor.get(`${pathOfPage(form)}/uploads`)).status).toBe(404);
  });

  test('pays before it is signed, from half of the share; the other half stays for words', async () => {
    let now = Date.UTC(2026, 10, 29, 1, 0, 5);
    const limits = { dollars: 0.5, dailyDollars: 1 };
    visitor = visitorOf(table, { bucket: bucket.bucket, limits, now: () => new Date(now) });
    const hidden = await visitor.opened(form);
    const largest = { ...valid, bytes: 104_857_600 };
    let [text, headers]: [string, Record<string, string>] = ['', {}];
    for (let minutes = 0; Number(headers['retry-after'] ?? 0) <= 60; minutes += 1, now += 60_000) {
      expect(minutes).toBeLessThan(10);
      for (const _ of [1, 2, 3, 4, 5, 6, 7]) ({ text, headers } = await ask(largest));
      expect((await send(hidden, [], { key: makeRandomId(randomInt) })).status).toBe(303);
    }
    expect(JSON.parse(text).error.code).toBe('rate_limited');
    expect(text).not.toContain('Signature');
    expect((await send(hidden, [])).status).toBe(303);
  });
});

describe('media of a testimonial', () => {
  async function sent() {
    expect((await send(await uploaded('video', 'photo', 'poster'))).status).toBe(303);
    const testimonial = await only();
    const { photo, recording } = mediaView('acme', testimonial) ?? {};
    const [photoUrl = '', videoUrl = '', posterUrl = ''] = [photo?.url, recording?.url, recording?.poster];
    return { id: testimonial.id, photoUrl, videoUrl, posterUrl };
  }
  const setStatus = (id: string, status: 'approved' | 'rejected' | 'pending') =>
    changes().change(id, { status });

  test('are seen by everyone once it is approved, and again by nobody once it is not', async () => {
    const { id, photoUrl, videoUrl, posterUrl } = await sent();
    const unknown = await visitor.get(`/m/${makeRandomId(() => 7)}`);
    expect(unknown.status).toBe(404);
    const seen = async () => {
      const pages = await Promise.all([photoUrl, videoUrl, posterUrl].map((url) => visitor.get(url)));
      // One 404, which says nothing about what is there.
      for (const { status, text } of pages)
        if (status === 404) expect(text.replace(/\/m\/\w+/g, '')).toBe(unknown.text.replace(/\/m\/\w+/g, ''));
      return pages.map(({ status }) => status);
    };
    expect(await seen()).toEqual([404, 404, 404]);
    await setStatus(id, 'approved');
    expect(await seen()).toEqual([200, 302, 200]);
    await setStatus(id, 'rejected');
    expect(await seen()).toEqual([404, 404, 404]);
    await setStatus(id, 'approved');
    await changes().erase(id);
    expect(await seen()).toEqual([404, 404, 404]);
  });

  test('are pictures, and a URL of the bucket', async () => {
    const { id, photoUrl, videoUrl } = await sent();
    await setStatus(id, 'approved');
    const photo = await visitor.get(photoUrl);
    expect(photo.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=60',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect((await visitor.get(photoUrl, { 'if-none-match': photo.headers.etag })).status).toBe(304);
    const { location = '' } = (await visitor.get(videoUrl)).headers;
    const played = await bucket.fetch(new Request(location));
    expect(new Uint8Array(await played.arrayBuffer())).toEqual(mediaFile('h264-aac.mp4'));
    // A HEAD leads to a URL that shows the headers alone.
    const { status, headers } = await visitor.ask('HEAD', videoUrl);
    expect([status, headers['cache-control']]).toEqual([302, 'no-store']);
    const fetched = async (method: string) =>
      (await bucket.fetch(new Request(String(headers.location), { method }))).status;
    expect([await fetched('HEAD'), await fetched('GET')]).toEqual([200, 403]);
  });

  test('cannot be changed with a form that was signed before', async () => {
    const hidden = await visitor.opened(form);
    const bytes = mediaFile('h264-aac.mp4');
    const upload = await signed(hidden.key, 'recording', 'video/mp4', bytes.length);
    await bucket.post(upload, bytes);
    expect((await send(hidden, ['recording'])).status).toBe(303);
    const { id } = await only();
    await setStatus(id, 'approved');
    const others = bytes.map(() => 7);
    expect((await bucket.post(upload, others)).status).toBe(204);
    await send(hidden, ['recording']);
    const { location = '' } = (await visitor.get(`/m/${mediaIdOf('acme', id, 'recording')}`)).headers;
    const played = await bucket.fetch(new Request(location));
    expect(new Uint8Array(await played.arrayBuffer())).toEqual(bytes);
  });

  test('cost their bytes at each play, from half of the share of walls; the other half stays for walls', async () => {
    const { id, videoUrl, photoUrl } = await sent();
    await setStatus(id, 'approved');
    const wall = await addPage(table, { kind: 'wall' });
    // Each play of 100 MB costs a cent, and the half of the share is 12.5 cents.
    bucket.fault = async (call, _, forward) => {
      if (!call.startsWith('HEAD m/')) return undefined;
      const headers = new Headers((await forward()).headers);
      headers.set('content-length', '104857600');
      return new Response(null, { headers });
    };
    visitor = visitorOf(table, { bucket: bucket.bucket, limits: { dollars: 0.5, dailyDollars: 10 }, now });
    const heads = Array.from({ length: 40 }, () => visitor.ask('HEAD', videoUrl));
    for (const { status } of await Promise.all(heads)) expect(status).toBe(302);
    const statuses = [];
    for (let i = 0; i < 16; i += 1) statuses.push((await visitor.get(videoUrl)).status);
    expect([statuses[11], statuses.at(-1)]).toEqual([302, 429]);
    bucket.fault = unharmed;
    for (const url of [photoUrl, pathOfPage(wall)]) expect((await visitor.get(url)).status).toBe(200);
  });

  test('that are erased while they are read are not found', async () => {
    const { id, photoUrl } = await sent();
    await setStatus(id, 'approved');
    bucket.fault = async (call) => {
      if (call.startsWith('GET m/')) await bucket.store.remove(photoUrl.slice(1));
      return undefined;
    };
    expect((await visitor.get(photoUrl)).status).toBe(404);
  });
});

describe('a submission that stops before its media last', () => {
  const stopped = async () => {
    const hidden = await uploaded('video', 'photo');
    bucket.fault = (call) => {
      if (call.includes('tagging')) throw new Error('The function has stopped');
      return undefined;
    };
    expect((await send(hidden, bothKinds)).status).toBe(500);
    bucket.fault = unharmed;
    return only();
  };

  test('has them after the stream', async () => {
    expect((await stopped()).media).toMatchObject({ photo: {}, recording: {} });
    await playStream(table, bucket);
    expect(await keysAfterTwoDays()).toHaveLength(2);
  });

  test('leaves nothing after an erasure, not even its uploads', async () => {
    await changes().erase((await stopped()).id);
    await playStream(table, bucket);
    expect(await bucket.keys()).toEqual([]);
  });
});

describe('an erasure', () => {
  test('is repeated by the stream until its bytes are gone, and nobody sees them meanwhile', async () => {
    expect((await send(await uploaded('video', 'photo', 'poster'))).status).toBe(303);
    const { id } = await only();
    await changes().change(id, { status: 'approved' });
    const url = `/m/${mediaIdOf('acme', id, 'photo')}`;
    expect((await visitor.get(url)).status).toBe(200);
    await changes().erase(id);
    bucket.fault = () => {
      throw new TypeError('fetch failed');
    };
    for (const _ of [1, 2]) {
      const { batchItemFailures, lines } = await playStream(table, bucket);
      expect(batchItemFailures).toHaveLength(1);
      expect(lines).toContainEqual(expect.objectContaining({ message: 'Media cannot be kept or deleted' }));
      expect((await visitor.get(url)).status).toBe(500);
    }
    bucket.fault = unharmed;
    expect(await bucket.keys()).toHaveLength(3);
    expect((await visitor.get(url)).status).toBe(404);
    // Twice, as after a restore.
    for (const _ of [1, 2]) expect((await playStream(table, bucket)).batchItemFailures).toEqual([]);
    expect(await bucket.keys()).toEqual([]);
  });

  test('deletes the bytes although a missing right hides them, and fails if it may not delete them', async () => {
    expect((await send(await uploaded('video', 'photo'), bothKinds)).status).toBe(303);
    await changes().erase((await only()).id);
    // S3 responds alike to a missing object and a missing right.
    const deny = (method: string) => (call: string) =>
      call.startsWith(method) ? new Response(null, { status: 403 }) : undefined;
    bucket.fault = deny('DELETE');
    expect((await playStream(table, bucket)).batchItemFailures).toHaveLength(1);
    expect(await bucket.keys()).toHaveLength(2);
    bucket.fault = deny('HEAD');
    expect((await playStream(table, bucket)).batchItemFailures).toEqual([]);
    expect(await bucket.keys()).toEqual([]);
  });
});

test('an erasure leaves nothing of a testimonial that another request stores while this one copies', async () => {
  const hidden = await uploaded('video', 'photo');
  const submit = () => send(hidden, bothKinds);
  // The first one stops before it stores the testimonial.
  bucket.fault = (call) => (call.startsWith('PUT') ? new Response(null, { status: 500 }) : undefined);
  expect((await submit()).status).toBe(500);
  runBefore(isCopy, async () => {
    expect((await submit()).status).toBe(303);
    await changes().erase((await only()).id);
  });
  expect((await submit()).status).toBe(303);
  expect(await stored()).toEqual([]);
  expect(await bucket.keys()).toEqual([]);
});

test('an erasure leaves nothing of an attempt that copied another recording', async () => {
  const hidden = await uploaded('video');
  const stop = () => {
    throw new Error('The function has stopped');
  };
  bucket.fault = async (call, _, forward) => {
    if (!call.startsWith('PUT')) return undefined;
    onTableCall(table, stop);
    return forward();
  };
  expect((await send(hidden, ['recording'])).status).toBe(500);
  bucket.fault = unharmed;
  onTableCall(table, () => {});
  expect((await bucket.keys()).some((key) => key.startsWith('m/'))).toBe(true);
  await upload(hidden.key, 'audio');
  expect((await send(hidden, ['recording'])).status).toBe(303);
  await changes().erase((await only()).id);
  await playStream(table, bucket);
  expect(await bucket.keys()).toEqual([]);
});

test('bytes that change between the check and the copy are refused', async () => {
  const hidden = await uploaded('video');
  const bytes = mediaFile('h264-aac.mp4').map(() => 9);
  const again = await signed(hidden.key, 'recording', 'video/mp4', bytes.length);
  runBefore(isCopy, () => bucket.post(again, bytes));
  const { status, logged } = await send(hidden, ['recording']);
  expect([status, logged.includes('changed')]).toEqual([422, true]);
  expect(await stored()).toEqual([]);
  await playStream(table, bucket);
  expect(await keysAfterTwoDays()).toEqual([]);
});
