/** The part of the page “You” about an owner's feed: making, renewing and ending it, and how to subscribe. */
import { html } from 'hono/html';
import { replacesMain } from '../parts/cards.ts';
import type { Html } from '../parts/layout.ts';
import { snippetPart } from '../parts/snippet.ts';
import { feedDays } from '../people.ts';

/** Shows the link of a new feed, once. */
export function newFeedPart(link: string): Html {
  return html`<section class="card part"><h2 tabindex="-1" data-focus>Your feed link</h2>
    <p role="status">Anyone with the link can read the feed, so treat it like a password. It is not shown again.</p>
    ${snippetPart('Feed link', link, 'solid')}
    ${steps('open')}</section>`;
}

/**
 * Returns the part of the page “You” about the owner's feed.
 * @param path the path that makes and ends feeds
 * @param rows the feeds
 */
export function feedPart(path: string, rows: readonly Html[]): Html {
  const hasFeed = rows.length > 0;
  return html`<h2 id="feed">Get notified</h2>
  <form method="post" action="${path}" class="card part" ${replacesMain}>
    <p>Get a message in Slack, in Outlook or by e‑mail for every new testimonial. It shows the stars and the date only: no text, no name and no
      e-mail address.</p>
    ${hasFeed && html`<ul class="rows">${rows}</ul>`}
    <div class="buttons"><button name="action" value="feed">${hasFeed ? 'Get a new feed link' : 'Get a feed link'}</button></div>
    ${
      hasFeed &&
      html`<p class="muted">A new link ends the earlier one within a minute. The feed also ends
      when you sign out everywhere, when an owner removes you, or ${feedDays} days after its last use.</p>`
    }
    ${steps()}</form>`;
}

function steps(open?: 'open'): Html {
  return html`<details ${open}><summary>How to subscribe</summary><dl>
    <dt>Slack</dt><dd>In the channel that should get the messages, type <code>/feed subscribe</code>, a space, and paste the link. If Slack does not know
      the command, add the app “RSS” to your workspace first.</dd>
    <dt>Outlook</dt><dd>In Outlook for Windows (classic), right-click “RSS Feeds” in the list of folders, choose “Add a New RSS Feed” and
      paste the link.</dd>
    <dt>By e-mail</dt><dd>Give the link to a service that sends feeds as e-mails, such as Power Automate (“When a feed item is published”).
      Or ask your administrator to set up e-mail notifications.</dd></dl></details>`;
}
