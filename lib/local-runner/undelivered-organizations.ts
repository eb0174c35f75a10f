/**
 * The organizations with records that are not delivered yet. Kept in a file, for the embedded DynamoDB has no
 * stream that outlives the service.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';

const fileContent = v.pipe(v.string(), v.parseJson(), v.array(v.string()));

export class UndeliveredOrganizations {
  readonly #file: string | undefined;
  /** Records of each organization. */
  readonly #counts = new Map<string, number>();

  /**
   * Goes on from the file: each organization in it counts as one record.
   * @param file absent when nothing is to be kept
   */
  constructor(file?: string) {
    this.#file = file;
    if (file === undefined || !existsSync(file)) return;
    const content = v.safeParse(fileContent, readFileSync(file, 'utf8'));
    if (!content.success) throw new Error(`${file} is damaged: delete it.`);
    for (const organization of content.output) this.#counts.set(organization, 1);
  }

  names(): string[] {
    return [...this.#counts.keys()];
  }

  /** Counts a record of each; an organization comes as often as it has records. */
  add(organizations: readonly string[]): void {
    this.#change(organizations, 1);
  }

  remove(organizations: readonly string[]): void {
    this.#change(organizations, -1);
  }

  // Synchronous: what a client was told is written, is in the file before.
  #change(organizations: readonly string[], difference: 1 | -1): void {
    const before = this.names();
    for (const organization of organizations) {
      const count = (this.#counts.get(organization) ?? 0) + difference;
      if (count > 0) this.#counts.set(organization, count);
      else this.#counts.delete(organization);
    }
    const same = before.length === this.#counts.size && before.every((name) => this.#counts.has(name));
    if (same || this.#file === undefined) return;
    // Renamed into place: whoever stops the process finds the old list or the new one.
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.names()));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
