/** Links that sign people in, the sessions that they opened, and feeds. */
import { html } from 'hono/html';
import type { Pass } from '../../domain/person.ts';
import { shortHash } from '../../domain/token.ts';
import type { Html } from '../parts/layout.ts';
import { snippetPart } from '../parts/snippet.ts';
import { minute } from '../parts/testimonial.ts';
import { invitationDays, lastUseOf } from '../people.ts';

/** Shows a new link, once. */
export function newLinkPart(link: string, name: string): Html {
  return html`<section class="card part"><h2 tabindex="-1" data-focus>Send this link to <bdi>${name}</bdi></h2>
    <p role="status">It works once and expires in ${invitationDays} days. Copy it now: it is not shown again.</p>
    ${snippetPart('Invitation', link, 'solid')}</section>`;
}

/** Returns the name of the person who made the link of a pass. */
export function makerOf({ madeBy }: Pass): Html {
  return madeBy === undefined ? html`your administrator` : html`<bdi>${madeBy}</bdi>`;
}

/** Describes a session, an unused link or a feed: when and how it was made, and how long it works. */
export function passText(pass: Pass): Html {
  if (pass.kind === 'feed') {
    const readAt = lastUseOf(pass).toISOString();
    return html`created ${minute(pass.createdAt)}${readAt > pass.createdAt && html`, last read ${minute(readAt)}`}`;
  }
  if (pass.kind === 'invitation') {
    return html`created ${minute(pass.createdAt)} by ${makerOf(pass)}, expires ${minute(pass.expiresAt)}`;
  }
  const means =
    pass.passkey === undefined
      ? html`a link from ${makerOf(pass)}`
      : html`the passkey <bdi>${pass.passkey}</bdi>`;
  return html`signed in ${minute(pass.createdAt)} with ${means}`;
}

/** Returns a name for a pass: the browser and the device of a session. */
export function passName({ kind, device }: Pass): string {
  if (kind === 'feed') return 'Feed';
  return kind === 'invitation' ? 'Unused link' : (device ?? 'Unknown device');
}

/**
 * Returns the row of a pass in a list.
 * @param more further facts about it
 */
export function passRow(
  pass: Pass,
  { pill = '', more = '', button = '' }: Record<string, Html | ''> = {},
): Html {
  return html`<li><div class="page-head"><h3>${passName(pass)}${pill}</h3>${button}</div>
    <p class="muted sentence">${passText(pass)}${more}</p></li>`;
}

/** Returns the name of a pass in forms. */
export function passId({ hash }: Pass): string {
  return shortHash(hash);
}

/** The sentence that says that a pass has ended. */
export const endedTexts: Record<Pass['kind'], string> = {
  invitation: 'Link cancelled.',
  session: 'Session ended. It stops working within a minute.',
  feed: 'Feed ended. Its link stops working within a minute.',
};
