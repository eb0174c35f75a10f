/** Returns the memory of a function that knows index heads and nothing else. */
import type { IndexHead } from '../../functions/testimonials/list-index/index-store.ts';
import { ListMemory } from '../../functions/testimonials/list-index/read/memory.ts';

export function memoryWithHeads(heads: Iterable<readonly [string, IndexHead]>): ListMemory {
  const memory = new ListMemory();
  for (const [organization, head] of heads) memory.get(organization).head = head;
  return memory;
}
