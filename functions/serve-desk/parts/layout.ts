/** What all pages of a desk share. */
import { html } from 'hono/html';
import type { AssetName } from './assets.ts';
import { base } from './base.ts';
import type { Html } from './html.ts';

/** The pages, as the navigation has them. */
const pages = {
  queue: { path: `${base}/queue`, name: 'Queue' },
  list: { path: `${base}/list`, name: 'Testimonials' },
  numbers: { path: `${base}/numbers`, name: 'Numbers' },
  wall: { path: `${base}/wall`, name: 'Wall' },
  wallFiles: { path: `${base}/wall-files`, name: 'Wall as files' },
  files: { path: `${base}/files`, name: 'Import & export' },
  me: { path: `${base}/me`, name: 'You' },
} as const;

export type PageName = keyof typeof pages;

/** What stands around a page. */
export interface Shell {
  organization: string;
  /** The pages that the desk has. */
  pages: readonly PageName[];
  /** The address of a file that pages load. */
  asset: (name: AssetName) => string;
}

interface About {
  current?: PageName;
  title?: string | undefined;
  /** How many are pending; absent where that could not be learned. */
  pending?: number | undefined;
  /** What is to be known whatever is done. */
  notices?: readonly string[];
}

// Nothing of it is inline, and an answer that refuses is shown as well.
const htmxSettings = JSON.stringify({
  includeIndicatorStyles: false,
  // What is shown is ready for the next key.
  defaultSettleDelay: 0,
  allowEval: false,
  allowScriptTags: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  refreshOnHistoryMiss: true,
  responseHandling: [
    { code: '204', swap: false },
    { code: '.*', swap: true },
  ],
});

/** A whole page. */
export function layout(desk: Shell, about: About, main: Html): Html {
  const { current, pending, notices = [] } = about;
  const { title = current && pages[current].name } = about;
  return document(
    desk,
    `${title} · ${desk.organization}`,
    html`<a class="skip" href="#main">Skip to the page</a>
    <header class="top">
      <p class="brand">${desk.organization}</p>
      <nav aria-label="Desk">
        <ul>${desk.pages.map(
          (id) => html`
          <li><a href="${pages[id].path}" ${id === current && html`aria-current="page"`}>${pages[id].name}${id === 'queue' && pendingBadge(pending)}</a></li>`,
        )}
        </ul>
      </nav>
    </header>
    <section id="notices" aria-label="Notices">${notices.map((line) => html`<p class="notice warning">${line}</p>`)}</section>
    <main id="main" tabindex="-1">
      ${main}
    </main>`,
  );
}

/** A document with what every page loads. */
export function document({ asset }: Pick<Shell, 'asset'>, title: string, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="htmx-config" content="${htmxSettings}">
    <title>${title} · Desk</title>
    <link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
    <link rel="stylesheet" href="${asset('desk.css')}">
    <script src="${asset('htmx.js')}" defer></script>
    <script src="${asset('desk.js')}" defer></script>
  </head>
  <body>
    ${body}
  </body>
</html>
`;
}

/** A table that scrolls by itself where it is too wide. */
export function table(label: string, rows: Html): Html {
  return html`<div class="card table-wrap" tabindex="0" role="region" aria-label="${label}"><table>${rows}</table></div>`;
}

function pendingBadge(pending = 0): Html {
  return html`<span id="pending" class="badge" ${pending === 0 && 'hidden'}>${pending.toLocaleString('en')}<span class="visually-hidden"> ${pending === 1 ? 'is' : 'are'} pending</span></span>`;
}
