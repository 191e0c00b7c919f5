/**
 * @file A run as its basic blocks were executed, each with the variables before and after.
 *
 *     blocks [2-3] [4-4] [5-5]        total = 0, n = 2        [2-3]   total = 0
 *                                     for i in ...            [4-4]   i = 0
 *                                     total += i              [5-5]   total = 0
 *                                     for i in ...            [4-4]   i = 1
 *
 * Source: "Debug like a Human" (LDB, 2024), which shows at most the first five and the last five.
 */

import type { HistoryRecord } from "../../schemas/execution-trace.ts";
import type { FaultyRun } from "../../schemas/fault.ts";
import { pythonLiteral } from "../values/repr.ts";
import { openRecording, type Recording } from "./recording.ts";

type Span = readonly [first: number, last: number];

/**
 * In order of their start. Returning to a block starts a new execution, and so does continuing in another block after
 * a call returns.
 */
function executedBlocks(run: Recording, blocks: readonly Span[]) {
  const found: { block: number; activation: number; began: number; done: number }[] = [];
  const open = new Map<number, { block: number; line: number; at: number }>();
  for (const [moment, { event, line, activation }] of run.events.entries()) {
    const current = open.get(activation);
    if (current !== undefined) found[current.at].done = moment;
    if (event !== "line") continue;
    const block = blocks.findIndex(([first, last]) => line >= first && line <= last);
    const goesOn = current !== undefined && current.block === block && line > current.line;
    if (block === -1) open.delete(activation);
    else if (goesOn) open.set(activation, { ...current, line });
    else {
      open.set(activation, { block, line, at: found.length });
      found.push({ block, activation, began: moment, done: moment });
    }
  }
  // From the event before its first line (`began`) to the one at which it was over (`done`).
  // `block`: an index of the blocks.
  return found;
}

const [FIRST, LAST] = [5, 5];
const LONGEST = 300;

/** The indices of the executions that are shown. */
const visibleBlocks = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => i).filter((i) => i < FIRST || i >= count - LAST);

/** `parting`: the moment at which the states first differ from those of the right program. */
export function runByBlocks(
  history: HistoryRecord,
  blocks: readonly Span[],
  parting: number | undefined,
): Pick<FaultyRun, "got" | "sequence" | "shown" | "first"> {
  const run = openRecording(history);
  const executed = executedBlocks(run, blocks);
  const first =
    parting === undefined
      ? -1
      : executed.findLastIndex(({ began, done }) => began < parting && parting <= done);
  const shortened = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text);
  const stateAt = (moment: number, activation: number) =>
    Object.fromEntries(
      Object.entries(run.localLiterals(moment, activation)).map(([name, text]) => [name, shortened(text)]),
    );
  return {
    got: history.reason ?? pythonLiteral(history.result),
    sequence: executed.map(({ block }) => block),
    shown: visibleBlocks(executed.length).map((at) => {
      const { began, done, activation } = executed[at];
      return { at, before: stateAt(began, activation), after: stateAt(done, activation) };
    }),
    first: first === -1 ? null : first,
  };
}
