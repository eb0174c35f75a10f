/** Arranges cards of different heights in columns without gaps, in reading order. */

// In pixels. A card goes into the next column unless that column is this much longer than the shortest.
const tolerance = 96;

/**
 * Keeps the cards of a list with the look `columns` arranged while cards are added, removed or resized. A card stays in its column
 * until the number of columns changes, so a growing card moves only the cards below it.
 * @param signal stops it
 */
export function keepInColumns(list: HTMLElement, signal: AbortSignal): void {
  let width = 0;
  const update = () => {
    if (list.clientWidth !== width) {
      width = list.clientWidth;
      // A card in a former column would keep that column in the grid.
      for (const card of cardsOf(list)) card.style.gridArea = '';
      // In the next frame, because an observer must not resize what it observes.
      requestAnimationFrame(() => hideNeedlessUnfolds(list));
    }
    if (list.matches('.columns')) arrange(list);
  };
  const resized = new ResizeObserver(update);
  const checkAll = () => {
    for (const card of cardsOf(list)) resized.observe(card);
    hideNeedlessUnfolds(list);
    update();
  };
  const added = new MutationObserver(checkAll);
  added.observe(list, { childList: true });
  // While the page loads, a card can appear before its text.
  document.addEventListener('DOMContentLoaded', checkAll, { signal });
  addEventListener('resize', checkAll, { signal });
  signal.addEventListener('abort', () => {
    resized.disconnect();
    added.disconnect();
  });
  checkAll();
}

/** Places all cards in the first grid row. The top margin of each moves it below the other cards of its column. */
function arrange(list: HTMLElement): void {
  const style = getComputedStyle(list);
  const gap = Number.parseFloat(style.columnGap) || 0;
  const cards = cardsOf(list);
  // Columns without cards collapse.
  const ends = style.gridTemplateColumns
    .split(' ')
    .slice(0, Math.max(1, cards.length))
    .map(() => 0);
  let last = -1;
  const positions = cards.map((card) => {
    const height = card.getBoundingClientRect().height;
    const limit = Math.min(...ends) + tolerance;
    // Start at the column after the last one.
    const candidates = ends.map((_, i) => (last + 1 + i) % ends.length);
    const current = Number(card.style.gridColumnStart) - 1;
    const column = current >= 0 ? current : (candidates.find((each) => (ends[each] ?? 0) <= limit) ?? 0);
    const top = ends[column] ?? 0;
    ends[column] = top + height + gap;
    last = column;
    return { card, column, top };
  });
  for (const { card, column, top } of positions) {
    card.style.gridArea = `1 / ${column + 1}`;
    card.style.marginTop = `${top}px`;
  }
}

/** Hides “Read all” on cards that show their whole text. */
function hideNeedlessUnfolds(list: HTMLElement): void {
  const unfolds = [...list.querySelectorAll<HTMLDetailsElement>('.unfold:not([open])')];
  const needless = unfolds.map(
    ({ previousElementSibling: text }) => text && text.scrollHeight <= text.clientHeight,
  );
  for (const [i, unfold] of unfolds.entries()) unfold.hidden = needless[i] === true;
}

/** Returns the cards of a list. */
export function cardsOf(list: HTMLElement): HTMLElement[] {
  return [...list.children].filter((card) => card instanceof HTMLElement);
}
