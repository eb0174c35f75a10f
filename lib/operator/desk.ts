/** Serves the operator's desk: the pages of the deployment's desk, and pages that read and write files. */

import { deskAssets } from '../../functions/serve-desk/bundle.ts';
import { newSecrets, urlOf } from '../../functions/serve-desk/on-this-machine/access.ts';
import { deskApp, type LocalDesk } from '../../functions/serve-desk/on-this-machine/local-desk.ts';
import { openTestimonials } from '../../functions/serve-desk/open-testimonials.ts';
import { assetsOf } from '../../functions/serve-desk/parts/assets.ts';
import { serveOnLoopback } from '../serve-on-loopback.ts';
import type { FilesDesk } from './import/desk/dropped-files.ts';
import { filesPages } from './import/desk/files-page.ts';
import { type Operator, sessionOf } from './session.ts';

/** Returns the desk of an organization. Between requests it keeps only the files that were dropped on it. */
export function openDesk(
  operator: Operator,
  { api, ...options }: Omit<FilesDesk, 'session'> & Pick<LocalDesk, 'api'>,
): LocalDesk {
  const session = (notices: string[] = []) =>
    sessionOf(operator, options.organization, { printError: (line) => notices.push(line) });
  const desk = { ...options, session };
  const { table, now, organizations, pages } = operator;
  return {
    organization: options.organization,
    explain: options.explain,
    api,
    testimonials: openTestimonials(table)(options.organization),
    stores: { organizations, pages },
    now,
    pages: ['queue', 'list', 'numbers', 'pages', 'files'],
    added: [{ path: '/files', pages: filesPages(desk) }],
    async notices() {
      const lines: string[] = [];
      await session(lines).warnOfLoading();
      return lines;
    },
  };
}

export type ServedDesk = Awaited<ReturnType<typeof serveDesk>>;

/**
 * Starts serving. The URL gives all rights of the operator to anyone who opens it.
 * @param port 0 for any free port
 * @throws if the port is in use
 */
export async function serveDesk(desk: LocalDesk, port: number) {
  const secrets = newSecrets();
  const assets = assetsOf(await deskAssets());
  const served = await serveOnLoopback(port, (chosen) => deskApp(desk, { ...secrets, port: chosen }, assets));
  return { url: urlOf({ ...secrets, port: served.port }), stop: served.stop };
}
