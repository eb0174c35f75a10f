import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { areEqual } from '../../../functions/domain/loads.ts';

test('lists of indices are equal only with the same indices in the same order', () => {
  const indices = fc.array(fc.nat({ max: 3 }), { maxLength: 4 });
  fc.assert(
    fc.property(indices, indices, (a, b) => {
      expect(areEqual(a, b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      expect(areEqual(a, [...a])).toBe(true);
      expect(areEqual(a, [...a, 0])).toBe(false);
      expect(areEqual([...a, 0], a)).toBe(false);
    }),
  );
});
