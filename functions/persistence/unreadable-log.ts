/** The log of unreadable items, which an alarm watches. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Unreadable } from '../domain/unreadable.ts';

/** Logged with the keys of the item and with the attribute, and with nothing that the item says. */
export const unreadableMessage = 'An item cannot be read';

/** Enough for an alarm; beyond that a function would remember as many as a whole table has. */
const mostItems = 1000;

/**
 * Returns a function that logs each item once in the life of this one: a list that is asked for often meets it as often.
 */
export function unreadableLog(logger: Pick<Logger, 'error'>): (error: Unreadable) => void {
  const logged = new Set<string>();
  return ({ message, keys, attribute }) => {
    if (logged.has(message) || logged.size >= mostItems) return;
    logged.add(message);
    logger.error(unreadableMessage, { ...keys, attribute });
  };
}
