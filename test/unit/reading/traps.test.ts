/** Files that are easily misread: each is read right, or someone is told. */
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'csv-stringify/sync';
import { type FileFormat, noFormatText } from '../../../functions/reading/formats.ts';
import type { Mapping } from '../../../functions/reading/map-columns.ts';
import { tableWith, texts } from '../../files-of-tools/table.ts';
import { workbook } from '../../files-of-tools/workbook.ts';
import { readFile } from '../../read-file.ts';

const read = (content: string | Uint8Array, format: FileFormat = 'csv', chosen: Partial<Mapping> = {}) =>
  readFile(content, { format, ...chosen });

describe('ratings', () => {
  test.each([
    'Rating (1 = best; 5 = worst)',
    'Note (1 = sehr gut, 6 = schlecht)',
    'How satisfied are you? 1: very satisfied, 5: very dissatisfied',
  ])('are not used from a scale on which 1 is the best, and someone is told: %s', async (heading) => {
    const { lines, text } = await read(tableWith({ [heading]: ['1', '5', '2'] }));
    expect(lines.map(({ rating }) => rating)).toEqual([undefined, undefined, undefined]);
    expect(text).toMatch(/is not used for rating: its scale is reversed|Not used: .*very satisfied/);
  });

  test('are used from a scale that names 5 as the best', async () => {
    const { lines } = await read(tableWith({ 'Rating (1 = worst; 5 = best)': ['5', '1', '4'] }));
    expect(lines.map(({ rating }) => rating)).toEqual([5, 1, 4]);
  });
});

describe('misread letters', () => {
  const wrong = Buffer.from('C’était très bien, merci').toString('latin1');

  test('beside correct ones are kept and reported', async () => {
    const { text } = await read(tableWith({ text: [wrong, 'Está muy bien, señor'] }));
    expect(text).toMatch(/Some letters look garbled \(probably [’é]\), and others are correct/);
    expect(text).not.toMatch(/[\u0080-\u009f]/);
  });

  test('do not occur in correct texts', async () => {
    for (const right of ['Très bien – “schön”, 5 € 👍🏽', 'SÃO PAULO É BOM', '素晴らしいサービスでした。'])
      expect((await read(tableWith({ text: [right] }))).text).not.toContain('garbled');
  });
});

describe('dates', () => {
  test('of two digits a part are read in one way, and the other is told', async () => {
    const { text } = await read(tableWith({ date: ['24-03-04', '24-07-16'] }));
    expect(text).toMatch(/Dates are read as .*yy.*They could also be .*yy/);
  });

  test('are read in the order of day and month that one of them requires, and the report says so', async () => {
    const { text } = await read(tableWith({ date: ['3/4/2024', '7/16/2024'] }));
    expect(text).toMatch(/Dates are read as month\/day\/year [^.]*\.\n/);
    expect(text).not.toContain('They could also be');
  });

  test('of the merchant’s reply are not those of the testimonial', async () => {
    for (const heading of ['Date de réponse', 'Response date', 'Fecha de respuesta', '返信日']) {
      const { map } = await read(
        tableWith({
          'Publié le': ['2024-03-04', '2024-03-05'],
          [heading]: ['2024-04-04', '2024-04-05'],
          'Réponse du vendeur': ['Merci beaucoup, à bientôt chez nous !', ''],
        }),
      );
      expect(map).toMatchObject({ createdAt: ['Publié le'] });
    }
  });

  test('that are only months are not used, and someone is told', async () => {
    const { text, lines } = await read(tableWith({ date: ['March 2024', 'July 2023'] }));
    expect(lines[0]).not.toHaveProperty('createdAt');
    expect(text).toContain('date (“March 2024”, “July 2023”) is not used for createdAt');
    expect(text).toContain('All testimonials get today’s date.');
    expect(text).not.toContain('Not used');
  });
});

describe('a reply of the merchant', () => {
  test.each(['Company response', 'Respuesta de la empresa', 'Reactie van het bedrijf', 'Antwort der Firma'])(
    'is not a company: %s',
    async (heading) => {
      const { lines } = await read(tableWith({ [heading]: ['Thank you, see you!', 'Sorry to read it.'] }));
      for (const { author } of lines) expect(author).not.toHaveProperty('company');
    },
  );

  test.each(['Customer comment', 'Commentaire du client', 'Kommentar des Kunden', 'Commento del cliente'])(
    'is not what customers say: %s',
    async (heading) => {
      const { lines } = await read(
        stringify([
          ['Who', 'Mail', heading],
          ['Ida', 'a@b.cd', texts[0]],
        ]),
      );
      expect(lines).toMatchObject([{ content: texts[0] }]);
    },
  );
});

test('a text and its original are one text, but equal answers to two questions are two', async () => {
  const contentOf = async (first: string, second: string) => {
    const responses = texts.map((text, i) => [
      'Ida Berg',
      'a@b.cd',
      text,
      i === 0 ? 'Eine tolle Tasse.' : text,
    ]);
    return (await read(stringify([['Who', 'Mail', first, second], ...responses]))).map.content;
  };
  expect(await contentOf('says.text', 'original.text')).toEqual(['says.text']);
  const questions = ['What went well?', 'What could be better?'] as const;
  expect(await contentOf(...questions)).toEqual(questions);
});

test('two rows of one person are asked about rather than anonymous', async () => {
  const same = ['Ida Berg', 'Ida Berg'];
  const content = stringify([['Qux', 'Quy', 'Quz'], ...same.map((name, i) => [name, 'a@b.cd', texts[i]])]);
  const { opened } = await read(content);
  expect(opened.guess).toMatchObject({ withoutColumn: ['author.name'], choices: { 'author.name': ['Qux'] } });
});

describe('markup', () => {
  const advice = 'WordPress exports its comments as CSV with a plugin, or with: wp comment list --format=csv';
  const wordPress = '<?xml version="1.0" encoding="UTF-8" ?>\n<!-- generator="WordPress" -->\n<rss></rss>';

  test.each([
    ['WordPress', wordPress],
    ['WordPress with a byte order mark', `\uFEFF${wordPress}`],
    ['WordPress in UTF-16', Buffer.from(`\uFEFF${wordPress}`, 'utf16le')],
    ['RSS below a blank line', '\n<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/">'],
    ['reviews below a comment', '<!-- an export -->\n<reviews>'],
    ['a page', '<!DOCTYPE html>\n<table>'],
    [
      'a spreadsheet in XML',
      '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook></Workbook>',
    ],
  ])('of %s is an error that says what to export', async (_, content) => {
    for (const format of ['csv', 'json', 'ndjson'] as const)
      await expect(read(content, format)).rejects.toThrow(
        `a.${format} is XML, which cannot be imported. Export CSV, Excel or JSON instead. ${advice}`,
      );
    await expect(read(content, 'xlsx')).rejects.toThrow(
      'a.xlsx is not an Excel workbook. Save it as .xlsx or as CSV.',
    );
  });

  test('is recognized by the name of a file, without advice to set its format', () => {
    expect(noFormatText('export.xml', ' Set its format with --format.')).toContain(advice);
    expect(noFormatText('export.xml', ' Set its format with --format.')).not.toContain('--format.');
    expect(noFormatText('a.doc', ' Set its format with --format.')).toContain('--format.');
  });
});

test.each(['csv', 'json', 'ndjson'] as const)(
  'a workbook named .%s is an error that names the ending',
  async (format) => {
    const bytes = workbook({
      A: [
        ['Name', 'E-mail', 'Review'],
        ['Ida', 'a@b.cd', texts[0]],
      ],
    });
    await expect(read(bytes, format)).rejects.toThrow(
      `a.${format} is an Excel workbook. Rename it to .xlsx, or save it as CSV.`,
    );
  },
);

describe('a file without testimonials', () => {
  test.each([
    ['nothing', ''],
    ['a byte order mark', '\uFEFF'],
    ['blank lines', '\n\r\n\n'],
    ['blank rows', ',,,\n,,,\n , ,\t,\n'],
    ['blank rows with semicolons', ';;;\n; ;\n'],
    [
      'blank rows in Excel',
      workbook({
        A: [
          [' ', undefined],
          ['', ''],
        ],
      }),
      'xlsx',
    ],
    ['objects without members', '[{},{}]', 'json'],
    ['members without values', '[{"name":null,"review":null}]', 'json'],
    ['nothing in JSON', '', 'json'],
    ['blank lines in NDJSON', '\n\n', 'ndjson'],
    ['nothing in Excel', '', 'xlsx'],
  ] as const)('is empty with %s', async (_, content, format: FileFormat = 'csv') => {
    await expect(read(content, format)).rejects.toThrow(`a.${format} is empty. Nothing was imported.`);
  });

  test.each([
    ['name,email,review,rating\n', 'csv'],
    ['name\temail\treview\trating', 'csv'],
    ['name,email,review\n,,\n , , \n', 'csv'],
    [workbook({ A: [['Name', 'E-mail', 'Review']] }), 'xlsx'],
  ] as const)('is an error that says so, with only a header: %j', async (content, format) => {
    await expect(read(content, format)).rejects.toThrow(
      `a.${format} has no rows below its headings. Nothing was imported.`,
    );
  });

  test('is not a workbook in which another sheet has rows', async () => {
    const bytes = workbook({
      Template: [['Name', 'E-mail', 'Review']],
      Old: [
        ['Qux', 'Review'],
        ['7', texts[0]],
      ],
    });
    expect((await read(bytes, 'xlsx')).opened.sheet?.name).toBe('Old');
  });

  test('has a sentence for a million columns', async () => {
    await expect(read(`${';'.repeat(1e6)}x`)).rejects.toThrow('The header of the file is longer');
  });
});
