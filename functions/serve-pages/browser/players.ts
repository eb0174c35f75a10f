/** Keeps the players of a wall working: their URLs expire, and a page or a browser may not allow them. */
import { nodeOf } from './elements.ts';
import { el } from './view.ts';

type Player = HTMLMediaElement & Partial<Pick<HTMLVideoElement, 'poster' | 'videoWidth' | 'videoHeight'>>;

// A URL of the bucket works for five minutes.
const freshMs = 4 * 60_000;
// Where the network fails, not the URL, another try would fail at once, again and again.
const retryMs = 5000;
// The codes of `MediaError`.
const networkFailed = 2;

/**
 * Watches all players below a node, also later ones. A player that goes on after minutes, or whose URL has
 * expired, fetches a new URL and goes on where it was. One that cannot play becomes a link to its file.
 * @param signal stops it
 */
export function watchPlayers(root: Node, signal: AbortSignal): void {
  const fetchedAt = new WeakMap<EventTarget, number>();
  const on = (name: string, use: (player: Player, now: number) => void) => {
    const listener = ({ target, timeStamp }: Event) => {
      if (target instanceof HTMLMediaElement) use(target, timeStamp);
    };
    // These events do not bubble.
    root.addEventListener(name, listener, { capture: true, signal });
  };
  const age = (player: Player, now: number) => now - (fetchedAt.get(player) ?? 0);
  const fetchAgain = async (player: Player, now: number) => {
    const { currentTime } = player;
    fetchedAt.set(player, now);
    player.load();
    player.currentTime = currentTime;
    try {
      await player.play();
    } catch {
      // The visitor can press it again.
    }
  };
  on('play', (player, now) => {
    if (!fetchedAt.has(player)) fetchedAt.set(player, now);
    else if (age(player, now) > freshMs) fetchAgain(player, now);
  });
  on('error', (player, now) => {
    if (player.error?.code !== networkFailed) replaceByLink(player);
    else if (age(player, now) > retryMs) fetchAgain(player, now);
  });
  on('loadedmetadata', (player) => {
    const { videoWidth = 0, videoHeight = 0 } = player;
    player.parentElement?.classList.toggle('portrait', videoHeight > videoWidth);
  });
}

/** The poster stays. Pages may refuse media of other sites, and browsers may lack a codec. */
function replaceByLink(player: Player): void {
  const { poster = '', src, dataset } = player;
  const link = nodeOf(
    el(
      'a',
      { class: 'open', href: src, target: '_blank', rel: 'noopener' },
      poster ? el('img', { src: poster, alt: '' }) : undefined,
      el('span', {}, dataset.open ?? ''),
    ),
  );
  const hadFocus = player.matches(':focus-within');
  player.replaceWith(link);
  if (hadFocus) link.focus();
}
