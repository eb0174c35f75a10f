/** From columns to fields: by name, as tools call them, as told. */
import { describe, expect, test } from '@jest/globals';
import { type ColumnOptions, columnsOf } from '../../../../lib/operator/import/columns.ts';

const value = (header: string, line: string, options: Partial<ColumnOptions> = {}) =>
  columnsOf(header.split(','), { map: {}, defaults: {}, ...options }).toTestimonial(line.split(','));

test('columns that are named as fields are these fields', () => {
  expect(value('author.name,content,rating,id', 'Jane,Great,5,7')).toEqual({
    ...{ type: 'text', author: { name: 'Jane' }, content: 'Great', rating: 5, id: '7' },
  });
});

test('a field is made of the columns that are named for it, and a blank cell is none', () => {
  const map = {
    content: ['Title', 'Text'],
    'author.name': ['First', 'Last'],
    tags: ['Tag', 'Topic'],
    createdAt: ['Date', 'Time'],
  };
  const header = 'Title,Text,First,Last,Tag,Topic,Date,Time';
  expect(value(header, 'Wow,Great,Jane,Doe,a;b,c,2025-01-02,10:30', { map })).toEqual({
    type: 'text',
    author: { name: 'Jane Doe' },
    content: 'Wow\n\nGreat',
    tags: ['a;b', 'c'],
    createdAt: '2025-01-02 10:30',
  });
  expect(value(header, ' ,Great,Jane,, ,c,,', { map })).toEqual({
    ...{ type: 'text', author: { name: 'Jane' }, content: 'Great', tags: ['c'] },
  });
});

test('what was named comes before the name of the column', () => {
  expect(value('content,other', 'A,B', { map: { content: ['other'] } })).toMatchObject({ content: 'B' });
});

test('a field that no column is named for stays out', () => {
  expect(value('content,status', 'A,published', { map: { status: [] } })).not.toHaveProperty('status');
});

test('columns that the file does not have are named, beside those that it has', () => {
  expect(() => columnsOf(['A', 'B\x1b[2J'], { map: { content: ['C', 'A', 'D'] }, defaults: {} })).toThrow(
    'The file has no column "C", "D". Its columns: "A", "B\\u001b[2J".',
  );
});

test('a column that stands twice is refused if it is used, and passed over if not', () => {
  expect(() => columnsOf(['content', 'content'], { map: {}, defaults: {} })).toThrow(
    'The file has more than one column "content". Rename all but one.',
  );
  expect(value('content,x,x,,', 'A,1,2,3,4')).toEqual({ type: 'text', author: {}, content: 'A' });
});

test('columns that nothing is made of are told; nameless ones are not', () => {
  const { unused } = columnsOf(['content', 'IP', '', 'source'], { map: {}, defaults: {} });
  expect(unused.map(({ column }) => column)).toEqual(['IP', 'source']);
});

test('a default is for lines without a value', () => {
  const defaults = { 'author.email': 'none@example.com', type: 'audio', tags: 'old, imported' } as const;
  const read = (line: string) => value('content,type,author.email', line, { defaults });
  expect(read('A,,')).toEqual({
    ...{ content: 'A', type: 'audio', tags: ['old', 'imported'], author: { email: 'none@example.com' } },
  });
  expect(read('A,video,j@example.com')).toMatchObject({ type: 'video', author: { email: 'j@example.com' } });
});

test('names that objects have of themselves are columns like any other', () => {
  expect(value('__proto__,content,constructor', 'X,A,Y')).toEqual({ type: 'text', author: {}, content: 'A' });
  const map = { content: ['__proto__'], 'author.name': ['constructor'] };
  expect(value('__proto__,constructor', 'X,Y', { map })).toMatchObject({
    ...{ content: 'X', author: { name: 'Y' } },
  });
  expect(({} as Record<string, unknown>).content).toBeUndefined();
});

describe('cells', () => {
  test.each([
    ['5', 5],
    ['5.0', 5],
    ['4.5', 4.5],
    ['five', 5],
    ['FIVE', 5],
    ['Five stars', 5],
    ['★★★★★', 5],
    ['★★★☆☆', 3],
    ['⭐️⭐️⭐️⭐️', 4],
    ['80 %', 4],
    ['87%', 4.35],
    ['5 stars', 5],
    ['4.5 Sterne', 4.5],
    ['5/5', 5],
    ['8/10', 4],
    ['4 out of 5 stars', 4],
    ['4 von 5', 4],
    ['5/0', '5/0'],
    ['six', 'six'],
    ['great', 'great'],
    ['0x5', '0x5'],
    ['5e0', '5e0'],
    ['-5', '-5'],
    ['Infinity', 'Infinity'],
  ])('rating %s is %j', (cell, rating) => {
    expect(value('rating', cell)).toMatchObject({ rating });
  });

  test.each([
    ['a', ['a']],
    [' a , b ,, ', ['a', 'b']],
    ['', undefined],
  ])('tags %j are %j', (cell, tags) => {
    const read = columnsOf(['content', 'tags'], { map: {}, defaults: {} }).toTestimonial(['A', cell]);
    expect(read.tags).toEqual(tags);
  });

  test('an export has commas between tags, whatever else they have', () => {
    const header = ['content', 'author.name', 'tags'];
    const rows = [['A', 'Jane', 'two\nlines']];
    const { toTestimonial } = columnsOf(header, { map: {}, defaults: {} }, rows);
    expect(toTestimonial(rows[0] ?? []).tags).toEqual(['two\nlines']);
  });

  test('words of closed sets are read in any case', () => {
    expect(value('type,status', 'Video,APPROVED')).toMatchObject({ type: 'video', status: 'approved' });
  });
});

test('what an export defused is found as it was, whatever columns a spreadsheet took away; elsewhere apostrophes are the text', () => {
  const line = "'=Fast,Jane,jane@example.com";
  const map = { content: ['Text'] };
  expect(value('content,author.name,author.email', line)).toMatchObject({ content: '=Fast' });
  expect(value('Text,Name,Email', line, { map })).toMatchObject({ content: "'=Fast" });
  expect(value('Text,author.name,author.email', line, { map })).toMatchObject({ content: "'=Fast" });
});

describe('a header that is none is refused before anything looks for names in it', () => {
  const refused =
    (...cells: string[]) =>
    () =>
      columnsOf(cells, { map: {}, defaults: {} });

  test('of more columns than a file of testimonials has', () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `column ${i}`);
    expect(refused(...names)).toThrow('The header of the file has 100,000 columns. The limit is 1,000.');
  });

  test('of a name that is a text', () => {
    expect(refused('content', '('.repeat(1_000_000))).toThrow(
      'The name of column 2 in the header is longer than 500 characters.',
    );
  });
});
