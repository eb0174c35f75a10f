/** The desk that an operator serves on this machine: the deployment's pages, and pages that need files. */
import { Hono } from 'hono/tiny';
import { ListTookTooLong } from '../../domain/outcomes.ts';
import { pageCodeOf } from '../bundle.ts';
import { commonPages, formsUpTo, handleProblems, problemPage, safeHeaders } from '../desk-app.ts';
import { type Assets, deskPath } from '../parts/assets.ts';
import { atDesk, type Desk, type DeskEnv, type DeskPages } from '../parts/desk.ts';
import { onlyOwnForms } from '../parts/own-origin.ts';
import { type Access, guard } from './access.ts';

export interface LocalDesk extends Omit<Desk, 'asset' | 'pageCode' | 'noteKey'> {
  /** Returns one line that explains an error and its remedy. */
  explain: (error: unknown) => string;
  /** Further pages, by their path in the desk. */
  added: readonly { path: string; pages: DeskPages }[];
}

// Fits a file of 100,000 long testimonials, which is held in memory.
const largestUpload = 256 * 1024 * 1024;

export function deskApp({ added, explain, ...local }: LocalDesk, access: Access, assets: Assets): DeskPages {
  const desk = { ...local, asset: assets.pathOf, pageCode: pageCodeOf, noteKey: access.cookieSecret };
  const app = new Hono<DeskEnv>();
  app.use(atDesk(() => desk));
  app.use(safeHeaders, guard(access), onlyOwnForms, formsUpTo(largestUpload));
  app.get('/', (c) => c.redirect(deskPath, 303));
  app.route('/', assets.routes);
  app.route('/', commonPages);
  for (const { path, pages } of added) app.route(`${deskPath}${path}`, pages);
  handleProblems(app, (error, c) =>
    c.html(problemPage(desk, explain(error)), error instanceof ListTookTooLong ? 503 : 500),
  );
  return app;
}
