/** The elements of walls in the page: creating them, scrolling rows of cards, and focusing cards. */
import type { Tree } from './view.ts';

const svgTags = new Set(['svg', 'defs', 'path', 'use']);

/** Creates the element of a tree without parsing markup, so it works in pages that enforce Trusted Types. */
export function nodeOf({ tag, attributes, children }: Tree): HTMLElement {
  const element = svgTags.has(tag)
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map((child) => (typeof child === 'string' ? child : nodeOf(child))));
  // The root is never an SVG element.
  return element as HTMLElement;
}

const changeMs = 8000;

/**
 * Makes the buttons scroll a list with the look `row` or `single`. A single card advances by itself until the visitor presses a
 * button, except while they point at it or use it, or if they prefer reduced motion.
 * @param signal stops it
 */
export function moveAlong(list: HTMLElement, buttons: HTMLElement, signal: AbortSignal): void {
  let isStopped = false;
  const update = () => buttons.classList.toggle('needless', list.scrollWidth <= list.clientWidth + 1);
  const scroll = (by: 1 | -1) => {
    const [width, total, position] = [list.clientWidth, list.scrollWidth, Math.abs(list.scrollLeft)];
    const isAtEnd = by > 0 ? position + width >= total - 1 : position < 1;
    const left = isAtEnd ? -by * total : by * width;
    list.scrollBy({ left: list.matches(':dir(rtl)') ? -left : left });
  };
  buttons.addEventListener(
    'click',
    ({ target }) => {
      if (!(target instanceof Element)) return;
      isStopped = true;
      if (target.matches('.previous')) scroll(-1);
      if (target.matches('.next')) scroll(1);
      for (const stop of buttons.querySelectorAll<HTMLElement>('.stop')) stop.hidden = true;
    },
    { signal },
  );
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
  const isUsed = () => [list, buttons].some((each) => each.matches(':hover, :focus-within'));
  const timer = setInterval(() => {
    if (isStopped || reducedMotion.matches || document.hidden || isUsed()) return;
    if (list.matches('.single')) scroll(1);
  }, changeMs);
  const resized = new ResizeObserver(update);
  resized.observe(list);
  const added = new MutationObserver(update);
  added.observe(list, { childList: true });
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    resized.disconnect();
    added.disconnect();
  });
}

/** Moves the focus to a card that was added. */
export function focusCard(card: Element | undefined): void {
  if (!(card instanceof HTMLElement)) return;
  card.tabIndex = -1;
  card.focus({ preventScroll: true });
}
