/** The end of every command that erases: seeing to it that the words of what it erased are gone. */
import { noIndex } from '../../../functions/list-index/index-store.ts';
import { termsVersion } from '../../../functions/list-index/terms-version.ts';
import { awaitErased } from '../erasure/await-erased.ts';
import type { Session } from '../session.ts';
import { interruptible } from '../terminal/interruptible.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Takes the words of what was erased out of the index. */
export async function takeWordsOut(io: ProgramIo, session: Session): Promise<void> {
  const { organization } = session;
  io.printError('In no list any more. Taking the words out of the index, within a minute');
  const head = (await session.index.readHead(organization)) ?? noIndex;
  if (head.building) io.printError('That waits for a rebuild to end, or for two minutes where it was killed');
  const whatNext =
    'The index function takes the words out of the index, but not out of what a rebuild left: run it again for that.';
  await interruptible(io, whatNext, () => awaitErased(session, organization, io.sleep));
  if (head.terms !== termsVersion) {
    io.printError(
      `The index was made by older rules, and may have kept a word: run index rebuild --organization ${organization}.`,
    );
  }
  io.printError('Gone from the table. Point-in-time backups keep what was there for up to 35 days.');
}
