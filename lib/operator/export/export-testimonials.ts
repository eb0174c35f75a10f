/** An organization's testimonials as a file that an import takes. */
import { stringify } from 'csv-stringify/sync';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { defuse } from '../files/formulas.ts';
import type { FileFormat } from '../files/whole-file.ts';
import { type LineField, lineFields } from '../import/imported-line.ts';

// Testimonials read at once.
const pageSize = 1000;

/**
 * The text of an export, piece by piece, in the order of creation; each testimonial is as it is when it is read.
 * @param matches which testimonials are exported
 * @param onRead told how many testimonials were read and how many of them match
 */
export async function* exportText(
  testimonials: Pick<TestimonialStore, 'from'>,
  organization: string,
  format: FileFormat,
  {
    matches,
    onRead,
  }: { matches: (testimonial: Testimonial) => boolean; onRead: (read: number, matching: number) => void },
): AsyncGenerator<string, void, undefined> {
  const { header, textOf } = writers[format];
  let read = 0;
  let matching = 0;
  yield header;
  for await (const page of testimonials.from(organization, 0, { limit: pageSize })) {
    const exported = page.filter(({ testimonial }) => matches(testimonial));
    read += page.length;
    matching += exported.length;
    onRead(read, matching);
    yield textOf(exported);
  }
}

const writers: Record<
  FileFormat,
  { header: string; textOf: (some: readonly StoredTestimonial[]) => string }
> = {
  csv: { header: csvText([lineFields]), textOf: (some) => csvText(some.map(cellsOf)) },
  ndjson: {
    header: '',
    textOf: (some) => some.map((stored) => `${JSON.stringify(membersOf(stored))}\n`).join(''),
  },
};

// Only the place tells which of two updates of the same time came first.
function membersOf({ testimonial, updateOrdinal }: StoredTestimonial) {
  return { ...testimonial, updateOrdinal };
}

function csvText(lines: readonly (readonly string[])[]): string {
  // Quoted, all of them: some readers guess by what cells are separated, and not all take the same line ends.
  return stringify(
    lines.map((cells) => [...cells]),
    { record_delimiter: 'windows', quoted: true },
  );
}

function cellsOf({ testimonial, updateOrdinal }: StoredTestimonial): string[] {
  const { author, rating, tags = [], ...rest } = testimonial;
  const cells: Record<LineField, string> = {
    ...rest,
    'author.name': author.name,
    'author.email': author.email,
    'author.company': author.company ?? '',
    rating: rating === undefined ? '' : String(rating),
    tags: tags.join(','),
    updateOrdinal: String(updateOrdinal),
  };
  return lineFields.map((field) => defuse(cells[field]));
}
