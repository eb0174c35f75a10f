/** Which places the lines of a file take in the two orders of an organization. */

/** Of all good lines, in the order of the file. */
export interface LineTimes {
  /** Milliseconds since the epoch; Infinity for now. */
  createdAt: number[];
  updatedAt: number[];
  /** What orders equal times of update, where the file says it; 0 otherwise. */
  updateOrdinal: number[];
  /** The ordinal in the line's id; 0 where it has none of this service. */
  idOrdinal: number[];
}

export interface Places {
  /** By line. */
  ordinals: Float64Array;
  updateOrdinals: Float64Array;
  /** The last place that is taken, in either order. */
  last: number;
  /** True when the ids of the file are kept. */
  keepsIds: boolean;
}

// A free place is passed at some cost; a file in which most are free is not an export of a whole organization.
const mostPlacesALine = 10;
const placesAlways = 10_000;

/**
 * Orders lines by their times. Ids of this service are kept as long as they are in the order of creation, each once:
 * an id ends with its testimonial's place.
 */
export function placesOf({ createdAt, updatedAt, updateOrdinal, idOrdinal }: LineTimes): Places {
  const count = createdAt.length;
  const difference = (numbers: number[], a: number, b: number) => {
    const [x = 0, y = 0] = [numbers[a], numbers[b]];
    return x === y ? 0 : x - y;
  };
  const created = orderBy(
    count,
    (a, b) => difference(createdAt, a, b) || difference(idOrdinal, a, b) || a - b,
  );
  const updated = orderBy(
    count,
    (a, b) =>
      difference(updatedAt, a, b) ||
      difference(updateOrdinal, a, b) ||
      (ordinals[a] ?? 0) - (ordinals[b] ?? 0),
  );
  const most = Math.max(placesAlways, count * mostPlacesALine);
  const kept = placesWithIds(created(), idOrdinal);
  const keepsIds = kept !== undefined && kept.last <= most;
  const ordinals = keepsIds ? kept.ordinals : ranks(created());
  const last = Math.max(count, keepsIds ? kept.last : 0);
  return { ordinals, updateOrdinals: ranks(updated()), last, keepsIds };
}

/** The lines in an order, when it is asked for. */
function orderBy(count: number, compare: (a: number, b: number) => number): () => Uint32Array {
  return () => Uint32Array.from({ length: count }, (_, i) => i).sort(compare);
}

/** Numbers the lines from 1, in an order. */
function ranks(order: Uint32Array): Float64Array {
  const found = new Float64Array(order.length);
  for (const [i, line] of order.entries()) found[line] = i + 1;
  return found;
}

/** The places of lines that keep their ids, and for others the first that is free; undefined when that cannot be. */
function placesWithIds(
  order: Uint32Array,
  idOrdinal: number[],
): { ordinals: Float64Array; last: number } | undefined {
  const ordinals = new Float64Array(order.length);
  let next = 1;
  let hasIds = false;
  for (const line of order) {
    const own = idOrdinal[line] ?? 0;
    if (own > 0 && own < next) return undefined;
    hasIds ||= own > 0;
    ordinals[line] = Math.max(own, next);
    next = Math.max(own, next) + 1;
  }
  return hasIds ? { ordinals, last: next - 1 } : undefined;
}
