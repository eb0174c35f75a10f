/** Puts the cards of the page into columns. It runs before there are any: nobody sees them elsewhere. */
import { keepInColumns } from '../../browser/keep-in-columns.ts';

new MutationObserver((_, observer) => {
  const cards = document.getElementById('cards');
  if (!cards) return;
  observer.disconnect();
  keepInColumns(cards, new AbortController().signal);
}).observe(document, { childList: true, subtree: true });
