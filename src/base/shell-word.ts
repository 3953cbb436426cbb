// Words as a POSIX shell reads them.

/** A word of a command line as a shell takes it for one word: as it stands where it has no characters of the shell, else in quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
