/** Files of review tools, forms and spreadsheets: the import reads every testimonial and shows notes. */
import { expect, test } from '@jest/globals';
import type { LoadLine } from '../../../functions/domain/loads.ts';
import { checkFile } from '../../../functions/reading/check-file.ts';
import { openFile } from '../../../functions/reading/detect-columns.ts';
import { fileFormats, formatOf } from '../../../functions/reading/formats.ts';
import { mappingText } from '../../../functions/reading/report.ts';
import { wholeFile } from '../../../lib/operator/files/whole-file.ts';
import { commandOptionNames } from '../../../lib/operator/import/command-texts.ts';
import { otherTools } from '../../files-of-tools/other-tools.ts';
import { questionnaires } from '../../files-of-tools/questionnaires.ts';
import { reported } from '../../files-of-tools/reported.ts';
import { sameKinds } from '../../files-of-tools/same-kinds.ts';
import { shops } from '../../files-of-tools/shops.ts';
import {
  airtable,
  germanExcel,
  sheets,
  workbookOfExcel,
  writtenByPeople,
} from '../../files-of-tools/spreadsheets.ts';
import { googleMaps, googleTakeout, testimonialTools } from '../../files-of-tools/testimonial-tools.ts';
import { saidAs, type ToolFile } from '../../files-of-tools/tool-file.ts';

const files: ToolFile[] = [
  ...[googleMaps, googleTakeout, airtable, germanExcel, workbookOfExcel],
  ...[...writtenByPeople, ...sheets, ...testimonialTools, ...shops, ...questionnaires],
  ...[...reported, ...otherTools, ...sameKinds],
];

const now = new Date('2024-06-15T10:00:00Z');
const asStored = ({ tags = [], status = 'pending', createdAt, ...line }: LoadLine) => ({
  ...line,
  tags,
  status,
  createdAt: createdAt === undefined ? '' : new Date(createdAt).toISOString(),
});

test.each(files.map((each) => [each.tool, each] as const))('%s', async (_, { file, bytes, said, told }) => {
  const format = formatOf(file, fileFormats) ?? 'csv';
  const whole = wholeFile(Buffer.from(bytes as string), now); // Buffer.from takes either
  const opened = await openFile({ file, format, map: {}, defaults: {} }, whole);
  const { lines, ...checked } = await checkFile(opened, { now, progress: () => {} });
  expect(opened.guess ?? {}).not.toMatchObject({ nameless: [expect.anything()] });
  expect(checked).toMatchObject({ refused: 0, reasons: [] });
  expect(lines.map(asStored)).toMatchObject(said.map((each) => saidAs(each, '2024-06-15')));
  const text = mappingText({ ...opened, ...checked, wasImported: false }, commandOptionNames);
  for (const each of told) expect(text).toMatch(each);
  if (told.length === 0) expect(text).not.toContain('Not used');
});
