/** Some of the items that pass, spread evenly over all of them, however many they are. */
export class SpreadSample<Item> {
  readonly #size: number;
  #kept: Item[] = [];
  #every = 1;
  #seen = 0;

  /** @param size items, at least where there are as many, and at most twice as many */
  constructor(size: number) {
    this.#size = size;
  }

  add(item: Item): void {
    if (this.#seen % this.#every === 0) this.#kept.push(item);
    this.#seen += 1;
    if (this.#kept.length <= 2 * this.#size) return;
    this.#kept = this.#kept.filter((_, i) => i % 2 === 0);
    this.#every *= 2;
  }

  get found(): Item[] {
    return this.#kept;
  }
}
