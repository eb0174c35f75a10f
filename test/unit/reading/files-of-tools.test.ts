/** Files of review tools, forms and spreadsheets: the import reads every testimonial and shows notes. */
import { expect, test } from '@jest/globals';
import type { LoadLine } from '../../../functions/domain/loads.ts';
import { fileFormats, formatOf } from '../../../functions/reading/formats.ts';
import { questionnaires } from '../../files-of-tools/questionnaires.ts';
import { expectedLineOf } from '../../files-of-tools/tool-file.ts';
import { tools } from '../../files-of-tools/tools.ts';
import { readFile } from '../../read-file.ts';

const now = new Date('2024-06-15T10:00:00Z');
const asStored = ({ tags = [], status = 'pending', createdAt, ...line }: LoadLine) => ({
  ...line,
  tags,
  status,
  createdAt: createdAt === undefined ? '' : new Date(createdAt).toISOString(),
});

test.each([...tools, ...questionnaires].map((each) => [each.tool, each] as const))(
  '%s',
  async (_, { file, bytes, said, told }) => {
    const format = formatOf(file, fileFormats) ?? 'csv';
    const { opened, lines, text, ...checked } = await readFile(bytes, { name: file, format, now });
    expect(opened.guess ?? {}).not.toMatchObject({ withoutColumn: [expect.anything()] });
    expect(checked).toMatchObject({ rejected: 0, reasons: [] });
    expect(lines.map(asStored)).toMatchObject(said.map((each) => expectedLineOf(each, '2024-06-15')));
    for (const each of told) expect(text).toMatch(each);
    if (told.length === 0) expect(text).not.toContain('Not used');
  },
);
