/** Cards of their own height, side by side without holes, in the order in which they are read. */

// A card stands beside the one before it, unless that makes its column so much longer than the shortest, in pixels.
const tolerance = 96;

/**
 * Keeps the cards of a list in the columns of its grid, where it has that look, whatever comes, goes or changes its height. A card
 * that grows moves those below it and no other: each stays in its column until there are more or fewer columns.
 * @param signal ends it
 */
export function keepInColumns(list: HTMLElement, signal: AbortSignal): void {
  let width = 0;
  const update = () => {
    if (list.clientWidth !== width) {
      width = list.clientWidth;
      // A column that is no longer there would be counted while a card is in it.
      for (const card of cardsOf(list)) card.style.gridArea = '';
    }
    if (list.matches('.columns')) arrange(list);
  };
  const checkAll = () => {
    hideNeedless(list);
    update();
  };
  const resized = new ResizeObserver(update);
  const added = new MutationObserver((changes) => {
    for (const { addedNodes, removedNodes } of changes) {
      for (const card of removedNodes) if (card instanceof Element) resized.unobserve(card);
      for (const card of addedNodes) if (card instanceof Element) resized.observe(card);
    }
    checkAll();
  });
  for (const card of cardsOf(list)) resized.observe(card);
  added.observe(list, { childList: true });
  // The text of a card may still be on its way when the card is there.
  document.addEventListener('DOMContentLoaded', checkAll, { signal });
  addEventListener('resize', checkAll, { signal });
  signal.addEventListener('abort', () => {
    resized.disconnect();
    added.disconnect();
  });
  checkAll();
}

/** All cards stand in the first row of the grid, each as far below its beginning as those above it are high. */
function arrange(list: HTMLElement): void {
  const style = getComputedStyle(list);
  const gap = Number.parseFloat(style.columnGap) || 0;
  const cards = cardsOf(list);
  // Columns without a card give their room to the others.
  const ends = style.gridTemplateColumns
    .split(' ')
    .slice(0, Math.max(1, cards.length))
    .map(() => 0);
  let last = -1;
  const places = cards.map((card) => {
    const height = card.getBoundingClientRect().height;
    const limit = Math.min(...ends) + tolerance;
    // From the one behind the last on, round to it.
    const inTurn = ends.map((_, i) => (last + 1 + i) % ends.length);
    const kept = Number(card.style.gridColumnStart) - 1;
    const column = kept >= 0 ? kept : (inTurn.find((each) => (ends[each] ?? 0) <= limit) ?? 0);
    const top = ends[column] ?? 0;
    ends[column] = top + height + gap;
    last = column;
    return { card, column, top };
  });
  for (const { card, column, top } of places) {
    card.style.gridArea = `1 / ${column + 1}`;
    card.style.marginTop = `${top}px`;
  }
}

/** Hides "Read it all" where all can be read already. */
function hideNeedless(list: HTMLElement): void {
  const unfolds = [...list.querySelectorAll<HTMLDetailsElement>('.unfold:not([open])')];
  const needless = unfolds.map(
    ({ previousElementSibling: text }) => text && text.scrollHeight <= text.clientHeight,
  );
  for (const [i, unfold] of unfolds.entries()) unfold.hidden = needless[i] === true;
}

function cardsOf(list: HTMLElement): HTMLElement[] {
  return [...list.children].filter((card) => card instanceof HTMLElement);
}
