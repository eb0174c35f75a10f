/**
 * The elements of walls on a page: creating them, scrolling rows of cards, and moving the focus to a card.
 */
import { collect, namesOf } from '../stand-ins.ts';
import { isPageHidden } from './named-access.ts';
import type { Tree } from './view.ts';

// An element of a page can hide the methods of its document. This document has no elements.
const maker = new Document();
const svg = 'http://www.w3.org/2000/svg';
const html = 'http://www.w3.org/1999/xhtml';

/**
 * Creates the element of a tree without parsing markup, so that it works on pages that enforce Trusted Types.
 */
export function nodeOf({ tag, attributes, children }: Tree): HTMLElement {
  const element = maker.createElementNS(/^(svg|defs|path|use)$/.exec(tag) ? svg : html, tag);
  for (const name of namesOf(attributes)) element.setAttribute(name, attributes[name] ?? '');
  element.append(...collect(children, (child) => (typeof child === 'string' ? child : nodeOf(child))));
  // The root is never an SVG element.
  return element as HTMLElement;
}

const changeMs = 8000;

/**
 * Makes the buttons scroll a list with the look `row` or `single`. A single card advances by itself until the
 * visitor presses a button, except while something plays, while they point at it or use it, or if they prefer
 * reduced motion.
 * @param signal stops it
 */
export function moveAlong(list: HTMLElement, buttons: HTMLElement, signal: AbortSignal): void {
  let isStopped = false;
  const update = () => buttons.classList.toggle('needless', list.scrollWidth <= list.clientWidth + 1);
  const scroll = (by: number) => {
    const [width, total, position] = [list.clientWidth, list.scrollWidth, Math.abs(list.scrollLeft)];
    const isAtEnd = by > 0 ? position + width >= total - 1 : position < 1;
    const left = isAtEnd ? -by * total : by * width;
    list.scrollBy({ left: list.matches(':dir(rtl)') ? -left : left });
  };
  buttons.addEventListener(
    'click',
    (event) => {
      const target = event.target as Element; // the target of every click
      isStopped = true;
      scroll(+target.matches('.next') - +target.matches('.previous'));
      for (const stop of buttons.querySelectorAll<HTMLElement>('.stop')) stop.hidden = true;
    },
    { signal },
  );
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
  const used = ':hover, :focus-within';
  const timer = setInterval(() => {
    if (isStopped || reducedMotion.matches || isPageHidden()) return;
    if (list.matches(used) || buttons.matches(used) || isPlaying(list)) return;
    if (list.matches('.single')) scroll(1);
  }, changeMs);
  new ResizeObserver(update).observe(list);
  new MutationObserver(update).observe(list, { childList: true });
  signal.addEventListener('abort', () => clearInterval(timer));
}

/** True if a player in the list is playing. */
function isPlaying(list: HTMLElement): boolean {
  const players = list.querySelectorAll<HTMLMediaElement>('video, audio');
  return collect(players, (each) => (each.paused ? undefined : each)).length > 0;
}

/** Moves the focus to a card that was added. */
export function focusCard(card: HTMLElement | undefined): void {
  if (!card) return;
  card.tabIndex = -1;
  card.focus({ preventScroll: true });
}
