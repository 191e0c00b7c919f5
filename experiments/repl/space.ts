/**
 * @file The space of recipes for a model on REPL traces, the same for all: shape, rate, schedule, warm-up, batch and curriculum.
 *
 *     curriculum, spacings 1, 2    full reveals first            [full]  [full, 1]  [1, 2, 2]
 *                                  ... and kept                  [full]  [full, 1]  [full, 1, 2, 2]
 *                                  of short sessions first       [full, 3 commands]  [that, full]  [full, 1]  [1, 2, 2]
 *                                  ... and kept                  [full, 3 commands]  [that, full]  [full, 1]  [full, 1, 2, 2]
 *
 * A full reveal prints all variables. The shapes of a model differ in depth, at about the same number of parameters. An earlier search
 * had two choices more: loss on every token, which was worse for every model, and partial reveals from the start, of which DeltaNet
 * [-1,1] learned and the LSTM and the Transformer nothing (evidence/headline/log.md).
 */

import type { SearchSpace } from "../../src/records/search.ts";
import { type ArchitectureName, architectures } from "../engine/architectures.ts";
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

interface Shape {
  readonly layers: number;
  readonly width: number;
  readonly convolution?: number;
}

const deep: readonly Shape[] = [
  { layers: 1, width: 88 },
  { layers: 2, width: 64 },
  { layers: 3, width: 52 },
];
const recurrent: readonly Shape[] = [
  { layers: 1, width: 76 },
  { layers: 2, width: 54 },
  { layers: 3, width: 44 },
];
/** What DeltaNet always has. */
const maybeConvolved = (shapes: readonly Shape[]) =>
  shapes.flatMap((shape) => [0, 4].map((convolution) => ({ ...shape, convolution })));

/** About 86,000 parameters each (space.test.ts). */
export const shapes = {
  lstm: maybeConvolved(recurrent),
  "deltanet[-1,1]": deep,
  "deltanet[0,1]": deep,
  transformer: maybeConvolved(deep),
} as const satisfies Partial<Record<ArchitectureName, readonly Shape[]>>;
export type Searched = keyof typeof shapes;

function modelsOf(architecture: Searched): Record<string, object> {
  const named = (shapes[architecture] as readonly Shape[]).map((shape) => {
    const { layers, width, convolution } = shape;
    const name = `${layers} ${layers === 1 ? "layer" : "layers"} of ${width}${convolution ? " with convolution" : ""}`;
    return [name, { ...architectures[architecture].model(2), ...shape, feedForward: 2 * width }];
  });
  return Object.fromEntries(named);
}

export function replSpace(
  { spacings }: Pick<ReplSetup, "spacings">,
  architecture: Searched,
): SearchSpace["space"] {
  return {
    "train.learningRate": { from: 0.0005, to: 0.01, scale: "log", whole: false },
    "train.batch": [8, 16, 32],
    "train.schedule": ["constant", "cosine"],
    "train.warmupSteps": [20, 100],
    model: modelsOf(architecture),
    "curriculum.stages": curricula(spacings),
  };
}
