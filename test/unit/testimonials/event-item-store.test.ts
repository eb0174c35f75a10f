import { eventItemStore } from '../../../functions/testimonials/table/event-item-store.ts';
import { testimonialItem } from '../../../functions/testimonials/table/stored-testimonials.ts';
import { testStore } from '../../mocked-table.ts';
import { position } from '../../position.ts';
import { storedAt } from '../../testimonials.ts';

const stored = { ...storedAt(position(1)), change: 'status', isLoaded: true } as const;
const item = testimonialItem('acme', stored);
const erasedKey = { PK: item.PK, SK: testimonialItem('acme', storedAt(position(2))).SK };
const erased = { erased: 'test_2', updateOrdinal: 9, time: '2026-01-15T10:00:00.000Z' };
const batch = (...Keys: object[]) => ({
  BatchGet: { RequestItems: { testimonials: { ConsistentRead: true, Keys } } },
});
const importKey = (name: string) => ({ PK: 'ORG#acme', SK: `IMPORT#${name}` });

testStore(eventItemStore, {
  'atPositions asks for each place once and leaves out sealed ones': {
    call: (store) => store.atPositions('acme', [position(1), position(2), position(1)]),
    sends: [batch({ PK: item.PK, SK: item.SK }, erasedKey)],
    responses: [{ Responses: { testimonials: [item, { ...erasedKey, ...erased }, erasedKey] } }],
    returns: [stored, { ...erased, ordinal: position(2) }],
  },
  'endedImports leaves out imports in any other state': {
    call: (store) => store.endedImports('acme', ['a', 'b']),
    sends: [batch(importKey('a'), importKey('b'))],
    responses: [
      {
        Responses: {
          testimonials: [
            { ...importKey('a'), state: 'ended', count: 3 },
            { ...importKey('b'), state: 'storing', count: 4 },
          ],
        },
      },
    ],
    returns: [{ fingerprint: 'a', count: 3 }],
  },
});
