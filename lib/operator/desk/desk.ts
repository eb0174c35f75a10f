/** The operator's desk: that of the team, with pages that need files beside it. */
import { ListMemory } from '../../../functions/list-index/read/memory.ts';
import type { Desk } from '../../../functions/serve-desk/desk.ts';
import { type Operator, type Session, sessionOf } from '../session.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

interface OperatorDeskOptions {
  organization: string;
  sleep: ProgramIo['sleep'];
  /** What to say and do about an error, in one line. */
  explain: (error: unknown) => string;
}

/** It holds nothing between two requests but files that were dropped. */
export interface OperatorDesk extends Omit<Desk, 'asset'>, OperatorDeskOptions {
  /** @param notices is given what a command would print beside its result */
  session: (notices?: string[]) => Session;
}

/** Opens the desk of an organization. */
export function openDesk(operator: Operator, options: OperatorDeskOptions): OperatorDesk {
  // As a function keeps them: lists learn whether they are still good.
  const memory = new ListMemory();
  const session = (notices: string[] = []) =>
    sessionOf(operator, options.organization, { printError: (line) => notices.push(line) }, memory);
  return {
    ...options,
    session,
    stores: session(),
    pages: ['queue', 'list', 'numbers', 'wall', 'wallFiles', 'files'],
    async notices() {
      const lines: string[] = [];
      await session(lines).warnOfLoading();
      return lines;
    },
  };
}
