import { expect, test } from '@jest/globals';
import { matcherOf } from '../../../functions/domain/list-query.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { finderOf } from '../../../functions/walls/files/browser/search.ts';
import { toWallTestimonial } from '../../../functions/walls/files/read-wall.ts';
import { generateTestimonials } from '../../zipf/generate-testimonials.ts';

const generated = Array.from(generateTestimonials(200), ({ testimonial }) => testimonial);
const everything = { rating: 0, tag: '', search: '' };

/** Returns whether the wall and whether lists find a testimonial with this text. */
function bothOf(content: string, search: string) {
  const [first] = generated;
  const testimonial = { ...first, content, author: { name: 'Jane Doe' } } as Testimonial; // the e-mail address is not read
  return {
    wall: finderOf([toWallTestimonial(testimonial)])({ ...everything, search }).length === 1,
    list: matcherOf({ search })(testimonial),
  };
}

test.each([
  ['Amazing product!', 'amaz prod', true],
  ['Amazing product!', 'mazing', false],
  ['Das Café in Łódź', 'cafe lodz', true],
  ['Die STRASSE ist groß', 'straße gross', true],
  ['We love node.js here', 'node.j', true],
  ["C'est l'équipe", 'equipe', true],
  ['I don’t know', "don't", true],
  ['この製品は素晴らしいです', '素晴', true],
  ['ประเทศไทยดีมาก', 'ไทย', true],
  ['an [odd] (one) \\d+ $& .*', 'odd', true],
  ['by someone', 'jane', true],
])('a wall and lists search %j for %j and agree: %p', (content, search, found) => {
  expect(bothOf(content, search)).toEqual({ wall: found, list: found });
});

test('a search without words matches everything', () => {
  expect(bothOf('Amazing product!', ' .* ').wall).toBe(true);
});

test('a wall finds the same generated testimonials as lists, in their order', () => {
  const find = finderOf(generated.map(toWallTestimonial));
  const words = generated.flatMap(({ content }) => content.split(/[ .]+/)).filter((word) => word.length > 2);
  for (let i = 0; i < 60; i += 1) {
    const [one = '', other = ''] = [words[(i * 37) % words.length], words[(i * 101) % words.length]];
    const search = i % 2 === 0 ? one.slice(0, 3) : `${one.slice(0, 4)} ${other.slice(0, 2)}`;
    const rating = i % 6;
    const tag = i % 4 === 0 ? 'Support' : '';
    const isListed = matcherOf({ search, ...(rating > 0 && { rating }), ...(tag && { tags: [tag] }) });
    expect(find({ rating, tag, search })).toEqual(generated.filter(isListed).map(toWallTestimonial));
  }
});
