/**
 * @file What a window knows of a program whose values always start in the same order, 0 to n - 1, as those of `asserts` do.
 *
 *     ... 5 swaps that are not seen ...        an odd permutation: with three variables each of three orders, not of six
 *     assert b == 2                            of these one
 *     a, c = c, a
 *     assert a == ?                            known, though neither a nor c was asserted
 *
 * It knows how many commands there were before the window and how commands are drawn, not which they were. So before the
 * first command that is seen the order is that of so many random swaps (math/random-swaps.ts), or any, where commands are whole
 * permutations. The best guess is the value with the largest share of the orders that agree with every assert in the window.
 *
 * Source: own definition; tested against enumeration of all orders.
 */

import { type Known, randomSwaps } from "../../core/random-swaps.ts";
import type { Example } from "../task.ts";
import { exactBayes } from "./bayes.ts";
import type { CommandKind } from "./commands.ts";
import type { ReplProgram, ReplReveal } from "./parser.ts";

/** How likely it is, after m commands from the start, that the values known hold. */
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

/** The references beside every model, for programs of n variables that `read` understands. */
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
  /** Where the value that was revealed stood before the first command that is seen. */
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
