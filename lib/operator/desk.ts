/** The operator's desk: that of the team, with pages that need files beside it. */
import { ListMemory } from '../../functions/list-index/read/memory.ts';
import type { LocalDesk } from '../../functions/serve-desk/on-this-machine/local-desk.ts';
import { wallFilesPages, wallHeaders } from '../../functions/walls/files/wall-files-page.ts';
import type { FilesDesk } from './import/desk/dropped-files.ts';
import { filesPages } from './import/desk/files-page.ts';
import { type Operator, sessionOf } from './session.ts';
import { shellText } from './terminal/formatting.ts';

/**
 * Opens the desk of an organization. It holds nothing between two requests but files that were dropped.
 * @param options `explain` says what to do about an error, in one line
 */
export function openDesk(operator: Operator, options: Omit<FilesDesk, 'session'>): LocalDesk {
  // As a function keeps them: lists learn whether they are still good.
  const memory = new ListMemory();
  const session = (notices: string[] = []) =>
    sessionOf(operator, options.organization, { printError: (line) => notices.push(line) }, memory);
  const desk = { ...options, session };
  return {
    organization: options.organization,
    explain: options.explain,
    stores: session(),
    pages: ['queue', 'list', 'numbers', 'wall', 'wallFiles', 'files'],
    added: [
      { path: '/files', pages: filesPages(desk) },
      { path: '/wall-files', pages: wallFilesPages(desk, shellText), headers: wallHeaders },
    ],
    async notices() {
      const lines: string[] = [];
      await session(lines).warnOfLoading();
      return lines;
    },
  };
}
