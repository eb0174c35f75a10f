/**
 * The script of a hosted wall. Runs before the page's body is parsed, and adds further pages without leaving
 * the first.
 */
import { collect } from '../stand-ins.ts';
import { fillIn, rangeOf } from '../texts.ts';
import { focusCard, moveAlong } from './elements.ts';
import { keepInColumns } from './keep-in-columns.ts';
import { watchPlayers } from './players.ts';

const { signal } = new AbortController();

document.documentElement.classList.toggle('framed', parent !== window);

// Before the first card is parsed, so that no card is drawn and then moved.
new MutationObserver((_, observer) => {
  const cards = document.getElementById('cards');
  if (!cards) return;
  observer.disconnect();
  keepInColumns(cards, signal);
}).observe(document, { childList: true, subtree: true });

document.addEventListener('DOMContentLoaded', () => {
  const cards = document.getElementById('cards');
  const buttons = document.getElementById('buttons');
  const count = document.getElementById('count');
  const failed = document.getElementById('failed');
  if (!cards || !buttons || !count || !failed) return;
  moveAlong(cards, buttons, signal);
  watchPlayers(cards, signal);
  const more = buttons.querySelector<HTMLAnchorElement>('.more');
  // A sandboxed frame may block requests, but it may follow the link.
  if (more && origin !== 'null') addPages(more, { cards, count, failed });
});

/** Makes “Show more” add the cards of the next page. If the request fails, the visitor can try again. */
function addPages(
  more: HTMLAnchorElement,
  { cards, count, failed }: Record<'cards' | 'count' | 'failed', HTMLElement>,
): void {
  let isLoading = false;
  more.addEventListener('click', async (event) => {
    // The visitor opens the link in another tab or window.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (isLoading) return;
    isLoading = true;
    more.setAttribute('aria-busy', 'true');
    failed.textContent = '';
    try {
      const response = await fetch(more.href);
      if (!response.ok) throw new Error(response.statusText);
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      const further = page.querySelector<HTMLAnchorElement>('.more');
      // New approvals can move a testimonial to the next page.
      const added = collect(page.querySelectorAll<HTMLElement>('.card'), (card) =>
        document.getElementById(card.id) ? undefined : card,
      );
      cards.append(...added);
      cards.classList.add('many');
      if (further) more.href = further.href;
      else more.remove();
      count.textContent = countOf(count.dataset, cards.childElementCount, !further);
      focusCard(added[0]);
      if (!cards.matches('.columns, .list')) added[0]?.scrollIntoView({ block: 'nearest', inline: 'start' });
    } catch {
      failed.textContent = failed.dataset.text ?? '';
    }
    isLoading = false;
    more.removeAttribute('aria-busy');
  });
}

/** Returns the text that says which testimonials are shown. */
function countOf({ from, some = '', all = '' }: DOMStringMap, shown: number, isLast: boolean): string {
  const first = +(from ?? 1);
  if (isLast && first === 1) return all;
  const { lang } = document.documentElement;
  return fillIn(some, { shown: rangeOf(first, first + shown - 1, lang) }, lang);
}
