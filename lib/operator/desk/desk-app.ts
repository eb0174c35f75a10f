/** The pages of a desk, and who may see them. */
import { createRequire } from 'node:module';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';
import { ListTookTooLong } from '../../../functions/list-index/read/time-limit.ts';
import { type ServedPages, serveOnLoopback } from '../../pages/serve-on-loopback.ts';
import { siteFiles } from '../../pages/site-files.ts';
import { type Access, addressOf, guard, newSecrets, onlyOwnForms, safeHeaders } from './access.ts';
import type { Desk } from './desk.ts';
import { filesPages } from './pages/files-page.ts';
import { listPages } from './pages/list-page.ts';
import { numbersPages } from './pages/numbers-page.ts';
import { queuePages } from './pages/queue-page.ts';
import { wallPages } from './pages/wall-page.ts';
import { BadForm } from './parts/forms.ts';
import { layout } from './parts/layout.ts';

// A file of 100,000 long testimonials; it is in memory once.
const largestUpload = 256 * 1024 * 1024;

const require = createRequire(import.meta.url);
const ours = (name: string) => new URL(`./site/${name}`, import.meta.url);

/** What the pages load: their look, their script, and htmx. */
const files = {
  '/desk.css': { type: 'text/css; charset=utf-8', path: ours('desk.css') },
  '/desk.js': { type: 'text/javascript; charset=utf-8', path: ours('desk.js') },
  '/htmx.js': { type: 'text/javascript; charset=utf-8', path: require.resolve('htmx.org/dist/htmx.min.js') },
  '/icon.svg': { type: 'image/svg+xml', path: new URL('../wall/site/icon.svg', import.meta.url) },
};

/** Everything that a desk answers. */
export function deskApp(desk: Desk, access: Access): Hono {
  const app = new Hono();
  app.use(safeHeaders, guard(access), onlyOwnForms, bodyLimit({ maxSize: largestUpload }));
  app.get('/', (c) => c.redirect('/queue', 303));
  app.route('/', siteFiles(files));
  app.route('/queue', queuePages(desk));
  app.route('/list', listPages(desk));
  app.route('/numbers', numbersPages(desk));
  app.route('/files', filesPages(desk));
  app.route('/wall', wallPages(desk));

  const problem = (line: string) =>
    layout(
      { organization: desk.organization, notices: [] },
      { title: 'Not done' },
      html`<h1>That did not work</h1><div id="results"><p class="notice wrong" role="alert">${line}</p>
        <p>Nothing is lost: go back, and try again.</p></div>`,
    );
  app.notFound((c) => c.html(problem('There is no such page.'), 404));
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof BadForm) return c.html(problem(error.message), c.req.method === 'GET' ? 400 : 422);
    return c.html(problem(desk.explain(error)), error instanceof ListTookTooLong ? 503 : 500);
  });
  return app;
}

export interface ServedDesk extends Pick<ServedPages, 'stop'> {
  /** What opens it in a browser: whoever has it may do what the operator may. */
  address: string;
}

/**
 * Begins to serve.
 * @param port 0 for a free one
 * @throws when the port is taken
 */
export async function serveDesk(desk: Desk, port: number): Promise<ServedDesk> {
  const secrets = newSecrets();
  const served = await serveOnLoopback(port, (chosen) => deskApp(desk, { ...secrets, port: chosen }));
  return { address: addressOf({ ...secrets, port: served.port }), stop: served.stop };
}
