/** Keeps players working after their URLs have expired, on walls and at the desk. */

export type Player = HTMLMediaElement &
  Partial<Pick<HTMLVideoElement, 'poster' | 'videoWidth' | 'videoHeight'>>;

// A URL of the bucket works for five minutes.
const freshMs = 4 * 60_000;
// If the network fails, and not the URL, immediate retries would fail again and again.
const retryMs = 5000;
// The codes of `MediaError`.
const networkFailed = 2;

/** Calls `use` for each event of this name from a player below a node, including later players. */
export function onPlayers(
  root: Node,
  name: string,
  use: (player: Player, now: number) => void,
  signal?: AbortSignal,
): void {
  const listener = ({ target, timeStamp }: Event) => {
    if (target instanceof HTMLMediaElement) use(target, timeStamp);
  };
  // These events do not bubble.
  root.addEventListener(name, listener, { capture: true, ...(signal && { signal }) });
}

/** True if a player has lost the network, or its URL has expired. */
export function hasLostNetwork({ error }: Player): boolean {
  return error?.code === networkFailed;
}

/**
 * Watches all players below a node. A player that resumes after minutes, or whose URL has expired, fetches a
 * new URL and continues at the same time.
 * @param signal stops it
 */
export function refreshPlayers(root: Node, signal?: AbortSignal): void {
  const fetchedAt = new WeakMap<EventTarget, number>();
  const age = (player: Player, now: number) => now - (fetchedAt.get(player) ?? 0);
  const fetchAgain = async (player: Player, now: number) => {
    const { currentTime } = player;
    fetchedAt.set(player, now);
    player.load();
    player.currentTime = currentTime;
    try {
      await player.play();
    } catch {
      // The visitor can press Play again.
    }
  };
  onPlayers(
    root,
    'play',
    (player, now) => {
      if (!fetchedAt.has(player)) fetchedAt.set(player, now);
      else if (age(player, now) > freshMs) fetchAgain(player, now);
    },
    signal,
  );
  onPlayers(
    root,
    'error',
    (player, now) => {
      if (hasLostNetwork(player) && age(player, now) > retryMs) fetchAgain(player, now);
    },
    signal,
  );
}
