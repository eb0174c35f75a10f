import { describe, expect, test } from '@jest/globals';
import type { Brand } from '../../../functions/domain/brand.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { listBodyOf } from '../../../functions/list-testimonials/make-list-body.ts';
import { wallCode } from '../../../functions/serve-pages/bundle.ts';
import type { PageCode } from '../../../functions/serve-pages/form-page.ts';
import { published, readWallSettings } from '../../../functions/serve-pages/page-settings.ts';
import { wallData, wallPage } from '../../../functions/serve-pages/wall-page.ts';
import englishTexts from '../../../functions/serve-pages/wall-texts.json' with { type: 'json' };
import { generateTestimonials } from '../../zipf/generate-testimonials.ts';
import { hostileTestimonial, hostileTexts } from './hostile.ts';

// Bundling takes a second.
const code = await wallCode();

const generated = Array.from(generateTestimonials(60), ({ testimonial }) => testimonial);

const video = {
  photo: { type: 'image/jpeg' },
  recording: { type: 'video/webm', bytes: 9 },
  poster: { type: 'image/jpeg' },
};

interface WallOptions {
  title?: string;
  settings?: Record<string, string>;
  number?: number;
  code?: PageCode;
  brand?: Brand;
}

/** Returns a page of a wall with these testimonials. */
function viewOf(
  testimonials: readonly Testimonial[],
  {
    title = 'Our customers',
    settings: values = {},
    number = 1,
    code = { style: '', script: '' },
    brand = {},
  }: WallOptions,
) {
  const settings = readWallSettings({ limit: '24', ...values }, number);
  const { limit } = settings.query;
  const shown = testimonials.slice((number - 1) * limit, number * limit);
  const list = published.show(
    listBodyOf(settings.query, { testimonials: shown, total: testimonials.length }),
    'acme',
  );
  const id = '4fGhT2kLm9QwErTyUiOpAs';
  const page = { id, title, kind: 'wall', settings: values, organization: 'acme', createdAt: '' } as const;
  return { page, brand, settings, url: `https://api.example.com/w/${id}`, code, list };
}

const wallOf = (testimonials: readonly Testimonial[], options: WallOptions = {}) =>
  String(wallPage(viewOf(testimonials, options)));
const dataOf = (testimonials: readonly Testimonial[], options: WallOptions = {}) =>
  wallData(viewOf(testimonials, options));

function one(overrides: Partial<Testimonial>): Testimonial {
  return { ...hostileTestimonial('plain', 1), ...overrides };
}

const tagsIn = (html: string) => Array.from(html.matchAll(/<[a-z!/][^>]*>/gi), ([tag]) => tag);
const metaIn = (html: string, name: string) =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(html)?.[1];
const linksIn = (html: string) =>
  Array.from(html.matchAll(/<a class="(\w+)" rel="(\w+)" href="([^"]*)">([^<]*)/g), ([, ...parts]) => parts);
const countIn = (html: string) => / class="(?:count|visually-hidden)"[^>]*>([^<]*)</.exec(html)?.[1];

describe('a page of a wall', () => {
  test('with 24 long testimonials with media has at most 60 KB, with styles and script', () => {
    const long = generated.map((each) => ({
      ...each,
      content: each.content.padEnd(300, ' and more'),
      media: video,
    }));
    expect(Buffer.byteLength(wallOf(long, { code }))).toBeLessThanOrEqual(60_000);
  });

  test.each([
    ['columns', `Great${'\n'.repeat(300)}service`, 'long'],
    ['columns', Array(8).fill('A line').join('\n\n'), 'long'],
    ['columns', Array(8).fill('A line').join('\n'), 'short'],
    ['columns', Array(9).fill('A line').join('\n'), 'long'],
    ['row', Array(3).fill('A line').join('\n\n'), 'short'],
    ['row', Array(4).fill('A line').join('\n\n'), 'long'],
  ])('with the look %s counts blank lines, case %#', (look, content, size) => {
    const html = wallOf([one({ content })], { settings: { look } });
    expect(/class="quote (\w+)"/.exec(html)?.[1]).toBe(size);
    expect(html.includes('class="unfold"')).toBe(size === 'long');
  });

  test('contains its styles and script, nothing inline besides them, and loads nothing', () => {
    const html = wallOf([...hostileTexts.map(hostileTestimonial), ...generated], { code });
    expect(html).toContain(`<style>${code.style}</style>`);
    expect(html).toContain(`<script>${code.script}</script>`);
    const tags = tagsIn(html.replace(code.script, '').replace(code.style, '')).join('');
    expect(tags.match(/<script[^>]*>/g)).toEqual(['<script>']);
    expect(tags.match(/<style[^>]*>/g)).toEqual(['<style>']);
    expect(tags).not.toMatch(/ (style|on\w+)=/);
    expect(tags.match(/ (src|srcset|action|data)="/g)).toBeNull();
    expect(code.style).not.toMatch(/url\(|@import|@font-face/);
  });

  test.each(hostileTexts)(
    'shows %j as text, in the title, the texts, every field and link previews',
    (text) => {
      const texts = Object.fromEntries(Object.keys(englishTexts).map((name) => [name, text]));
      const settings = { texts: JSON.stringify(texts) };
      const elementsIn = (html: string) =>
        tagsIn(html)
          .map((tag) => /^<\/?[a-z!]+/i.exec(tag)?.[0])
          .filter((tag) => !/details|summary|span/.test(tag ?? ''));
      const html = wallOf([hostileTestimonial(text, 1)], { title: text, settings });
      expect(elementsIn(html)).toEqual(elementsIn(wallOf([hostileTestimonial('plain', 1)])));
      expect(html).not.toMatch(/<script>globalThis|<img|<svg onload|<h1>mine/);
      // In attributes, quotes are escaped.
      for (const tag of tagsIn(html)) expect(tag).toMatch(/^<\/?[a-z!]+\d?(\s+[a-z-]+(="[^"<>]*")?)*\/?>$/i);
    },
  );

  test.each([
    [{ role: 'Head of Support', company: 'Acme Inc.' }, '<bdi>Head of Support</bdi>, <bdi>Acme Inc.</bdi>'],
    [{ role: 'Head of Support' }, '<bdi>Head of Support</bdi>'],
    [{ company: 'Acme Inc.' }, '<bdi>Acme Inc.</bdi>'],
    [{}, undefined],
  ])('shows the job title and the company below the name: %j', (of, shown) => {
    const html = wallOf([one({ author: { name: 'Jane Doe', email: 'jane@example.com', ...of } })]);
    expect(/<span class="affiliation">(.*?)<\/span>/.exec(html)?.[1]).toBe(shown);
  });

  test('has no internal tags', () => {
    const testimonials = [one({ tags: ['Featured', 'support'] })];
    for (const all of [wallOf(testimonials), JSON.stringify(dataOf(testimonials))]) {
      expect(all).toContain('support');
      expect(all).not.toMatch(/featured/i);
    }
    const settings = { 'own-tags': 'support,internal' };
    expect(dataOf(testimonials, { settings }).testimonials[0]?.tags).toEqual(['Featured']);
    expect(wallOf(testimonials, { settings })).not.toContain('support');
  });

  test.each([
    ['stored decomposed', 'gro\u0308ße', 'Größe'],
    ['in another case', 'STRASSE', 'Straße'],
    ['with invisible characters', 'in\u00adternal', 'intern\u200bal'],
    ['stored with invisible characters', '\ufeffinternal\u2060', 'Internal'],
  ])('has no internal tag that is %s', (_, tag, own) => {
    const testimonials = [one({ tags: [tag, 'shown'] })];
    const settings = { 'own-tags': `other, ${own}` };
    expect(dataOf(testimonials, { settings }).testimonials[0]?.tags).toEqual(['shown']);
    expect(wallOf(testimonials, { settings }).match(/class="tag"/g)).toHaveLength(1);
  });

  test('says how many there are, on further pages which of them it shows, and links to its neighbours', () => {
    const path = '/w/4fGhT2kLm9QwErTyUiOpAs';
    const pages = [1, 2, 3, 4].map((number) => wallOf(generated, { number }));
    expect(pages.map(countIn)).toEqual([
      '60 testimonials',
      'Showing 25–48 of 60 testimonials',
      'Showing 49–60 of 60 testimonials',
      '60 testimonials',
    ]);
    expect(pages.map(linksIn)).toEqual([
      [['more', 'next', '?page=2', 'Show more']],
      [
        ['before', 'prev', path, 'Previous page'],
        ['more', 'next', '?page=3', 'Show more'],
      ],
      [['before', 'prev', '?page=2', 'Previous page']],
      [['first', 'first', path, 'First page']],
    ]);
    expect(pages.map((html) => metaIn(html, 'og:url'))).toEqual(
      ['', '?page=2', '?page=3', '?page=4'].map((query) => `https://api.example.com${path}${query}`),
    );
    expect(pages.map((html) => metaIn(html, 'robots'))).toEqual([undefined, undefined, undefined, 'noindex']);
  });

  test.each([
    [0, 'There are no testimonials yet.'],
    [1, '1 testimonial'],
    [24, '24 testimonials'],
  ])('of %i testimonials says “%s” and has no links', (count, said) => {
    const html = wallOf(generated.slice(0, count));
    expect(countIn(html)).toBe(said);
    expect(linksIn(html)).toEqual([]);
    expect(html.match(/<li class="card"/g) ?? []).toHaveLength(count);
  });

  test('has the look and without the parts of its settings', () => {
    const html = wallOf(generated, { settings: { look: 'row', hide: 'more,tags,dates,stars' } });
    expect(countIn(html)).toBe('Showing 1–24 of 60 testimonials');
    expect(html).toContain('<ul id="cards" class="cards row many"');
    expect(html).toContain('<button type="button" class="next">');
    expect(html).not.toMatch(/class="(tags|rating)"|<time/);
    expect(linksIn(html)).toEqual([]);
  });

  test('is previewed with its first testimonial, in at most 200 letters, or with its title', () => {
    const previewOf = (content: string) => metaIn(wallOf([one({ content })]), 'og:description');
    expect(previewOf('They answered\n\nwithin the hour.')).toBe('They answered within the hour. — plain');
    expect(previewOf('word '.repeat(100))).toBe(`${'word '.repeat(40)}… — plain`);
    expect(previewOf('👍'.repeat(300))).toBe(`${'👍'.repeat(200)} … — plain`);
    const empty = wallOf([], { title: 'Our customers' });
    expect(metaIn(empty, 'og:description')).toBe('Our customers');
    expect(metaIn(empty, 'og:image')).toBe('https://api.example.com/share.png');
  });

  test('has the language and direction of its settings', () => {
    expect(wallOf(generated, { settings: { lang: 'pt-BR' } })).toContain('<html lang="pt-BR" dir="ltr">');
    expect(wallOf(generated, { settings: { lang: 'ar' } })).toContain('<html lang="ar" dir="rtl">');
  });
});

describe('the texts of a wall', () => {
  test('are those of the settings, then those of the language, then English', () => {
    const settings = { lang: 'de-AT', texts: '{"more":"Alle"}' };
    const html = wallOf(generated, { settings });
    expect(linksIn(html)[0]?.[3]).toBe('Alle');
    expect(countIn(html)).toBe('60 Kundenstimmen');
    expect(countIn(wallOf(generated, { settings, number: 2 }))).toBe('25–48 von 60 Kundenstimmen');
    expect(dataOf(generated, { settings }).settings.texts).toMatchObject({
      more: 'Alle',
      all: '{found} Kundenstimmen',
    });
    expect(countIn(wallOf(generated, { settings: { lang: 'en-GB' } }))).toBe('60 testimonials');
  });
});

describe('media on a card', () => {
  const cardWith = (media: NonNullable<Testimonial['media']>, options?: WallOptions) =>
    /<li class="card"[\s\S]*<\/li>/.exec(wallOf([one({ media })], options))?.[0] ?? '';

  test('load nothing of a recording but its poster', () => {
    const card = cardWith(video);
    expect(card).toMatch(
      /<video class="player" src="\/m\/\w{22}" controls="" preload="none" data-open="[^"]+" aria-label="Video of [^"]+" playsinline="" poster="\/m\/\w{22}"><\/video>/,
    );
    expect(card).toMatch(/<img class="photo" src="\/m\/\w{22}" alt="" loading="lazy"><\/span>/);
  });

  test('of sound alone are a player without a picture', () => {
    const card = cardWith({ recording: { type: 'audio/mpeg', bytes: 9 } });
    expect(card).toMatch(/<audio [^>]*aria-label="Recording of/);
    expect(card).not.toContain('poster');
  });

  test('have words in the language of the wall', () => {
    expect(cardWith(video, { settings: { lang: 'fr' } })).not.toMatch(/Video of|Open the recording/);
  });

  test('elsewhere are a link, whatever the URL', () => {
    const card = cardWith({ url: 'https://www.example.com/?a="><script>&b=1' });
    expect(card).toContain('href="https://www.example.com/?a=&#34;&#62;&#60;script&#62;&#38;b=1"');
    expect(card).toContain('rel="noopener noreferrer nofollow ugc">Open on www.example.com</a>');
    expect(card).not.toMatch(/<(?:iframe|video|audio|img|script)/);
  });

  test('are URLs of the service in the data of a live wall', () => {
    const [shown] = dataOf([one({ media: video })]).testimonials;
    const url = expect.stringMatching(/^\/m\/\w{22}$/);
    expect(shown?.media).toEqual({
      photo: { url, type: 'image/jpeg' },
      recording: { url, type: 'video/webm', bytes: 9, poster: url },
    });
  });
});
