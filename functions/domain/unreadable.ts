/** An item of the table cannot be read. It names the item and the attribute, and quotes nothing that the item says. */
export class Unreadable extends Error {
  override name = 'Unreadable';
  /** The item's keys; empty where they have a secret's hash. */
  readonly keys: Readonly<Record<string, string>>;
  /** The path of the attribute that is missing or not valid: `author.email`. */
  readonly attribute: string;

  /** @param what names the item, with its article */
  constructor(what: string, keys: Readonly<Record<string, string>>, attribute: string, message?: string) {
    const where = Object.entries(keys).map(([name, value]) => `, ${name} ${value}`);
    super(message ?? `Cannot read ${what}${where.join('')}: ${attribute} is missing or not valid`);
    this.keys = keys;
    this.attribute = attribute;
  }
}

/** Passes over the error that an item cannot be read. */
export function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof Unreadable)) throw error;
}
