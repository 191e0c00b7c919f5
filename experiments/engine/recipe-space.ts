/**
 * @file What a search for a model's recipe draws from, whatever the task: shape, rate, schedule, warm-up and batch; the same for all.
 *
 *     train.learningRate    0.0005 ... 0.01        train.batch          8, 16, 32
 *     train.schedule        constant, cosine       train.warmupSteps    20, 100
 *     model                 one, two or three layers, at about the same number of parameters
 */

import type { SearchSpace } from "../../src/records/search.ts";
import { type ArchitectureName, architectures } from "./architectures.ts";

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
const withFewerGates: readonly Shape[] = [
  { layers: 1, width: 80 },
  { layers: 2, width: 57 },
  { layers: 3, width: 46 },
];
/** What DeltaNet always has. */
const maybeConvolved = (shapes: readonly Shape[]) =>
  shapes.flatMap((shape) => [0, 4].map((convolution) => ({ ...shape, convolution })));

/** About 86,000 parameters each (recipe-space.test.ts). */
export const shapes = {
  lstm: maybeConvolved(recurrent),
  gru: withFewerGates, // it has no convolution
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

/** Keys of a configuration, with what each is drawn from; a curriculum is the task's own. */
export function recipeSpace(architecture: Searched): SearchSpace["space"] {
  return {
    "train.learningRate": { from: 0.0005, to: 0.01, scale: "log", whole: false },
    "train.batch": [8, 16, 32],
    "train.schedule": ["constant", "cosine"],
    "train.warmupSteps": [20, 100],
    model: modelsOf(architecture),
  };
}
