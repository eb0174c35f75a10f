/** The passkeys of the person at the desk: the part of the page “You”, and the requests of its script. */

import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import { type Passkey, passkeyName } from '../../domain/person.ts';
import { replacesMain } from '../parts/cards.ts';
import type { DeskEnv, DeskPages } from '../parts/desk.ts';
import { deviceOf } from '../parts/device.ts';
import { field } from '../parts/field.ts';
import { BadForm, fieldText, formOf, textProblem } from '../parts/forms.ts';
import type { Html } from '../parts/layout.ts';
import { redirectWithNote } from '../parts/note.ts';
import { deskPath } from '../parts/paths.ts';
import { minute } from '../parts/testimonial.ts';
import { addOptions, addPasskey, maxPasskeys, passkeyId, refusalText } from '../passkeys.ts';
import type { PeopleDependencies } from '../people.ts';
import { PasskeyRejected } from '../web-authn.ts';

const path = `${deskPath}/me`;

export function passkeyPages(people: PeopleDependencies): DeskPages {
  return new Hono<DeskEnv>()
    .post('/challenge', async (c) => {
      const { visit, serviceUrl } = c.var.desk;
      const options = await addOptions(people, visit, serviceUrl);
      if (options.excludeCredentials.length < maxPasskeys) return c.json(options);
      return c.text(`You have ${maxPasskeys} passkeys, the maximum. Remove one first.`, 422);
    })
    .post('/passkey', async (c) => {
      const { desk } = c.var;
      const body = await formOf(c);
      const typed = fieldText(body, 'name');
      const { success, output: name, issues } = v.safeParse(passkeyName, typed);
      if (!success) throw new BadForm(textProblem('name', typed, issues[0].message));
      try {
        const added = { response: fieldText(body, 'response'), name, origin: desk.serviceUrl };
        desk.log({ passkeyAdded: passkeyId(await addPasskey(people, desk.visit, added)) });
      } catch (error) {
        if (!(error instanceof PasskeyRejected)) throw error;
        desk.log({ passkeyRefused: error.refusal });
        throw new BadForm(refusalText(error));
      }
      return redirectWithNote(c, path, 'Passkey added. Next time, sign in with it at the desk.');
    });
}

/**
 * Returns the part of the page “You” about passkeys.
 * @param userAgent the header, for the name of a new passkey
 */
export function passkeysPart(passkeys: readonly Passkey[], userAgent: string): Html {
  const card = (
    each: Passkey,
  ) => html`<li class="with-actions"><p><bdi>${each.name}</bdi>, added ${minute(each.createdAt)}${each.usedAt && html`, last used ${minute(each.usedAt)}`}</p>
      <button name="remove" value="${passkeyId(each)}" class="small quiet">Remove<span class="visually-hidden"> ${each.name}</span></button></li>`;
  return html`<section id="passkeys"><h2>Passkeys</h2>
  <div class="card part"><p>Sign in with your fingerprint, face or PIN instead of a link.</p>
  ${passkeys.length > 0 && html`<form method="post" action="${path}" ${replacesMain}><ul class="rows">${passkeys.map(card)}</ul></form>`}
  <form method="post" action="${path}/passkey" class="beside" data-passkey="${path}/challenge" hidden>
    ${field({ id: 'passkey-name', name: 'name', label: 'Name of a new passkey', value: deviceOf(userAgent) })}
    <input type="hidden" name="response">
    <button>Add a passkey</button>
    <p class="problem" role="alert" data-passkey-problem></p>
  </form>
  <p class="muted" data-without-script>Adding a passkey needs JavaScript.</p>
  <p class="muted" data-passkey-unable hidden>Passkeys do not work here. Use a current browser, and open the desk by a domain name or localhost, not by an IP address.</p></div></section>`;
}
