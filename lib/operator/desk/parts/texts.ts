/** Words as the pages of a desk have them. */

/** The form of a word that fits a number. */
export function plural(count: number, one: string, several = `${one}s`): string {
  return count === 1 ? one : several;
}

/** A word that begins a label. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
