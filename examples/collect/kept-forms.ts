/** Sent forms that are shown again, kept in memory for a short time. */
import { randomUUID } from 'node:crypto';
import type { View } from './page.ts';

const keptMs = 15 * 60_000;
// Each has at most 256 KiB.
const most = 200;

export class KeptForms {
  /** By the ids in their URLs, the oldest first. */
  readonly #forms = new Map<string, { view: View; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Keeps a form, and returns its unguessable id. */
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
    const form = this.#forms.get(id);
    return form && form.until > this.#now() ? form.view : undefined;
  }
}
