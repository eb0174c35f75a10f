/** What headings say. */
import { expect, test } from '@jest/globals';
import { isAbout } from '../../../functions/csv/column-names.ts';
import headingWords from '../../../functions/csv/heading-topics.json' with { type: 'json' };

type Topic = keyof typeof headingWords;
const words = Object.entries(headingWords).flatMap(([topic, all]) =>
  all.map((word) => [word, topic as Topic] as const),
); // its keys

test('every word of a topic is found in a question, in any case and with its accents', () => {
  for (const [word, topic] of words) {
    for (const question of [
      `${word.trim()}?`,
      `(1) ¿${word.trim().toUpperCase()} …`,
      `x y: ${word.trim()} z`,
    ])
      expect([word, isAbout(question, topic)]).toEqual([word, true]);
  }
});

test.each([
  ['Wie heißen Sie?', 'author.name'],
  ['Adınız ve soyadınız', 'author.name'],
  ['Imię i nazwisko:', 'author.name'],
  ['Étoiles', 'rating'],
  ['ご満足いただけましたか', 'rating'],
  ['For which company do you work?', 'author.company'],
  ['DÜRFEN WIR DAS VERÖFFENTLICHEN? JA, ICH STIMME ZU: EINWILLIGUNG', 'notTestimonial'],
] as const)('%s is about %s', (heading, topic) => {
  expect(isAbout(heading, topic)).toBe(true);
});

test.each([
  ['Additional comments', 'author.name'],
  ['Agreement', 'other'],
  ['Corporate', 'rating'],
  ['Nominated by', 'author.name'],
] as const)('%s is not about %s', (heading, topic) => {
  expect(isAbout(heading, topic)).toBe(false);
});
