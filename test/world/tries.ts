/**
 * Stores whose writes are sent more than once, as a client library does after a timeout. The second copy
 * arrives first and its response is lost, or it arrives later, even after the caller's next calls.
 */
import { type Backend, interceptCalls } from './backend.ts';

/** Returns true if a call of the stores writes, by its name. */
export function isWrite(name: string): boolean {
  return /^(take|begin|raise|reopen|insert|seal|put|delete|replace|erase|claim|write|addPositions|bucket\.(copy|keep|remove))/.test(
    name,
  );
}

/** The fate of the first try of a call. */
export type FirstTry = 'answered' | 'answer lost' | 'late';

export interface LateTry {
  name: string;
  arrive: () => Promise<unknown>;
  /** When it was sent, in milliseconds since 1970. */
  sentAt: number;
}

export interface Tries<Stores extends Backend = Backend> {
  stores: Stores;
  /** First tries that are still on their way, oldest first. */
  late: LateTry[];
}

/**
 * @param firstTry decides for each write, by its name
 * @param late takes the first tries that are late
 * @param now the time, in milliseconds since 1970
 */
export function withTries<Stores extends Backend>(
  backend: Stores,
  firstTry: (name: string) => FirstTry,
  late: Tries['late'] = [],
  now: () => number = () => 0,
): Tries<Stores> {
  const stores = interceptCalls(backend, async (name, call, [organization]) => {
    const fate = isWrite(name) ? firstTry(name) : 'answered';
    if (fate === 'late') late.push({ name, arrive: call, sentAt: now() });
    if (fate !== 'answer lost') return call();
    const first = await call();
    const second = await call();
    // A head names its writer, so a repeated write recognizes it, unless it was replaced since.
    const isKnown = name === 'replaceHead' && second === undefined;
    return isKnown && (await backend.index.readHead(String(organization))) === first ? first : second;
  });
  return { stores: { ...backend, ...stores }, late };
}

/** Returns fates by a seed: most calls are sent once. */
export function fatesOf(seed: number): (name: string) => FirstTry {
  // A linear congruential generator (Knuth, The Art of Computer Programming, 3.3.4).
  let state = BigInt(seed);
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
    const chance = Number(state >> 32n) / 2 ** 32;
    if (chance < 0.06) return 'late';
    return chance < 0.09 ? 'answer lost' : 'answered';
  };
}
