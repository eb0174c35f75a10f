/** A desk: what its pages have at hand while its command runs. */

import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import { ListMemory } from '../../../functions/list-index/read/memory.ts';
import { listTestimonials } from '../../../functions/operations/list-testimonials.ts';
import type { Operator } from '../command-context.ts';
import { type Session, sessionOf } from '../session.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import type { Frame } from './parts/layout.ts';

export interface Desk {
  organization: string;
  /** A folder of this run's own, which is removed at its end. */
  folder: string;
  sleep: ProgramIo['sleep'];
  /** @param notices is given what a command would print beside its result */
  session: (notices?: string[]) => Session;
  /** What the layout shows around a page. */
  frame: () => Promise<Frame>;
  /** What to say and do about an error, in one line. */
  explain: (error: unknown) => string;
  /** Told to whoever started the desk. */
  warn: (line: string) => void;
}

export interface DeskOptions {
  organization: string;
  folder: string;
  explain: (error: unknown) => string;
}

/** Opens the desk of an organization. */
export function openDesk(
  operator: Operator,
  { printError, sleep }: Pick<ProgramIo, 'printError' | 'sleep'>,
  { organization, folder, explain }: DeskOptions,
): Desk {
  // As a function keeps them: lists learn whether they are still good.
  const memory = new ListMemory();
  const session = (notices: string[] = []): Session => ({
    ...sessionOf(operator, organization, { printError: (line) => notices.push(line) }),
    memory,
  });
  return {
    ...{ organization, folder, sleep, session, explain, warn: printError },
    async frame() {
      const notices: string[] = [];
      const own = session(notices);
      const isLoading = await own.warnOfLoading();
      const pending = isLoading ? undefined : await countPending(own);
      return { organization, pending, notices };
    },
  };
}

/** How many testimonials are pending, of those that match. */
export async function countPending(session: Session, filter: TestimonialFilter = {}): Promise<number> {
  const query = {
    filter: { ...filter, status: 'pending' },
    ...({ sort: 'createdAt', order: 'asc', page: 1, limit: 1 } as const),
  } as const;
  return (await listTestimonials(session, session.organization, query)).total;
}
