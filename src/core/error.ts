/** @file User errors: where, what was expected, what was given, and what to do about it. */

/** Exit codes of the command line, by what went wrong (docs/reference/commands.md). */
export const exitCodes = {
  ok: 0,
  finishedWithFailures: 1,
  /** Training diverged: a value is no longer finite. */
  diverged: 1,
  usage: 2,
  corrupt: 3,
  locked: 4,
  endpoint: 5,
  noSandbox: 6,
  unwritable: 7,
} as const;
export type ExitKind = keyof typeof exitCodes;

/** An error that a user can cause. The command line prints its message without a stack and exits with its code. */
export class LabError extends Error {
  override name = "LabError";
  readonly kind: ExitKind;

  constructor(message: string, kind: ExitKind = "usage") {
    super(message);
    this.kind = kind;
  }
}

/** The message of anything that was thrown. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Descriptions used in place of a value; messages show them without quotes. */
export class Words {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `at` names the function or file the reader should open; `hint` says what to do next. */
export function fail(
  at: string,
  expected: string,
  got: unknown,
  hint?: string,
  kind: ExitKind = "usage",
): never {
  const end = hint === undefined ? "" : `. ${cut(hint)}`;
  const shown = got instanceof Words ? cut(got.text) : compact(got);
  throw new LabError(`${cut(at)}: expected ${cut(expected)}, got ${shown}${end}`, kind);
}

/** Keys and names may come from untrusted input and be of any length. */
function cut(words: string): string {
  return words.length > longestWords ? `${words.slice(0, longestWords - 3)}...` : words;
}

const longestWords = 2500;

function compact(value: unknown): string {
  const most = typeof value === "string" ? 1000 : 200;
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = `a ${Array.isArray(value) ? "list" : typeof value} that is no JSON`; // circular, too deep, or a bigint
  }
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}
