/** Files of each format, imported by the command. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Table } from '../../functions/dynamodb/table.ts';
import { hurriedAdminOf } from '../admin.ts';
import { fileOf } from '../file-of.ts';
import { germanExcel, workbookOfExcel } from '../files-of-tools/spreadsheets.ts';
import { googleMaps, googleTakeout } from '../files-of-tools/testimonial-tools.ts';
import { saidAs, type ToolFile } from '../files-of-tools/tool-file.ts';
import { personWith } from '../person.ts';
import { storedTestimonials } from '../stored-items.ts';
import { createTestTable } from '../test-table.ts';

let table: Table;
beforeAll(async () => {
  table = await createTestTable();
});

/** The stored testimonials in the order of the file. */
async function storedIn(organization: string, { said }: ToolFile) {
  const all = await storedTestimonials(table, organization);
  const placeOf = (content: string) => said.findIndex((each) => each.content === content);
  return all
    .map(({ testimonial: { tags = [], ...its } }) => ({ ...its, tags }))
    .toSorted((a, b) => placeOf(a.content) - placeOf(b.content));
}

const dayIn = (text: string) => /words en from (\S{10})/.exec(text)?.[1] ?? '';

// test/unit/reading/files-of-tools.test.ts checks how each file is read.
test.each(
  [googleMaps, germanExcel, workbookOfExcel, googleTakeout].map((each) => [each.tool, each] as const),
)('%s', async (tool, file) => {
  const organization = tool.toLowerCase().replaceAll(' ', '-');
  const path = await fileOf(file.bytes, file.file);
  const person = personWith({ answers: ['y'] });
  const admin = await hurriedAdminOf(table, person);
  const { code, stderr } = await admin('import', path, '--organization', organization);
  expect({ code, questions: person.asked.length }).toEqual({ code: 0, questions: 1 });
  for (const each of file.told) expect(stderr).toMatch(each);
  if (file.told.length === 0) expect(stderr).not.toContain('Not used');
  expect(await storedIn(organization, file)).toMatchObject(
    file.said.map((each) => saidAs(each, dayIn(stderr))),
  );
});
