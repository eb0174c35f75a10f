/** An organization's testimonials as a file that an import takes. */
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import type { ExportFormat } from '../files/whole-file.ts';
import { cellsOf, csvText } from '../import/field-cells.ts';
import { lineFields } from '../import/imported-line.ts';

// Testimonials read at once.
const pageSize = 1000;

export interface ExportOptions {
  /** Which testimonials are exported. */
  matches?: (testimonial: Testimonial) => boolean;
  /** Told how many testimonials were read and how many of them match. */
  onRead?: (read: number, matching: number) => void;
}

/** The text of an export, piece by piece, in the order of creation; each testimonial is as it is when it is read. */
export async function* exportText(
  testimonials: Pick<TestimonialStore, 'from'>,
  organization: string,
  format: ExportFormat,
  { matches = () => true, onRead = () => {} }: ExportOptions = {},
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
  ExportFormat,
  { header: string; textOf: (some: readonly StoredTestimonial[]) => string }
> = {
  csv: {
    header: csvText([lineFields]),
    textOf: (some) => csvText(some.map((stored) => cellsOf(membersOf(stored), lineFields))),
  },
  ndjson: {
    header: '',
    textOf: (some) => some.map((stored) => `${JSON.stringify(membersOf(stored))}\n`).join(''),
  },
};

// Only the place tells which of two updates of the same time came first.
function membersOf({ testimonial, updateOrdinal }: StoredTestimonial) {
  return { ...testimonial, updateOrdinal };
}
