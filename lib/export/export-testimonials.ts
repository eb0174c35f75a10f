/** An organization's testimonials as a file that an import takes. */
import { stringify } from 'csv-stringify/sync';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../functions/domain/stores.ts';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { type LineField, lineFields } from '../import/imported-line.ts';
import type { Format } from '../import/read-lines.ts';
import { defuse } from './formulas.ts';

// Testimonials read at once.
const pageSize = 1000;

/**
 * The text of an export, piece by piece, in the order of creation; each testimonial is as it is when it is read.
 * @param matches which testimonials are exported
 * @param onRead told how many testimonials were read and how many of them match
 */
export async function* exportText(
  testimonials: TestimonialStore,
  organization: string,
  format: Format,
  {
    matches,
    onRead,
  }: { matches: (testimonial: Testimonial) => boolean; onRead: (read: number, matching: number) => void },
): AsyncGenerator<string, void, undefined> {
  const { header, lineOf } = writers[format];
  let read = 0;
  let matching = 0;
  yield header;
  for await (const page of testimonials.from(organization, 0, { limit: pageSize })) {
    const exported = page.filter(({ testimonial }) => matches(testimonial));
    read += page.length;
    matching += exported.length;
    onRead(read, matching);
    yield exported.map(lineOf).join('');
  }
}

const writers: Record<Format, { header: string; lineOf: (stored: StoredTestimonial) => string }> = {
  csv: { header: csvLine(lineFields), lineOf: (stored) => csvLine(cellsOf(stored)) },
  ndjson: {
    header: '',
    // Of equal times of update, only its place tells which came first.
    lineOf: ({ testimonial, updateOrdinal }) => `${JSON.stringify({ ...testimonial, updateOrdinal })}\n`,
  },
};

function csvLine(cells: readonly string[]): string {
  return stringify([[...cells]], { record_delimiter: 'windows' });
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
