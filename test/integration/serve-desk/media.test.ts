/** Photos and recordings at the desk: forms that ask for them, and players above the words. */
import { beforeEach, expect, test } from '@jest/globals';
import { pageStore } from '../../../functions/accounts/dynamodb-page-store.ts';
import type { MediaClaim } from '../../../functions/domain/outcomes.ts';
import type { StoredMedia } from '../../../functions/domain/testimonial.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { mediaIdOf } from '../../../functions/media/media-view.ts';
import { openCreates } from '../../../functions/testimonials/creates.ts';
import { type Browser, deskOf, openDesk } from '../../desk-client.ts';
import { testBucket } from '../../media-bucket.ts';
import { addPage } from '../../page-visitor.ts';
import { input } from '../../testimonials.ts';

let table: Table;
let owner: Browser;
beforeEach(async () => {
  ({ table, owner } = await openDesk({ pages: true, bucket: testBucket().bucket }));
});

/** Creates a testimonial with the facts of media, and returns its id. */
async function create(media: StoredMedia, type: 'text' | 'video' | 'audio'): Promise<string> {
  const claim = {
    named: {},
    verify: async () => ({ media, ...(type !== 'text' && { type }) }),
    copy: async () => true,
    keep: async () => {},
  } as unknown as MediaClaim; // a create that meets no other calls nothing else
  const options = { idempotencyKey: `form of ${type}`, media: claim };
  const { testimonial } = await openCreates(table)('acme').create(input, options);
  return testimonial.id;
}

const settingsOfPages = async () => (await pageStore(table).list('acme')).map(({ settings }) => settings);
const previewed = async (id: string, fields: Record<string, string | string[]>) =>
  (await owner.post(`/desk/pages/${id}/preview`, { title: 'x', ...fields })).text;

test('a new form asks for a photo; the editor has a switch for each kind, and shows the form and its consent', async () => {
  await owner.post('/desk/pages', { title: 'Tell us', kind: 'form' });
  expect(await settingsOfPages()).toEqual([{ ask: 'photo' }]);
  const [{ id = '' } = {}] = await pageStore(table).list('acme');
  const switches = async () =>
    (await owner.get(`/desk/pages/${id}`)).text.match(/name="ask" value="\w+" (checked)?/g);
  expect(await switches()).toEqual([
    'name="ask" value="photo" checked',
    'name="ask" value="video" ',
    'name="ask" value="audio" ',
  ]);
  const preview = await previewed(id, { ask: ['video', 'audio'] });
  expect(preview).toContain('value="Record a video"');
  expect(preview).not.toContain('class="photo');
  expect(preview).toContain('my recording');
  const saved = await owner.send(`/desk/pages/${id}`, { title: 'x', ask: ['video', 'audio'], lang: 'de' });
  expect(await settingsOfPages()).toMatchObject([{ ask: 'video,audio' }]);
  expect(saved.text).toContain('meine Aufnahme');
  await owner.send(`/desk/pages/${id}`, { title: 'x' });
  expect((await settingsOfPages())[0]).not.toHaveProperty('ask');
});

test('pages load the script of players only if the deployment has media', async () => {
  const isLoaded = async (browser: Browser) => /players\.js/.test((await browser.get('/desk/queue')).text);
  expect(await isLoaded(owner)).toBe(true);
  expect(await isLoaded(await (await deskOf(table)).signedIn())).toBe(false);
});

test('without media the editor offers none, and keeps what a form asks for', async () => {
  const other = await (await deskOf(table, { pages: true })).signedIn({ role: 'owner' });
  const { id } = await addPage(table, { settings: { ask: 'photo' } });
  expect((await other.get(`/desk/pages/${id}`)).text).not.toContain('name="ask"');
  expect((await other.get(`/desk/pages/${id}/preview`)).text).not.toContain('class="photo');
  await other.send(`/desk/pages/${id}`, { title: 'x' });
  expect(await settingsOfPages()).toMatchObject([{ ask: 'photo' }]);
});

test('the queue and the list have the player above the words, and the photo beside the name', async () => {
  const photo = { type: 'image/jpeg' };
  const id = await create({ photo, recording: { type: 'video/mp4', bytes: 9 }, poster: photo }, 'video');
  const urlOf = (kind: 'photo' | 'recording' | 'poster') => `/desk/m/${mediaIdOf('acme', id, kind)}`;
  for (const path of ['/desk/queue', '/desk/list']) {
    const { text, headers } = await owner.get(path);
    const player = text.indexOf(
      `<video src="${urlOf('recording')}" controls preload="none" aria-label="Recording of Jane Doe" playsinline poster="${urlOf('poster')}">`,
    );
    expect(player).toBeGreaterThan(0);
    expect(text.indexOf('<p class="content')).toBeGreaterThan(player);
    expect(text).toContain(`<img class="photo" src="${urlOf('photo')}" alt=""`);
    expect(headers['content-security-policy']).toContain("media-src 'self' http://bucket.localhost");
  }
});

test('sound has a player, and media elsewhere are a link', async () => {
  await create(
    { recording: { type: 'audio/mpeg', bytes: 9 }, url: 'https://www.example.com/"><b>' },
    'audio',
  );
  const { text } = await owner.get('/desk/queue');
  expect(text).toMatch(/<audio src="\/desk\/m\/\w{22}" controls preload="none"/);
  expect(text).toContain(
    'href="https://www.example.com/&quot;&gt;&lt;b&gt;" target="_blank" rel="noopener noreferrer"',
  );
});
