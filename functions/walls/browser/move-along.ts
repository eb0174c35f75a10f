/** The buttons of cards that stand in a row, and the single one that changes by itself. */

const changeMs = 8000;

/**
 * Lets buttons go along a list, where it has such a look. The single card changes by itself while nobody uses or points at it, until
 * somebody takes a button; where the visitor asked for no movement it never does, and nothing glides.
 * @param signal ends it
 */
export function moveAlong(list: HTMLElement, buttons: HTMLElement, signal: AbortSignal): void {
  let isStopped = false;
  const update = () => buttons.classList.toggle('needless', list.scrollWidth <= list.clientWidth + 1);
  const go = (by: 1 | -1) => {
    const [width, whole, place] = [list.clientWidth, list.scrollWidth, Math.abs(list.scrollLeft)];
    const isAtEnd = by > 0 ? place + width >= whole - 1 : place < 1;
    const left = isAtEnd ? -by * whole : by * width;
    list.scrollBy({ left: list.matches(':dir(rtl)') ? -left : left });
  };
  buttons.addEventListener(
    'click',
    ({ target }) => {
      if (!(target instanceof Element)) return;
      isStopped = true;
      if (target.matches('.previous')) go(-1);
      if (target.matches('.next')) go(1);
      for (const stop of buttons.querySelectorAll<HTMLElement>('.stop')) stop.hidden = true;
    },
    { signal },
  );
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const isUsed = () => [list, buttons].some((each) => each.matches(':hover, :focus-within'));
  const timer = setInterval(() => {
    if (isStopped || calm.matches || document.hidden || isUsed()) return;
    if (list.matches('.single')) go(1);
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

/** Goes on reading with a card that was added. */
export function readOn(card: Element | undefined): void {
  if (!(card instanceof HTMLElement)) return;
  card.tabIndex = -1;
  card.focus({ preventScroll: true });
}
