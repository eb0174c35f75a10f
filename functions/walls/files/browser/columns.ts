/** Arranges the page's cards in columns. Runs before the first card is parsed, so that none is seen elsewhere. */
import { keepInColumns } from '../../browser/keep-in-columns.ts';

new MutationObserver((_, observer) => {
  const cards = document.getElementById('cards');
  if (!cards) return;
  observer.disconnect();
  keepInColumns(cards, new AbortController().signal);
}).observe(document, { childList: true, subtree: true });
