/** What all pages of a desk share. */
import { html } from 'hono/html';

/** Markup in which a text is never more than text. */
export type Html = ReturnType<typeof html>;

/** The pages, as the navigation has them. */
const pages = {
  queue: { path: '/queue', name: 'Queue' },
  list: { path: '/list', name: 'Testimonials' },
  numbers: { path: '/numbers', name: 'Numbers' },
  files: { path: '/files', name: 'Import & export' },
  wall: { path: '/wall', name: 'Wall' },
} as const;

export type PageName = keyof typeof pages;

/** What the layout shows around a page. */
interface Frame {
  organization: string;
  /** How many are pending; absent where that could not be learned. */
  pending?: number | undefined;
  /** What the operator is to know whatever is done, as that an import has not ended. */
  notices: readonly string[];
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
export function layout(
  { organization, pending, notices }: Frame,
  { current, title = current && pages[current].name }: { current?: PageName; title?: string | undefined },
  main: Html,
): Html {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="htmx-config" content="${htmxSettings}">
    <title>${title} · ${organization} · Desk</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/desk.css">
    <script src="/htmx.js" defer></script>
    <script src="/desk.js" defer></script>
  </head>
  <body>
    <a class="skip" href="#main">Skip to the page</a>
    <header class="top">
      <p class="brand">${organization}</p>
      <nav aria-label="Desk">
        <ul>${Object.entries(pages).map(
          ([id, { path, name }]) => html`
          <li><a href="${path}" ${id === current ? html`aria-current="page"` : ''}>${name}${
            id === 'queue' ? pendingBadge(pending) : ''
          }</a></li>`,
        )}
        </ul>
      </nav>
    </header>
    <main id="main" tabindex="-1">
      ${notices.map((line) => html`<p class="notice warning">${line}</p>`)}
      ${main}
    </main>
  </body>
</html>
`;
}

function pendingBadge(pending: number | undefined): Html {
  return html`<span id="pending" class="badge" ${pending ? '' : html`hidden`}>${(pending ?? 0).toLocaleString(
    'en',
  )}<span class="visually-hidden"> ${pending === 1 ? 'is' : 'are'} pending</span></span>`;
}
