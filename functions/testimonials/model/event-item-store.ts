/** The items that events are about. */
import type { ErasedTestimonial, StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { Ordinal } from '../../domain/testimonial-order.ts';

/** An import that has stored all of its lines. */
export interface EndedImport {
  fingerprint: string;
  /** The number of its lines. */
  count: number;
}

/** The items that events are about. Reads are strongly consistent. Reports and skips unreadable items. */
export interface EventItemStore {
  /** Returns the testimonials and erased testimonials at the given positions, in no particular order. */
  atPositions(
    organization: string,
    ordinals: readonly Ordinal[],
  ): Promise<(StoredTestimonial | ErasedTestimonial)[]>;

  /** Returns the given imports that have ended, in no particular order. */
  endedImports(organization: string, fingerprints: readonly string[]): Promise<EndedImport[]>;
}
