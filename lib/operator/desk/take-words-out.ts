/** The end of every erasure at a desk: the words of what was erased leave the index, and no page waits for it. */
import { setTimeout as wait } from 'node:timers/promises';
import { awaitErased } from '../erasure/await-erased.ts';
import type { Desk } from './desk.ts';

/** Begins to take the words of what was erased out of the index; the index function does the same where this is stopped. */
export function takeWordsOut({ session, organization, sleep, warn, explain }: Desk): void {
  const unseen = sleep ?? ((milliseconds) => wait(milliseconds, undefined, { ref: false }));
  awaitErased(session(), organization, unseen).catch((error) => warn(explain(error)));
}
