/** A page of one's own: who sits at this desk, and how to leave it. */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Visit } from '../../domain/person.ts';
import { setCookieOf } from '../cookie.ts';
import { base } from '../parts/base.ts';
import { type DeskEnv, type DeskPages, showPage } from '../parts/desk.ts';
import { BadForm, formOf, nothingText, textOf } from '../parts/forms.ts';
import type { Html } from '../parts/html.ts';
import { minute } from '../parts/testimonial.ts';
import { endSessions, type PeopleDependencies, sessionDays } from '../people.ts';

export function mePages(people: PeopleDependencies): DeskPages {
  return new Hono<DeskEnv>()
    .get('/', (c) => showPage(c, 'me', c.var.desk.visit ? mePage(c.var.desk.visit) : html``))
    .post('/', async (c) => {
      const { visit } = c.var.desk;
      const sessions = textOf(await formOf(c), 'end');
      if (!visit || !['this', 'all'].includes(sessions)) throw new BadForm(nothingText);
      if (sessions === 'all') await endSessions(people, visit.person);
      await people.desks.removePass(visit.session.hash);
      c.header('set-cookie', setCookieOf(c.req.header('host') ?? ''));
      return c.redirect(`${base}/open`, 303);
    });
}

function mePage({ person, session }: Visit): Html {
  return html`<h1>You</h1>
  <dl class="card">
    <dt>Name</dt><dd><bdi>${person.name}</bdi></dd>
    <dt>Organization</dt><dd>${person.organization}</dd>
    <dt>Invited</dt><dd>${minute(person.invitedAt)}</dd>
    <dt>Signed in here</dt><dd>${minute(session.createdAt)}; it ends ${sessionDays} days after you were here last</dd>
    <dt>You may</dt><dd>approve, reject and tag${person.mayErase ? ', and erase' : '; not erase'}</dd>
  </dl>
  <form method="post" action="${base}/me" class="buttons" hx-boost="false">
    <button name="end" value="this">Sign out</button>
    <button name="end" value="all" class="quiet">Sign out everywhere</button>
  </form>
  <p class="muted">Whoever invited you can invite you again, for another browser as well. Imports, exports of everything and their undo need
    files: an operator does them with <code>npm run admin -- desk</code>.</p>`;
}
