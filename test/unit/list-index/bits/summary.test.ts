import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { commonFacetsOf } from '../../../../functions/domain/terms.ts';
import { emptyChunk, setBit } from '../../../../functions/testimonials/list-index/bits/bitmap.ts';
import {
  cellOf,
  cells,
  decodeSummary,
  encodeSummary,
  summaryOf,
  summaryTerms,
  sumOf,
} from '../../../../functions/testimonials/list-index/bits/summary.ts';
import { testimonialOf } from '../../../testimonials.ts';
import { input } from '../../../world/arbitraries.ts';

const testimonial = fc
  .tuple(input, fc.constantFrom('pending' as const, 'approved', 'rejected'))
  .map(([body, status]) => testimonialOf({ ...body, status }));
const summary = fc.array(fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 100_000_000_000 })), {
  minLength: cells.length,
  maxLength: cells.length,
});

test('each testimonial is counted in the one cell whose terms it has', () => {
  fc.assert(
    fc.property(testimonial, (each) => {
      const facets = new Set(commonFacetsOf(each));
      const having = [...cells.keys()].filter((i) => cells[i]?.every((term) => facets.has(term)));
      expect(having).toEqual([cellOf(each)]);
    }),
  );
});

test('the bits of a chunk are counted as its testimonials are', () => {
  fc.assert(
    fc.property(fc.array(testimonial, { maxLength: 50 }), (all) => {
      const bits = new Map(summaryTerms.map((term) => [term, emptyChunk()]));
      const expected = cells.map(() => 0);
      for (const [offset, each] of all.entries()) {
        for (const term of commonFacetsOf(each)) {
          const chunk = bits.get(term);
          if (chunk) setBit(chunk, offset * 1000);
        }
        expected[cellOf(each)] = (expected[cellOf(each)] ?? 0) + 1;
      }
      expect(summaryOf((term) => bits.get(term) ?? emptyChunk())).toEqual(expected);
    }),
  );
});

test('a summary survives encoding, and that of a full chunk is small', () => {
  fc.assert(
    fc.property(summary, (each) => {
      expect(decodeSummary(encodeSummary(each))).toEqual(each);
    }),
  );
  expect(encodeSummary(cells.map(() => 1213)).length).toBe(2 * cells.length);
});

test('summaries are summed cell by cell', () => {
  fc.assert(
    fc.property(summary, summary, (a, b) => {
      expect(sumOf([a, b])).toEqual(a.map((count, i) => count + (b[i] ?? 0)));
    }),
  );
  expect(sumOf([])).toEqual(cells.map(() => 0));
});
