import { describe, expect, test } from '@jest/globals';
import { describeDateFormat } from '../../../functions/reading/date-format-names.ts';
import { offeredFormats } from '../../../functions/reading/detect-date-format.ts';
import { loadLanguages, timeReader } from '../../../functions/reading/times.ts';

const today = '2026-11-29';
await loadLanguages();

describe('the formats from which a person chooses', () => {
  test.each([
    [
      ['03/04/2024', '05/06/2024'],
      ['M/d/yyyy', 'd/M/yyyy'],
    ],
    // The last one fits both values, the first one only one.
    [
      ['03/04/2024', '25/06/2024'],
      ['d/M/yyyy', 'M/d/yyyy'],
    ],
    [['2024-03-01', '2024-03-02'], ['iso']],
    [['4. März 2024'], ['words de']],
    [['3 days ago'], [`words en from ${today}`]],
    [['45352', '45353'], ['excel']],
    [
      ['03/04/2024', '05/06/2024', '2024-06-07'],
      ['M/d/yyyy or iso or excel', 'd/M/yyyy or iso or excel', 'M/d/yyyy', 'd/M/yyyy', 'iso'],
    ],
  ])('of %j are %j', (times, expected) => {
    expect(offeredFormats(times, today)).toEqual(expected);
  });

  test.each([[[]], [['soon', 'later']]])('of %j are all, each once', (times) => {
    const formats = offeredFormats(times, today);
    const texts = formats.map((format) => JSON.stringify(describeDateFormat(format)));
    expect(new Set(texts).size).toBe(texts.length);
    expect(formats).toEqual(expect.arrayContaining(['iso', 'd.M.yyyy', 'excel', 'unix', 'words fr']));
  });
});

test.each([
  [undefined, 'year-month-day', '2025-11-30'],
  ['d/M/yyyy H:mm', 'day/month/year', '30/11/2025 16:45'],
  ['yyyyMMddHHmmss', 'yearmonthday', '20251130164500'],
  ["'on' EEE, MMM d, yyyy", 'month day, year', 'on Sun, Nov 30, 2025'],
  ['words de', 'words in German', '30. November 2025'],
  [`words en from ${today}`, 'words in English', '3 days ago'],
  ['d.M.yyyy or iso or excel', 'day.month.year and others', '30.11.2025'],
])('%s is described in words, with an example that it reads', (format, text, example) => {
  expect(describeDateFormat(format)).toEqual({ text, example });
  expect(timeReader(format).millisecondsOf(example)).toBeDefined();
});
