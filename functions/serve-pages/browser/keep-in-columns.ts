/** Arranges cards of different heights in columns without gaps, in reading order. */
import { collect, matchesOf } from '../stand-ins.ts';

// In pixels. A card goes into the next column unless that column is this much longer than the shortest.
const tolerance = 96;

/**
 * Keeps the cards of a list with the look `columns` arranged while cards are added, removed or resized. A
 * card stays in its column until the number of columns changes, so a growing card moves only the cards below
 * it.
 * @param signal stops it
 */
export function keepInColumns(list: HTMLElement, signal: AbortSignal): void {
  let width = 0;
  const update = () => {
    if (list.clientWidth !== width) {
      width = list.clientWidth;
      // A card in a removed column would keep that column in the grid.
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
  new MutationObserver(checkAll).observe(list, { childList: true });
  // While the page loads, a card can appear before its text.
  for (const event of ['DOMContentLoaded', 'resize']) addEventListener(event, checkAll, { signal });
  checkAll();
}

/**
 * Places all cards in the first grid row. Each card's top margin moves it below the other cards of its
 * column.
 */
function arrange(list: HTMLElement): void {
  const { columnGap, gridTemplateColumns } = getComputedStyle(list);
  const gap = pixelsIn(columnGap);
  const cards = cardsOf(list);
  // Columns without cards collapse.
  const ends: number[] = collect(matchesOf(gridTemplateColumns, /\S+/g), (_, i) =>
    i < Math.max(1, cards.length) ? 0 : undefined,
  );
  let last = -1;
  const positions = collect(cards, (card) => {
    const current = +card.style.gridColumnStart - 1;
    const column = current >= 0 ? current : nextColumn(ends, last);
    const top = ends[column] ?? 0;
    ends[column] = top + heightOf(card) + gap;
    last = column;
    return { card, column, top };
  });
  for (const { card, column, top } of positions) {
    card.style.gridArea = `1 / ${column + 1}`;
    card.style.marginTop = `${top}px`;
  }
}

/** Returns the first column, starting after the last card's, that is not much longer than the shortest. */
function nextColumn(ends: readonly number[], last: number): number {
  const limit = Math.min(...ends) + tolerance;
  let column = last;
  do column = (column + 1) % ends.length;
  while ((ends[column] ?? 0) > limit);
  return column;
}

/**
 * Returns an element's height in layout pixels: the used value
 * (https://drafts.csswg.org/cssom/#resolved-values). A client rectangle would include the transforms and the
 * zoom of the page.
 */
export function heightOf(element: Element): number {
  return pixelsIn(getComputedStyle(element).height);
}

/** Returns the number in a computed length, such as 12.5px; 0 for a keyword. */
function pixelsIn(length: string): number {
  const [pixels = '0'] = matchesOf(length, /[\d.]+/g);
  return +pixels;
}

/** Hides “Read more” on cards that show their whole text. */
function hideNeedlessUnfolds(list: HTMLElement): void {
  // Read all before the first change, so that the browser lays the page out once.
  const unfolds = collect(list.querySelectorAll<HTMLElement>('.unfold:not([open])'), (unfold) => {
    const text = unfold.previousElementSibling;
    return { unfold, isNeedless: text !== null && text.scrollHeight <= text.clientHeight };
  });
  for (const { unfold, isNeedless } of unfolds) unfold.hidden = isNeedless;
}

export function cardsOf(list: HTMLElement): HTMLElement[] {
  return [...list.children] as HTMLElement[]; // no SVG elements
}
