/** Photos and recordings: uploads to the bucket, refused ones, and their removal with the testimonial. */
import assert from 'node:assert/strict';
import { expectEqual, expectStatus, refused } from './expectations.ts';
import files from './media.json' with { type: 'json' };
import type { Organization } from './organization.ts';
import { testimonialBody } from './requests.ts';
import { each, rule, type Suite, withNeeds } from './suite.ts';

interface SignedUpload {
  upload: string;
  url: string;
  fields: Record<string, string>;
}

/** An MP3 with one second of a tone. */
const tone = new Uint8Array(Buffer.from(files.tone.join(''), 'base64'));

async function ask(api: Organization, body: object) {
  const token = await api.token('testimonials:read', 'testimonials:write');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  // An upload creates no testimonial.
  return api.visit({ method: 'POST', path: '/v1/uploads', headers, body: JSON.stringify(body) });
}

async function signed(api: Organization): Promise<SignedUpload> {
  const response = await ask(api, { kind: 'recording', type: 'audio/mpeg', bytes: tone.length });
  expectStatus(response, 201);
  return response.body;
}

/** Posts a file to the bucket, which is another host. */
async function post({ url, fields }: SignedUpload, file: Uint8Array = tone): Promise<number> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([Uint8Array.from(file)]));
  return (await fetch(url, { method: 'POST', body: form })).status;
}

const eraseLimitMs = 60_000;

const unchanged = () => {};

const refusals: [string, change: (upload: SignedUpload) => unknown, file: Uint8Array][] = [
  ['one byte more', unchanged, Uint8Array.from([...tone, 0])],
  ['one byte less', unchanged, tone.slice(1)],
  ['another key', ({ fields }) => (fields.key = `${fields.key}s`), tone],
  ['a key of other media', ({ fields }) => (fields.key = 'm/4fGhT2kLm9QwErTyUiOpAs'), tone],
  ['another type', ({ fields }) => (fields['Content-Type'] = 'text/html'), tone],
  ['another field', ({ fields }) => (fields.acl = 'public-read'), tone],
  ['a forged signature', ({ fields }) => (fields['X-Amz-Signature'] = '0'.repeat(64)), tone],
  ['a forged policy', ({ fields }) => (fields.Policy = Buffer.from('{}').toString('base64')), tone],
  ['no signature', ({ fields }) => delete fields['X-Amz-Signature'], tone],
  ['no policy', ({ fields }) => delete fields.Policy, tone],
];

export const media: Suite = {
  name: 'Photos and recordings',
  rules: [
    rule(
      'a recording is uploaded, claimed, shown once it is approved, and deleted with its testimonial',
      async (api) => {
        const upload = await signed(api);
        expectEqual('the status of the bucket', await post(upload), 204);
        const recording = { ...testimonialBody(), type: 'audio', media: { recording: upload.upload } };
        const created = await api.create(recording);
        expectStatus(created, 201);
        const { id, media } = created.body;
        expectEqual(
          'the recording',
          [media.recording.type, media.recording.bytes],
          ['audio/mpeg', tone.length],
        );
        const path = String(media.recording.url);
        expectStatus(await api.visit({ path }), 404);
        await api.change(id, { status: 'approved' });
        const shown = await api.visit({ path });
        expectStatus(shown, 302);
        const played = await fetch(String(shown.headers.location));
        expectEqual('the bytes', Buffer.compare(Buffer.from(await played.arrayBuffer()), tone), 0);
        await api.erase(id);
        expectStatus(await api.visit({ path }), 404);
        const isGone = async () => !(await fetch(String(shown.headers.location))).ok;
        return api.within(eraseLimitMs, isGone);
      },
    ),
    each('the bucket refuses a form with', refusals, async (api, _, change, file) => {
      const upload = await signed(api);
      change(upload);
      const status = await post(upload, file);
      assert([400, 403].includes(status), `the bucket answers ${status}`);
    }),
    rule('a create with an upload that does not exist is refused by the name of the field', async (api) => {
      const recording = 'a'.repeat(22);
      const response = await api.create({ ...testimonialBody(), type: 'audio', media: { recording } });
      refused(response, { status: 422, code: 'validation_error', fields: ['media.recording'] });
    }),
    rule('an upload that is too large is refused before it is signed', async (api) => {
      const response = await ask(api, { kind: 'photo', type: 'image/jpeg', bytes: 102_401 });
      refused(response, { status: 422, code: 'validation_error', fields: ['bytes'] });
    }),
  ].map(withNeeds('media')),
};
