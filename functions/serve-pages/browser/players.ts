/** Keeps the players of a wall working: their URLs expire, and a page or a browser may block them. */
import { nodeOf } from './elements.ts';
import { hasLostNetwork, onPlayers, type Player, refreshPlayers } from './refresh-players.ts';
import { el } from './view.ts';

/**
 * Watches all players below a node, including later ones. Refreshes their URLs, and replaces a player that
 * cannot play by a link to its file.
 * @param signal stops it
 */
export function watchPlayers(root: Node, signal: AbortSignal): void {
  refreshPlayers(root, signal);
  onPlayers(root, 'error', (player) => hasLostNetwork(player) || replaceByLink(player), signal);
  onPlayers(root, 'loadedmetadata', showUpright, signal);
}

function showUpright({ parentElement, videoWidth = 0, videoHeight = 0 }: Player): void {
  parentElement?.classList.toggle('portrait', videoHeight > videoWidth);
}

/** Keeps the poster. Pages may block media of other sites, and browsers may lack a codec. */
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
