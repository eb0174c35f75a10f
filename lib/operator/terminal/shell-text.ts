/** Command lines that are printed to be copied. */

/** Words as a POSIX shell reads them: each between single quotes, where it has to be. */
export function shellText(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
