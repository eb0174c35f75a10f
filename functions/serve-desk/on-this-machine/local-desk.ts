/** The desk that an operator serves on this machine: the pages of the team's desk, and those that the command line adds. */
import { Hono, type MiddlewareHandler } from 'hono';
import { ListTookTooLong } from '../../operations/list-testimonials.ts';
import { type ServedPages, serveOnLoopback } from '../../serve-on-loopback.ts';
import { deskAssets } from '../asset-files.ts';
import {
  commonPages,
  explainsProblems,
  formsUpTo,
  onlyOwnForms,
  problemPage,
  safeHeaders,
} from '../desk-app.ts';
import { type Assets, assetsOf } from '../parts/assets.ts';
import { base } from '../parts/base.ts';
import { atDesk, type Desk, type DeskEnv, type DeskPages } from '../parts/desk.ts';
import { type Access, addressOf, guard, newSecrets } from './access.ts';

export interface LocalDesk extends Omit<Desk, 'asset'> {
  /** What to say and do about an error, in one line. */
  explain: (error: unknown) => string;
  /** Pages that need files, by their paths in the desk, and headers of theirs in place of the desk's. */
  added: readonly { path: string; pages: DeskPages; headers?: MiddlewareHandler }[];
}

// A file of 100,000 long testimonials; it is in memory once.
const largestUpload = 256 * 1024 * 1024;

/** Everything that such a desk answers. */
export function deskApp({ added, explain, ...local }: LocalDesk, access: Access, assets: Assets): DeskPages {
  const desk = { ...local, asset: assets.addressOf };
  const app = new Hono<DeskEnv>();
  app.use(atDesk(() => desk));
  for (const { path, headers } of added) if (headers) app.use(`${base}${path}/*`, headers);
  app.use(safeHeaders, guard(access), onlyOwnForms, formsUpTo(largestUpload));
  app.get('/', (c) => c.redirect(base, 303));
  app.route('/', assets.routes);
  app.route('/', commonPages);
  for (const { path, pages } of added) app.route(`${base}${path}`, pages);
  explainsProblems(app, (error, c) =>
    c.html(problemPage(desk, explain(error)), error instanceof ListTookTooLong ? 503 : 500),
  );
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
export async function serveDesk(desk: LocalDesk, port: number): Promise<ServedDesk> {
  const secrets = newSecrets();
  const assets = assetsOf(await deskAssets());
  const served = await serveOnLoopback(port, (chosen) => deskApp(desk, { ...secrets, port: chosen }, assets));
  return { address: addressOf({ ...secrets, port: served.port }), stop: served.stop };
}
