/** A desk: what its pages have at hand. It holds nothing between two requests but files that were dropped. */
import { ListMemory } from '../../../functions/list-index/read/memory.ts';
import { oldestPending } from '../../../functions/operations/oldest-pending.ts';
import { type Operator, sessionOf } from '../session.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { type Html, layout, type PageName } from './parts/layout.ts';

interface DeskOptions {
  organization: string;
  /** A folder of this run's own, which is removed at its end. */
  folder: string;
  sleep: ProgramIo['sleep'];
  /** What to say and do about an error, in one line. */
  explain: (error: unknown) => string;
}

export type Desk = ReturnType<typeof openDesk>;

/** Opens the desk of an organization. */
export function openDesk(operator: Operator, options: DeskOptions) {
  const { organization } = options;
  // As a function keeps them: lists learn whether they are still good.
  const memory = new ListMemory();
  /** @param notices is given what a command would print beside its result */
  const session = (notices: string[] = []) =>
    sessionOf(operator, organization, { printError: (line) => notices.push(line) }, memory);
  return {
    ...options,
    session,
    /**
     * A whole page: what the organization's pages share, around what is the page's own.
     * @param told its title, where that is not its name; and how many testimonials are pending, where it has counted them
     */
    async page(
      current: PageName,
      main: Html,
      { title, pending: known }: { title?: string; pending?: number | undefined } = {},
    ): Promise<Html> {
      const notices: string[] = [];
      const own = session(notices);
      const isLoading = await own.warnOfLoading();
      const pending = isLoading ? undefined : (known ?? (await oldestPending(own, organization, {})).total);
      return layout({ organization, pending, notices }, { current, title }, main);
    },
  };
}
