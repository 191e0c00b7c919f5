/**
 * @file The words of a REPL session: variables and values are one word each, everywhere.
 *
 *     >>> a, b = b, a          ">>> " "a" ", " "b" " = " "b" ", " "a" "\n"
 *     >>> print('a', a)        ">>> " "print('" "a" "', " "a" ")" "\n"
 *     a 2                      "a" " " "2" "\n"
 *
 * Spaces are part of the adjacent words, so a swap is 9 words and a reveal 11. Longest match is always correct, so a text has one
 * tokenization.
 */

export const VARIABLES = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;

/** The same list, in the same order, for every number of commands, spacing and kind of reveal. */
export interface ReplWords {
  readonly words: readonly string[];
  readonly variables: readonly string[];
  readonly values: readonly string[];
  /** Indices into `words`; undefined if the style has no prompt. */
  readonly prompt: number | undefined;
  readonly newline: number;
  readonly equals: number;
  readonly comma: number;
  readonly print: number;
  readonly printed: number;
  readonly close: number;
  readonly space: number;
  /** words[firstVariable + i] is variable i, words[firstValue + v] is value v. */
  readonly firstVariable: number;
  readonly firstValue: number;
}

export function replWords(
  variableCount: number,
  repeatedValues: boolean,
  promptStyle: "repl" | "script",
): ReplWords {
  const variables = VARIABLES.slice(0, variableCount);
  const values = repeatedValues
    ? Array.from({ length: 10 }, (_, digit) => String(digit))
    : variables.map((_, i) => String(i + 1));
  const symbols = ["\n", " = ", ", ", "print('", "', ", ")", " "];
  const words = [...symbols, ...variables, ...values, ...(promptStyle === "repl" ? [">>> "] : [])];
  return {
    words,
    variables,
    values,
    prompt: promptStyle === "repl" ? words.length - 1 : undefined,
    newline: 0,
    equals: 1,
    comma: 2,
    print: 3,
    printed: 4,
    close: 5,
    space: 6,
    firstVariable: symbols.length,
    firstValue: symbols.length + variables.length,
  };
}
