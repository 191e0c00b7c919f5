/**
 * @file Windowed references for programs that always start with the values 0 to n - 1 in order, such as `asserts`.
 *
 *     ... 5 unseen swaps ...                   an odd permutation: with three variables one of three orders, not of six
 *     assert b == 2                            one of these
 *     a, c = c, a
 *     assert a == ?                            determined, though neither a nor c was asserted
 *
 * The window knows how many commands came before it and how they are drawn, not which they were. So before the first visible command
 * the order is that of so many random swaps (core/random-swaps.ts), or uniform for whole permutations. The best guess is the value with
 * the highest probability among the orders that agree with every assert in the window.
 *
 * Source: own definition; tested against enumeration of all orders.
 */

import { type Known, randomSwaps } from "../../core/random-swaps.ts";
import type { Example } from "../task.ts";
import { exactBayes } from "./bayes.ts";
import type { CommandKind } from "./commands.ts";
import type { ReplProgram, ReplReveal } from "./parser.ts";

/** Probability that the known values are in place m commands after the start. */
type Chance = (m: number, known: Known) => number;

function chanceOf(kind: CommandKind, n: number): Chance {
  const swaps = randomSwaps(n);
  if (kind === "swap") return swaps;
  return (m, known) => {
    if (m === 0) return swaps(0, known);
    const left = known.filter((value) => value < 0).length;
    return orders(left) / orders(n);
  };
}

/** n! */
function orders(n: number): number {
  return n < 2 ? 1 : n * orders(n - 1);
}

/** The references of every report, for programs of n variables that `read` parses. */
export function orderedReferences(
  read: (text: string) => ReplProgram,
  {
    kind,
    variables,
    window,
  }: { readonly kind: CommandKind; readonly variables: number; readonly window: number },
) {
  const chance = chanceOf(kind, variables);
  const windowed =
    (boundary: boolean) =>
    ({ text }: Example) => {
      const program = read(text);
      return program.reveals.map((_, asked) => bestGuess(program, asked, { window, boundary }, chance));
    };
  return {
    exactBayes: ({ text }: Example) => exactBayes(read(text)),
    windowedBayes: windowed(true),
    windowedBayesWithoutBoundary: windowed(false),
  };
}

/** The probability that the best guess is right; the window is that of `windowedBayes`. */
function bestGuess(
  { variables, commands, reveals }: ReplProgram,
  asked: number,
  { window, boundary }: { readonly window: number; readonly boundary: boolean },
  chance: Chance,
): number {
  const after = reveals[asked].commands;
  if (after < window) return 1;
  const unseen = after - window;
  /** The slot of the revealed value before the first visible command. */
  const placeOf = ({ variable, commands: before }: ReplReveal) => {
    let place = variable;
    for (let at = before - 1; at >= unseen; at--) place = commands[at][place];
    return place;
  };
  const known = variables.map(() => -1);
  for (let earlier = asked - 1; earlier >= 0; earlier--) {
    const at = reveals[earlier].commands;
    if (at < unseen || (at === unseen && !boundary)) break;
    known[placeOf(reveals[earlier])] = Number(reveals[earlier].value);
  }
  const place = placeOf(reveals[asked]);
  if (known[place] >= 0) return 1;
  const whole = chance(unseen, known);
  const shares = variables.flatMap((_, value) =>
    known.includes(value) ? [] : [chance(unseen, known.with(place, value)) / whole],
  );
  return Math.max(...shares);
}
