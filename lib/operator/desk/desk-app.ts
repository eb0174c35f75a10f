/** The pages of an operator's desk, and who may see them. */
import { Hono } from 'hono';
import { ListTookTooLong } from '../../../functions/list-index/read/time-limit.ts';
import { type Assets, assetsOf } from '../../../functions/serve-desk/assets.ts';
import { base } from '../../../functions/serve-desk/base.ts';
import { atDesk, type DeskEnv, type DeskPages } from '../../../functions/serve-desk/desk.ts';
import {
  commonPages,
  explainsProblems,
  formsUpTo,
  onlyOwnForms,
  problemPage,
  safeHeaders,
} from '../../../functions/serve-desk/desk-app.ts';
import { type ServedPages, serveOnLoopback } from '../../pages/serve-on-loopback.ts';
import { type Access, addressOf, guard, newSecrets, wallHeaders } from './access.ts';
import type { OperatorDesk } from './desk.ts';
import { filesPages } from './pages/files-page.ts';
import { wallFilesPages } from './pages/wall-files-page.ts';
import { deskAssets } from './site.ts';

// A file of 100,000 long testimonials; it is in memory once.
const largestUpload = 256 * 1024 * 1024;

/** Everything that such a desk answers. */
export function deskApp(operators: OperatorDesk, access: Access, assets: Assets): DeskPages {
  const desk = { ...operators, asset: assets.addressOf };
  const app = new Hono<DeskEnv>();
  app.use(atDesk(() => desk));
  app.use(`${base}/wall-files/built/*`, wallHeaders);
  app.use(safeHeaders, guard(access), onlyOwnForms, formsUpTo(largestUpload));
  app.get('/', (c) => c.redirect(base, 303));
  app.route('/', assets.routes);
  app.route('/', commonPages);
  app.route(`${base}/files`, filesPages(desk));
  app.route(`${base}/wall-files`, wallFilesPages(desk));
  explainsProblems(app, (error, c) => {
    const status = error instanceof ListTookTooLong ? 503 : 500;
    return c.html(problemPage(desk, desk.explain(error)), status);
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
export async function serveDesk(desk: OperatorDesk, port: number): Promise<ServedDesk> {
  const secrets = newSecrets();
  const assets = assetsOf(await deskAssets());
  const served = await serveOnLoopback(port, (chosen) => deskApp(desk, { ...secrets, port: chosen }, assets));
  return { address: addressOf({ ...secrets, port: served.port }), stop: served.stop };
}
