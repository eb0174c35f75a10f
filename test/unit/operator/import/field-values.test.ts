/** How values are written in files of others: statuses, tags, HTML. */
import { describe, expect, test } from '@jest/globals';
import { fieldValue, tagSeparatorOf, textOfHtml } from '../../../../lib/operator/import/field-values.ts';

test.each([
  ['Published', 'approved'],
  ['LIVE', 'approved'],
  ['TRUE', 'approved'],
  ['Unpublished', 'pending'],
  ['In review', 'pending'],
  ['no', 'pending'],
  ['Hidden', 'rejected'],
  ['spam', 'rejected'],
  // No word of a tool: the line is refused, as by a create.
  ['Fulfilled', 'fulfilled'],
  ['constructor', 'constructor'],
])('the status %s is %s', (word, status) => {
  expect(fieldValue('status', word, ',')).toBe(status);
});

test.each([
  [['a;b', 'c'], ';', ['a', 'b']],
  [['a, b', 'c;d'], ',', ['a', 'b']],
  [['a|b', ''], '|', ['a', 'b']],
  [['a\nb'], '\n', ['a', 'b']],
  [['a'], ',', ['a']],
])('tags of a column with %j are separated by %j', ([first = '', ...others], separator, tags) => {
  expect(tagSeparatorOf([first, ...others])).toBe(separator);
  expect(fieldValue('tags', first, separator)).toEqual(tags);
});

describe('HTML', () => {
  test.each([
    ['It&#39;s great<br>Really<br />good', "It's great\nReally\ngood"],
    ['<p>A &amp; B</p>\n\n<p>C</p>', 'A & B\n\nC'],
    ['<ul><li>quick</li><li>good</li></ul>', 'quick\n\ngood'],
    ['<b>Great</b>, <a href="https://example.com">look</a>', 'Great, look'],
    ['caf&eacute;&nbsp;5&euro;', 'café 5€'],
    ['&lt;b&gt; is bold', '<b> is bold'],
  ])('%j becomes %j', (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  test.each(['I <3 this & that', 'a < b > c', '1 &copy 2', 'AT&T', '<your name>', 'Q&A;', ''])(
    '%j is none, and stays',
    (text) => {
      expect(textOfHtml(text)).toBe(text);
    },
  );

  test.each(['<a ', '<br', '&#', '&amp', '<', '</p'])('a megabyte of %j is read once', (text) => {
    expect(textOfHtml(text.repeat(300_000)).length).toBeGreaterThan(0);
  });
});

test.each(['★', '5', '(', 'stars ', '5 '])('a megabyte of %j is no rating, and is read once', (text) => {
  const huge = `${text.repeat(300_000)}x`;
  expect(fieldValue('rating', huge, ',')).toBe(huge);
});
