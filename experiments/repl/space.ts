/**
 * @file The space of recipes for a model on REPL traces: that of any task (engine/recipe-space.ts), and the curricula.
 *
 *     curriculum, spacings 1, 2    full reveals first            [full]  [full, 1]  [1, 2, 2]
 *                                  ... and kept                  [full]  [full, 1]  [full, 1, 2, 2]
 *                                  of short sessions first       [full, 3 commands]  [that, full]  [full, 1]  [1, 2, 2]
 *                                  ... and kept                  [full, 3 commands]  [that, full]  [full, 1]  [full, 1, 2, 2]
 *
 * A full reveal prints all variables. An earlier search had two choices more: loss on every token, which was worse for every model, and
 * partial reveals from the start, of which DeltaNet [-1,1] learned and the LSTM and the Transformer nothing (evidence/headline/log.md).
 */

import type { SearchSpace } from "../../src/records/search.ts";
import { recipeSpace, type Searched } from "../engine/recipe-space.ts";
import type { ReplSetup } from "./setup.ts";

type Stages = readonly (readonly Readonly<Record<string, unknown>>[])[];

const FULL = { spacing: 1, reveal: "full" } as const;
/** Of the first lesson of some curricula. */
const SHORT = { commands: 3, ...FULL } as const;

/** How the spacings may be taught, by name. The widest is drawn as often as all others twice over in the last stage (setup.ts). */
export function curricula(spacings: readonly number[]): Readonly<Record<string, Stages>> {
  const partial = (widest: number) => spacings.slice(0, widest).map((spacing) => ({ spacing }));
  const repeated = spacings.slice(1, -1).map(() => ({ spacing: spacings[spacings.length - 1] }));
  const last = [...partial(spacings.length), ...repeated];
  const widening = [...spacings.slice(2).map((_, i) => partial(i + 2)), last];
  const kept = widening.map((stage) => [FULL, ...stage]);
  const first = [[FULL], [FULL, ...partial(1)]];
  const shortFirst = [[SHORT], [SHORT, FULL], [FULL, ...partial(1)]];
  return {
    "full reveals first": [...first, ...widening],
    "full reveals first and kept": [...first, ...kept],
    "full reveals of short sessions first": [...shortFirst, ...widening],
    "full reveals of short sessions first, and kept": [...shortFirst, ...kept],
  };
}

export function replSpace(
  { spacings }: Pick<ReplSetup, "spacings">,
  architecture: Searched,
): SearchSpace["space"] {
  return { ...recipeSpace(architecture), "curriculum.stages": curricula(spacings) };
}
