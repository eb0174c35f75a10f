/** An item of the table cannot be read. The error names the item and the attribute, but quotes no value. */
export class Unreadable extends Error {
  override name = 'Unreadable';
  /** The item's keys; empty if they contain the hash of a secret. */
  readonly keys: Readonly<Record<string, string>>;
  /** The path of the missing or invalid attribute: `author.email`. */
  readonly attribute: string;

  /** @param kind names the item, with its article */
  constructor(kind: string, keys: Readonly<Record<string, string>>, attribute: string, message?: string) {
    const names = Object.entries(keys).map(([name, value]) => `, ${name} ${value}`);
    super(message ?? `Cannot read ${kind}${names.join('')}: ${attribute} is missing or not valid`);
    this.keys = keys;
    this.attribute = attribute;
  }
}

/** Returns undefined for the error of an unreadable item, and throws any other error. */
export function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof Unreadable)) throw error;
}

/**
 * The log message of an unreadable item. An alarm counts it. The line holds the item's keys and the
 * attribute, and no other value.
 */
export const unreadableMessage = 'An item cannot be read';

// Without a limit, a function could keep every item of a table in memory.
const maxItems = 1000;

/** Returns a function that logs each item once, because every list can meet the same item. */
export function unreadableLog(logger: {
  error: (message: string, details: Record<string, string>) => void;
}): (error: Unreadable) => void {
  const logged = new Set<string>();
  return ({ message, keys, attribute }) => {
    if (logged.has(message) || logged.size >= maxItems) return;
    logged.add(message);
    logger.error(unreadableMessage, { ...keys, attribute });
  };
}
