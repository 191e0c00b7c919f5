/**
 * @file Accuracy limits for reveals: the exact Bayes filter, and the windowed one that has seen only the end.
 *
 * Commands are visible and deterministic, so the value of a variable is the content of one *slot* before the first visible command:
 * follow the variable back through the commands. Each visible reveal names the content of one slot. Nothing else is known, and the
 * slots are exchangeable, so with n variables of which k slots are known the best guess is right with probability
 *
 *     1                if the asked slot is known
 *     1 / (n − k)      otherwise, for distinct values (n − k values are left, equally likely)
 *     1 / 10           otherwise, for independent digits (other slots carry no information)
 *
 * The window: before a reveal that follows c commands the filter sees commands c − W + 1 .. c and every reveal after the first of them.
 * With `boundary` it also sees the reveals directly before the first of them. It sees the initial values only if c < W. W = Infinity
 * sees everything.
 *
 * Source: own definition (the project's reference for every model); tested against enumeration of all states.
 */

import { fail } from "../../core/error.ts";
import type { Example } from "../task.ts";
import type { ReplProgram } from "./parser.ts";

export interface Window {
  /** W, the number of visible last commands; Infinity for all. */
  readonly window: number;
  /** Whether the reveal directly before the first visible command is visible too. */
  readonly boundary: boolean;
  /** Number of digits, if values are independent; undefined if they are distinct. */
  readonly digits?: number | undefined;
}

/** For each reveal, in order: the probability that the best guess given the window is right. */
export function windowedBayes(program: ReplProgram, { window, boundary, digits }: Window): number[] {
  if (!(window >= 1)) fail("windowedBayes", "window of at least 1 command", window);
  const { reveals } = program;
  const n = program.variables.length;
  const slots = revealedSlots(program);
  const accuracies: number[] = [];
  const seen = new Int32Array(n).fill(-1);
  for (let asked = 0; asked < reveals.length; asked++) {
    const after = reveals[asked].commands;
    const firstVisible = Math.max(0, after - window);
    let known = 0;
    let answered = after < window;
    for (let earlier = asked - 1; earlier >= 0 && !answered; earlier--) {
      const at = reveals[earlier].commands;
      if (at < firstVisible || (at === firstVisible && !boundary)) break;
      const slot = slots[earlier];
      if (slot === slots[asked]) answered = true;
      if (seen[slot] !== asked) known++;
      seen[slot] = asked;
    }
    accuracies.push(answered ? 1 : 1 / (digits ?? n - known));
  }
  return accuracies;
}

/** Everything is visible, including the initial values: 1 for every reveal of a deterministic program. */
export function exactBayes(program: ReplProgram): number[] {
  return windowedBayes(program, { window: Number.POSITIVE_INFINITY, boundary: true });
}

/** The references of every report, for programs that `read` parses. */
export function bayesReferences(
  read: (text: string) => ReplProgram,
  seen: { readonly window: number; readonly digits?: number | undefined },
) {
  return {
    exactBayes: ({ text }: Example) => exactBayes(read(text)),
    windowedBayes: ({ text }: Example) => windowedBayes(read(text), { ...seen, boundary: true }),
    windowedBayesWithoutBoundary: ({ text }: Example) =>
      windowedBayes(read(text), { ...seen, boundary: false }),
  };
}

/** For each reveal: the slot of its value before the first command. Slots keep their content, variables do not. */
function revealedSlots({ variables, commands, reveals }: ReplProgram): number[] {
  let slotOf = variables.map((_, i) => i);
  let ran = 0;
  return reveals.map(({ variable, commands: before }) => {
    for (; ran < before; ran++) {
      const previous = slotOf;
      slotOf = commands[ran].map((from) => previous[from]);
    }
    return slotOf[variable];
  });
}
