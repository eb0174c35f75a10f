import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { starsOf, type WallTestimonial } from '../../../functions/walls/browser/view.ts';
import { buildWall, type WallOptions } from '../../../functions/walls/files/build-wall.ts';
import { markupOf } from '../../../functions/walls/files/controls.ts';
import { inertJson } from '../../../functions/walls/files/json-ld.ts';
import { toWallTestimonial } from '../../../functions/walls/files/read-wall.ts';
import { readSettings } from '../../../functions/walls/settings.ts';
import { generateTestimonials } from '../../zipf/generate-testimonials.ts';
import { hostileTestimonial, hostileTexts } from './hostile.ts';

const options: WallOptions = {
  settings: readSettings({}),
  about: { type: 'Organization', name: 'Acme' },
  isChosenByRating: false,
};
const generated = Array.from(generateTestimonials(60), ({ testimonial }) => testimonial);

function built(testimonials: readonly Testimonial[], overrides: Partial<WallOptions> = {}) {
  const files = buildWall(testimonials.map(toWallTestimonial), { ...options, ...overrides });
  const shown: WallTestimonial[] = JSON.parse(files['testimonials.json']);
  return {
    html: files['index.html'],
    json: files['testimonials.json'],
    shown,
    jsonLd: jsonLdIn(files['index.html']),
  };
}

function jsonLdIn(html: string) {
  const match = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html);
  return match?.[1] === undefined ? undefined : JSON.parse(match[1]);
}

/** Returns the tags in the filter. */
const offeredIn = (html: string) =>
  Array.from(html.matchAll(/<option value="([^"]*)">/g), ([, value]) => value);

function one(overrides: Partial<Testimonial>): Testimonial {
  return { ...hostileTestimonial('plain', 1), ...overrides };
}

const { rating: _, ...unrated } = one({});

describe('the testimonial in a wall', () => {
  test('contains only public data', () => {
    const testimonial = one({ content: 'They answered within the hour.', rating: 4, tags: ['support'] });
    expect(toWallTestimonial(testimonial)).toEqual({
      content: 'They answered within the hour.',
      name: 'plain',
      company: 'plain',
      rating: 4,
      tags: ['support'],
      date: '2026-01-02',
    });
  });

  test('has its e-mail addresses masked in every text of every file', () => {
    const text = 'Ask jane＠example.com, please';
    const { html, json, shown, jsonLd } = built([
      one({
        content: text,
        rating: 5,
        author: { name: text, company: text, email: 'a@example.com' },
        tags: [text],
      }),
    ]);
    const masked = 'Ask [e-mail address], please';
    expect(shown).toMatchObject([{ content: masked, name: masked, company: masked, tags: [masked] }]);
    expect(jsonLd.review).toMatchObject([{ reviewBody: masked, author: { name: masked } }]);
    expect(`${html}${json}`).not.toContain('jane');
  });
});

describe('the page', () => {
  test('shows the first 24 testimonials; the data file contains all', () => {
    const { html, shown } = built(generated);
    expect(html.match(/<li class="card">/g)).toHaveLength(24);
    expect(html).toContain('Showing 24 of 60 testimonials');
    expect(shown).toEqual(generated.map(toWallTestimonial));
  });

  test('has no inline script, style or handler, and loads nothing from other origins', () => {
    const { html } = built([...generated, ...hostileTexts.map(hostileTestimonial)].toReversed());
    const attributes = Array.from(html.matchAll(/<[a-z][^>]*>/g), ([tag]) => tag).join('');
    expect(attributes).not.toMatch(/ (style|on\w+)=/);
    expect(attributes).not.toMatch(/(src|href)="(https?:|\/|data:|javascript:)/);
    expect(Array.from(html.matchAll(/<script[^>]*>/g), ([tag]) => tag)).toEqual([
      '<script src="columns.js">',
      '<script type="module" src="wall.js">',
      '<script type="application/ld+json">',
    ]);
    expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src &#39;self&#39;;`);
  });

  test.each(hostileTexts)('shows %j as text', (text) => {
    const { html, shown } = built([hostileTestimonial(text, 1)]);
    const withoutText = built([hostileTestimonial('plain', 1)]).html;
    const tagsIn = (page: string) => Array.from(page.matchAll(/<\/?([a-z0-9!-]+)/gi), ([tag]) => tag);
    // A long text adds a details element; the rest of the page is the same.
    const elements = tagsIn(html).filter((tag) => !/details|summary/.test(tag));
    expect(elements.filter((tag) => tag !== '<span' && tag !== '</span')).toEqual(
      tagsIn(withoutText).filter((tag) => tag !== '<span' && tag !== '</span'),
    );
    expect(shown[0]?.content).toBe(`What they wrote: ${text}`.normalize('NFC'));
  });

  test('says that there are no testimonials, and loads no script', () => {
    const { html, jsonLd } = built([]);
    expect(html).toContain('There are no testimonials yet.');
    expect(html).not.toContain('<script');
    expect(jsonLd).toBeUndefined();
  });

  test('offers the tags of its testimonials once, most frequent first, regardless of case', () => {
    const { html } = built([
      one({ tags: ['rare'] }),
      one({ tags: ['Support'] }),
      one({ tags: ['support', 'pricing'] }),
      one({ tags: ['pricing', 'SUPPORT'] }),
    ]);
    expect(offeredIn(html)).toEqual(['', 'Support', 'pricing', 'rare']);
  });

  test('offers no rating filter without ratings, and no tag filter without tags', () => {
    const { html } = built(Array(2).fill({ ...unrated, tags: [] }));
    expect(html).not.toMatch(/name="rating"|name="tag"|class="rating"/);
    expect(html).toContain('name="search"');
  });

  test.each([
    [[5, 5, 5], ''],
    [[5, 5, undefined], '05'],
    [[5, 4, 3, 2, 1], '05432'],
    [[4, 4, 1], '04'],
    [[1, 1, undefined], ''],
  ])('with the ratings %j it offers the minimum ratings that narrow the wall: %j', (ratings, offered) => {
    const { html } = built(ratings.map((rating) => ({ ...one({}), rating }) as Testimonial)); // or none
    expect(Array.from(html.matchAll(/name="rating" value="(\d)"/g), ([, value]) => value).join('')).toBe(
      offered,
    );
  });

  test('offers no tag that all testimonials have, and no controls for a single testimonial', () => {
    const both = built([one({ tags: ['all', 'some'] }), one({ tags: ['ALL'] })]).html;
    expect(offeredIn(both)).toEqual(['', 'some']);
    expect(built([one({ rating: 5, tags: ['support'] })]).html).not.toContain('controls');
  });

  test('summarizes its ratings, unless the summary is hidden', () => {
    const { html } = built([one({ rating: 5 }), one({ rating: 4 })]);
    expect(html).toContain('4.5 out of 5 stars on average');
    expect(html).toContain('2 ratings');
    const without = built([one({ rating: 5 }), one({ rating: 4 })], {
      settings: readSettings({ hide: 'summary' }),
    });
    expect(without.html).not.toMatch(/on average|2 ratings|rated 4/);
    expect(without.jsonLd).not.toHaveProperty('aggregateRating');
    expect(without.jsonLd.review).toHaveLength(2);
  });

  test('loads another data file when its testimonials change', () => {
    const source = (testimonials: Testimonial[]) =>
      /data-source="([^"]+)"/.exec(built(testimonials).html)?.[1];
    expect(source(generated)).toMatch(/^testimonials\.json\?v=[0-9a-f]{12}$/);
    expect(source(generated)).toBe(source([...generated]));
    expect(source(generated)).not.toBe(source(generated.slice(1)));
  });
});

describe('settings', () => {
  const withSettings = (values: Parameters<typeof readSettings>[0], testimonials: readonly Testimonial[]) =>
    built(testimonials, { settings: readSettings(values) });

  test.each(['columns', 'row', 'single', 'list'])('the look %s is the class of the list', (look) => {
    const { html } = withSettings({ look }, generated);
    expect(html).toContain(`class="cards ${look} many"`);
  });

  test('the looks row and single show all testimonials, and so does a wall without "Show more"', () => {
    for (const values of [{ look: 'row' }, { look: 'single' }, { hide: 'more' }]) {
      const { html } = withSettings(values, generated);
      expect(html.match(/<li class="card">/g)).toHaveLength(60);
      expect(html).not.toContain('Show more');
    }
    expect(withSettings({ look: 'row' }, generated).html).toMatch(/Previous<.*Next</);
  });

  test('hidden parts are in no file, not even for search engines', () => {
    const testimonials = [one({ rating: 5, tags: ['support'] }), one({ rating: 4, tags: ['pricing'] })];
    const { html, shown, jsonLd } = withSettings({ hide: 'tags, dates,stars' }, testimonials);
    const { content, author } = one({});
    expect(shown).toEqual(Array(2).fill({ content, name: author.name, company: author.company, tags: [] }));
    expect(html).not.toMatch(/<time|support|class="rating"|name="rating"|2026/);
    expect(jsonLd).toBeUndefined();
    const dateless = withSettings({ hide: 'dates' }, testimonials);
    expect(dateless.jsonLd.review[0]).not.toHaveProperty('datePublished');
  });

  test('internal tags are not shown; "featured" is one by default', () => {
    const testimonials = [one({ tags: ['Featured', 'support', 'Homepage'] }), one({ tags: [] })];
    const tagsWith = (ownTags?: string) => withSettings({ 'own-tags': ownTags }, testimonials).shown[0]?.tags;
    expect(tagsWith()).toEqual(['support', 'Homepage']);
    expect(tagsWith('homepage, SUPPORT')).toEqual(['Featured']);
    expect(tagsWith('')).toEqual(['Featured', 'support', 'Homepage']);
    expect(withSettings({}, testimonials).html).not.toMatch(/featured/i);
  });

  test('numbers, dates and text direction follow the language', () => {
    const { html } = withSettings({ lang: 'de' }, [one({ rating: 5 }), one({ rating: 4 })]);
    expect(html).toContain('<html lang="de" dir="ltr">');
    expect(html).toContain('<bdi>02.01.2026</bdi>');
    expect(html).toContain('4,5 out of 5 stars on average');
    expect(withSettings({ lang: 'ar-EG' }, []).html).toContain('<html lang="ar-EG" dir="rtl">');
  });

  test('custom texts replace the English ones, in the page and for its script', () => {
    const texts = JSON.stringify({
      some: '{shown} von {found}',
      more: 'Mehr <zeigen>',
      stars: '{rating} Sterne',
    });
    const { html } = withSettings({ lang: 'de', texts, title: 'Unsere "Kunden"' }, generated);
    expect(html).toContain('24 von 60');
    expect(html).toContain('Mehr &#60;zeigen&#62;');
    expect(html).toContain('5 Sterne');
    expect(html).toContain('<title>Unsere &quot;Kunden&quot;</title>');
    expect(html).toContain(
      'data-language="{&quot;lang&quot;:&quot;de&quot;,&quot;texts&quot;:{&quot;some&quot;',
    );
    expect(html).not.toMatch(/Show more|Showing/);
  });

  test.each([
    [{ look: 'grid' }, 'look must be one of columns, row, single, list'],
    [{ hide: 'more,names' }, 'hide must only contain more, tags, dates, stars, summary'],
    [{ lang: 'not a language' }, 'lang must be a language such as de or pt-BR'],
    [{ texts: 'Mehr' }, 'texts must be JSON such as {"more":"Mehr zeigen"}'],
    [{ texts: '{"more":1}' }, 'texts must only contain texts'],
    [{ texts: '{"mehr":"Mehr"}' }, /^texts must only contain texts named heading, testimonials, /],
  ])('%j fails with an error that names the setting and its rule', (values, message) => {
    expect(() => readSettings(values)).toThrow(message);
  });
});

describe('the structured data for search engines', () => {
  test('contains the reviewed thing and the average of all ratings, not only of those on the first page', () => {
    const rated = [1, 3, 3, 4, 4, 4, 5, 5, 5, 5].map((rating) => one({ rating }));
    const { jsonLd } = built([...rated, ...Array(17).fill(unrated)]);
    expect(jsonLd).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'Organization',
      name: 'Acme',
      aggregateRating: {
        '@type': 'AggregateRating',
        ratingValue: 3.9,
        bestRating: 5,
        worstRating: 1,
        ratingCount: 10,
        reviewCount: 27,
      },
    });
  });

  test('contains a review for each rated testimonial on the page', () => {
    const { jsonLd } = built(generated);
    const rated = generated.slice(0, 24).filter(({ rating }) => rating !== undefined);
    expect(jsonLd.review).toEqual(
      rated.map(({ author, content, rating, createdAt }) => ({
        '@type': 'Review',
        author: { '@type': 'Person', name: author.name },
        datePublished: createdAt.slice(0, 10),
        reviewBody: content,
        reviewRating: { '@type': 'Rating', ratingValue: rating, bestRating: 5, worstRating: 1 },
      })),
    );
  });

  test('is absent without ratings, and has no reviews if the page shows no rated testimonial', () => {
    expect(built([unrated]).jsonLd).toBeUndefined();
    const { jsonLd } = built([...Array(24).fill(unrated), ...Array(3).fill(one({ rating: 5 }))]);
    expect(jsonLd).not.toHaveProperty('review');
    expect(jsonLd.aggregateRating).toMatchObject({ ratingValue: 5, ratingCount: 3, reviewCount: 27 });
  });

  test('has no average if the testimonials were selected by rating', () => {
    const { jsonLd, html } = built([one({ rating: 5 })], { isChosenByRating: true });
    expect(jsonLd).not.toHaveProperty('aggregateRating');
    expect(jsonLd.review).toHaveLength(1);
    expect(html).toContain('5.0 out of 5 stars on average');
  });

  test('shortens author names that are too long for Google', () => {
    const { jsonLd } = built([
      one({ rating: 5, author: { name: '🐎'.repeat(200), email: 'a@example.com' } }),
    ]);
    expect(jsonLd.review[0].author.name).toBe('🐎'.repeat(99));
  });
});

test('JSON in a script element can be parsed, and contains no character that ends the element', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...hostileTexts), (text, hostile) => {
      const json = inertJson([text, hostile]);
      expect(json).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(json)).toEqual([text, hostile]);
    }),
  );
});

test('no text escapes from its element', () => {
  fc.assert(
    fc.property(fc.constantFrom(...hostileTexts), fc.string(), (hostile, text) => {
      const stars = markupOf(starsOf(1, text + hostile));
      expect(stars.replace(/<\/?(p|svg|use|span)(\s+[a-zA-Z-]+="[^"<>]*")*>/g, '')).not.toMatch(/[<>"]/);
    }),
  );
});
