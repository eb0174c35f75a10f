/** The way from one page of a list to the others. */
import { html } from 'hono/html';
import type { ListBody } from '../../../../functions/list-testimonials/contract.ts';
import type { Html } from './layout.ts';

/** Links to the neighbours and to both ends, and a field for any other page. */
export function pager(search: URLSearchParams, { page, totalPages }: ListBody['pagination']): Html | '' {
  if (totalPages <= 1 && page <= 1) return '';
  const others = [...search].filter(([name]) => name !== 'page');
  const link = (to: number, label: string, isThere: boolean) => {
    if (!isThere) return html`<span class="button off" aria-hidden="true">${label}</span>`;
    const query = new URLSearchParams([...others, ['page', String(to)]]);
    return html`<a class="button" href="/list?${query.toString()}">${label}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages">
    ${link(1, 'First', page > 1)}${link(Math.min(page - 1, totalPages), 'Previous', page > 1)}
    <form method="get" action="/list" class="to-page">
      ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
      <label>Page <input name="page" inputmode="numeric" value="${page}" size="4" autocomplete="off"></label>
      of ${totalPages.toLocaleString('en')}
      <button class="small">Go</button>
    </form>
    ${link(page + 1, 'Next', page < totalPages)}${link(totalPages, 'Last', page < totalPages)}
  </nav>`;
}
