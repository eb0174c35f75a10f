/** Forms that were sent and are shown again, until their reader has them: in the memory of this process, for a short time. */
import { randomUUID } from 'node:crypto';
import type { View } from './page.ts';

const keptMs = 15 * 60_000;
// Each has at most 256 KiB.
const most = 200;

export class KeptForms {
  /** By what stands in their address, the oldest first. */
  readonly #forms = new Map<string, { view: View; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @returns what nobody can guess, and finds it again */
  keep(view: View): string {
    const id = randomUUID();
    const now = this.#now();
    this.#forms.set(id, { view, until: now + keptMs });
    for (const [each, { until }] of this.#forms) {
      if (until > now && this.#forms.size <= most) break;
      this.#forms.delete(each);
    }
    return id;
  }

  find(id: string): View | undefined {
    const found = this.#forms.get(id);
    return found && found.until > this.#now() ? found.view : undefined;
  }
}
