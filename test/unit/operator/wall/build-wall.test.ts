import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { type Testimonial, testimonialInput } from '../../../../functions/domain/testimonial.ts';
import { buildWall } from '../../../../lib/operator/wall/build-wall.ts';
import { inertJson, renderHtml } from '../../../../lib/operator/wall/markup.ts';
import { element, type WallTestimonial } from '../../../../lib/operator/wall/site/view.ts';
import { averageRating, type Ratings } from '../../../../lib/operator/wall/wall.ts';
import { toWallTestimonial } from '../../../../lib/operator/wall/wall-testimonial.ts';
import { generateTestimonials } from '../../../zipf/generate-testimonials.ts';
import { hostileTestimonial, hostileTexts } from './hostile.ts';

const options = { title: 'What customers say', about: { type: 'Organization', name: 'Acme' } } as const;
const generated = Array.from(generateTestimonials(60), ({ testimonial }) => testimonial);

function built(testimonials: readonly Testimonial[], ratings = ratingsOf(testimonials)) {
  const wall = { testimonials: testimonials.map(toWallTestimonial), ratings };
  const files = buildWall(wall, options);
  const shown: WallTestimonial[] = JSON.parse(files['testimonials.json']);
  return {
    html: files['index.html'],
    json: files['testimonials.json'],
    shown,
    jsonLd: jsonLdIn(files['index.html']),
  };
}

function ratingsOf(testimonials: readonly Testimonial[]): Ratings {
  return {
    counts: [0, 1, 2, 3, 4, 5].map((n) => testimonials.filter(({ rating = 0 }) => rating === n).length),
  };
}

function jsonLdIn(html: string) {
  const found = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html);
  return found?.[1] === undefined ? undefined : JSON.parse(found[1]);
}

function one(overrides: Partial<Testimonial>): Testimonial {
  return { ...hostileTestimonial('plain', 1), ...overrides };
}

describe('what a wall tells of a testimonial', () => {
  test('is its public part', () => {
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

  test('is no e-mail address, whoever wrote it wherever', () => {
    // What a create takes as one.
    const { author } = testimonialInput.entries;
    const isTaken = (email: string) => v.is(author, { name: 'Jane', email });
    const email = fc.emailAddress({ size: 'small' }).filter(isTaken);
    const pieces = fc.array(fc.oneof(email, fc.constantFrom(' ', '.', '-', '@', '<', 'mailto:', 'ok')), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(email, pieces, pieces, (address, before, after) => {
        const text = [...before, address, ...after].join('');
        const addresses = [address, ...before, ...after].filter(
          (piece) => piece.includes('@') && isTaken(piece),
        );
        const { html, json } = built([
          one({ content: text, author: { name: text, company: text, email: address }, tags: [text] }),
        ]);
        for (const each of addresses) {
          expect(json.toLowerCase()).not.toContain(JSON.stringify(each.toLowerCase()).slice(1, -1));
          expect(html.toLowerCase()).not.toContain(each.toLowerCase());
        }
      }),
    );
  });

  test.each([
    ['jane@exämple.com'],
    ['jane@mail.exämple.com'],
    ['用户@例子.广告'],
    ['jane＠example.com'],
    ['jane%40example.com'],
    ['"jane doe"@example.com'],
    ['jane@exam\u00adple.com'],
    ['jane (at) example (dot) com'],
  ])('is not %s, in no text of any file', (address) => {
    const text = `Ask ${address}, please`;
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
    expect(`${html}${json}`).not.toMatch(/jane|用户|ple\.com|例子/);
  });

  test('leaves the author\u2019s address out of every file', () => {
    const { html, json } = built(generated);
    expect(`${html}${json}`).not.toMatch(/@example|author\d/);
  });
});

describe('the page', () => {
  test('shows the first 24 testimonials, and the file has all', () => {
    const { html, shown } = built(generated);
    expect(html.match(/<li class="card">/g)).toHaveLength(24);
    expect(html).toContain('Showing 24 of 60 testimonials');
    expect(shown).toEqual(generated.map(toWallTestimonial));
  });

  test('has no inline script, style or handler, and asks for nothing from elsewhere', () => {
    const { html } = built([...generated, ...hostileTexts.map(hostileTestimonial)].toReversed());
    const attributes = Array.from(html.matchAll(/<[a-z][^>]*>/g), ([tag]) => tag).join('');
    expect(attributes).not.toMatch(/ (style|on\w+)=/);
    expect(attributes).not.toMatch(/(src|href)="(https?:|\/|data:|javascript:)/);
    expect(Array.from(html.matchAll(/<script[^>]*>/g), ([tag]) => tag)).toEqual([
      '<script type="module" src="wall.js">',
      '<script type="application/ld+json">',
    ]);
    expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src &#39;self&#39;;`);
  });

  test.each(hostileTexts)('shows %j as text', (text) => {
    const { html, shown } = built([hostileTestimonial(text, 1)]);
    const withoutText = built([hostileTestimonial('plain', 1)]).html;
    const tagsIn = (page: string) => Array.from(page.matchAll(/<\/?([a-z0-9!-]+)/gi), ([tag]) => tag);
    // What is long can be unfolded, which is an element more; the rest of the page is the same.
    const elements = tagsIn(html).filter((tag) => !/details|summary/.test(tag));
    expect(elements.filter((tag) => tag !== '<span' && tag !== '</span')).toEqual(
      tagsIn(withoutText).filter((tag) => tag !== '<span' && tag !== '</span'),
    );
    expect(shown[0]?.content).toBe(`What they wrote: ${text}`.normalize('NFC'));
  });

  test('is whole when nobody was approved: it says so, and loads no script', () => {
    const { html, jsonLd } = built([]);
    expect(html).toContain('There are no testimonials yet.');
    expect(html).not.toContain('<script');
    expect(jsonLd).toBeUndefined();
  });

  test('offers the tags of its testimonials, most frequent first, in any case once', () => {
    const { html } = built([
      one({ tags: ['rare'] }),
      one({ tags: ['Support'] }),
      one({ tags: ['support', 'pricing'] }),
      one({ tags: ['pricing', 'SUPPORT'] }),
    ]);
    const offered = Array.from(html.matchAll(/<option value="([^"]*)">/g), ([, value]) => value);
    expect(offered).toEqual(['', 'Support', 'pricing', 'rare']);
  });

  test('offers no stars where none were given, and no tags where there are none', () => {
    const { rating: _, ...unrated } = one({ tags: [] });
    const { html } = built([unrated]);
    expect(html).not.toMatch(/name="rating"|name="tag"|class="rating"/);
    expect(html).toContain('class="space space-of-1"');
  });

  test('asks for another file when its testimonials changed', () => {
    const source = (testimonials: Testimonial[]) =>
      /data-source="([^"]+)"/.exec(built(testimonials).html)?.[1];
    expect(source(generated)).toMatch(/^testimonials\.json\?v=[0-9a-f]{12}$/);
    expect(source(generated)).toBe(source([...generated]));
    expect(source(generated)).not.toBe(source(generated.slice(1)));
  });
});

describe('what search engines are told', () => {
  test('is the reviewed thing with its average of all ratings, also of those that are not shown', () => {
    const { jsonLd } = built(generated.slice(0, 30), { counts: [7, 1, 0, 2, 3, 4] });
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
        reviewCount: 17,
      },
    });
  });

  test('is a review for each rated testimonial that the page shows', () => {
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

  test('is nothing when nobody gave a rating', () => {
    const { rating: _, ...unrated } = one({});
    expect(built([unrated]).jsonLd).toBeUndefined();
  });

  test('has an average without reviews when the page shows no rated one', () => {
    const { rating: _, ...unrated } = one({});
    const { jsonLd } = built([unrated], { counts: [1, 0, 0, 0, 0, 3] });
    expect(jsonLd).not.toHaveProperty('review');
    expect(jsonLd.aggregateRating).toMatchObject({ ratingValue: 5, ratingCount: 3, reviewCount: 4 });
  });

  test('has no author with a name that Google finds too long', () => {
    const { jsonLd } = built([
      one({ rating: 5, author: { name: '🐎'.repeat(200), email: 'a@example.com' } }),
    ]);
    expect(jsonLd.review[0].author.name).toBe('🐎'.repeat(99));
  });
});

test('JSON in a script element reads back, and has no character that ends one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...hostileTexts), (text, hostile) => {
      const json = inertJson([text, hostile]);
      expect(json).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(json)).toEqual([text, hostile]);
    }),
  );
});

test('no text leaves its element or its attribute', () => {
  fc.assert(
    fc.property(fc.constantFrom(...hostileTexts), fc.string(), (hostile, text) => {
      const html = renderHtml(element('p', { title: hostile + text }, text + hostile));
      expect(html).toMatch(/^<p title="[^<>"]*">[^<>]*<\/p>$/);
    }),
  );
  expect(() => renderHtml(element('script', {}, '</script>'))).toThrow('only text without <');
});

test.each([
  [{ counts: [3, 0, 0, 0, 0, 0] }, undefined],
  [{ counts: [9, 1, 0, 0, 0, 1] }, 3],
])('the average of %j is %p: the unrated do not count', (ratings, average) => {
  expect(averageRating(ratings)).toBe(average);
});
