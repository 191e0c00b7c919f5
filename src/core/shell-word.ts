/** @file A command to repeat, in a message or on a page: its words as a shell reads them. */

/** A word of a command to repeat, as a shell reads it: `'with space'`. */
export function shellWord(word: string): string {
  return /^[\w=.,:@%/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
