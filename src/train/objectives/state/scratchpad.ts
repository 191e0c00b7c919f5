/**
 * @file States that a task writes out, as tokens: the lines "name value" of all variables, or of those that changed.
 *
 *     program     xs = [1] \n     n = 2 \n          xs.append(n) \n
 *     all         xs [1]          xs [1] \n n 2     xs [1, 2] \n n 2
 *     changed     xs [1]          n 2               xs [1, 2]
 *
 * Nothing is asked where nothing changed, nor where the text is longer than the task takes.
 */

import { fail } from "../../../core/error.ts";
import type { idsOfWords } from "../../../tasks/batch/rows.ts";
import type { WrittenState } from "../../../tasks/task.ts";

/** How many of the states have a text, were it not too long, and how many of these are too long. */
export function leftOut(written: readonly WrittenState[], state: StateForm["state"]) {
  const texts = written.filter((each) => each[state]?.length !== 0);
  return { states: texts.length, tooLong: texts.filter((each) => each[state] === undefined).length };
}

/** The text of each state in tokens, empty where nothing is asked. */
export function writtenTexts(
  written: readonly WrittenState[],
  { ids, starts }: ReturnType<typeof idsOfWords>,
  state: StateForm["state"],
): Int32Array[] {
  const { states, tooLong } = leftOut(written, state);
  if (states === 0) {
    const hint = "The rows of statelab data trace have it";
    fail("stateSupervision", "programs that tell the state after each line", "none", hint);
  }
  if (states === tooLong)
    fail("task.mostStateWords", "a limit that some state keeps", `none of ${states}`, "Raise it");
  const tokensOf = (word: number) => [...ids.subarray(starts[word], starts[word + 1])];
  return written.map(({ [state]: words = [] }) => Int32Array.from([...words].flatMap(tokensOf)));
}

/** What of a state is asked for, and where. */
export interface StateForm {
  readonly state: "changed" | "all";
  readonly position: "newline" | "line";
}
