/** The frame of every page of the desk. */
import { html } from 'hono/html';
import type { AssetName } from './assets.ts';
import { type IconName, icon } from './icon.ts';
import { deskPath } from './paths.ts';

/** Markup in which texts are escaped. */
export type Html = ReturnType<typeof html>;

const pages = {
  queue: { name: 'Queue', icon: 'inbox' },
  list: { name: 'Testimonials', icon: 'chat-quote' },
  numbers: { name: 'Numbers', icon: 'bar-chart' },
  pages: { name: 'Pages', icon: 'window-stack' },
  files: { name: 'Files', icon: 'folder' },
  people: { name: 'People', icon: 'people' },
  me: { name: 'You', icon: 'person-circle' },
} as const satisfies Record<string, { name: string; icon: IconName }>;

export type PageName = keyof typeof pages;

export interface Shell {
  organization: string;
  pages: readonly PageName[];
  /** Absent if the deployment has no media. */
  media?: object | undefined;
  /** Returns the path of a file that pages load. */
  asset: (name: AssetName) => string;
}

interface PageFrame {
  current?: PageName;
  title?: string | undefined;
  pending?: number | undefined;
  /** Scripts that only this page loads. */
  scripts?: readonly AssetName[];
  /** The outcome of the previous action. */
  message?: string;
}

// Makes htmx comply with the content security policy, and show error pages like other pages.
const htmxSettings = JSON.stringify({
  includeIndicatorStyles: false,
  // Lets a new card accept keys immediately.
  defaultSettleDelay: 0,
  // Copying styles would violate the policy.
  attributesToSettle: ['class'],
  allowEval: false,
  allowScriptTags: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  timeout: 20_000,
  refreshOnHistoryMiss: true,
  responseHandling: [
    { code: '204', swap: false },
    { code: '.*', swap: true },
  ],
});

export function deskDocument(desk: Shell, frame: PageFrame, main: Html): Html {
  const { current, pending, message, scripts = [] } = frame;
  const { title = current && pages[current].name } = frame;
  const link = (id: PageName) =>
    html`<a href="${deskPath}/${id}" ${id === current && html`aria-current="page"`}>${icon(pages[id].icon)}
      <span>${pages[id].name}</span>${id === 'queue' && pendingBadge(pending)}</a>`;
  return document(
    desk,
    // The same number as on the badge, so that the browser's tab shows it.
    `${pending ? `(${pending.toLocaleString('en')}) ` : ''}${title} · ${desk.organization}`,
    html`<a class="skip" href="#main">Skip to content</a>
    <header class="top">
      <p class="brand">${desk.organization}</p>
      <nav aria-label="Desk"><ul>${desk.pages.filter((id) => id !== 'me').map((id) => html`<li>${link(id)}</li>`)}</ul></nav>
      ${desk.pages.includes('me') && html`<div class="me">${link('me')}</div>`}
    </header>
    <section id="failure" class="notice wrong" role="alert" hidden><p></p>
      <button type="button" class="small">Try again</button></section>
    <main id="main" tabindex="-1">
      ${main}
    </main>
    <div id="message" role="status">${message && html`<p>${message}</p>`}</div>`,
    [
      ...(desk.pages.includes('me') ? (['passkeys.js'] as const) : []),
      ...(desk.media ? (['players.js'] as const) : []),
      ...scripts,
    ],
  );
}

/**
 * Returns an HTML document that loads the desk's styles and scripts.
 * @param modules additional scripts
 */
export function document(
  { asset }: Pick<Shell, 'asset'>,
  title: string,
  body: Html,
  modules: readonly AssetName[] = [],
): Html {
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
    ${modules.map((name) => html`<script type="module" src="${asset(name)}"></script>`)}
  </head>
  <body>
    ${body}
  </body>
</html>
`;
}

function pendingBadge(pending = 0): Html {
  return html`<span id="pending" class="badge" data-count="${pending}" ${pending === 0 && 'hidden'}>${pending.toLocaleString('en')}<span class="visually-hidden"> ${pending === 1 ? 'is' : 'are'} pending</span></span>`;
}
