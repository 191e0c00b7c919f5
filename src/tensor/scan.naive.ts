/** @file A recurrence, in plain numbers: calls the step for one time after another. */

import type { Numbers } from "./naive.ts";
import type { ScanOptions } from "./scan.ts";

type StepNaive = (
  states: readonly Numbers[],
  inputs: readonly Numbers[],
) => { readonly states: readonly Numbers[]; readonly outputs: readonly Numbers[] };

/** inputs: [T, ...] each. Returns the last states, and the outputs of all times: [T, ...] each. */
export function scanNaive(
  inputs: readonly Numbers[],
  initial: readonly Numbers[],
  step: StepNaive,
  { reverse = false }: ScanOptions = {},
): { states: readonly Numbers[]; outputs: Numbers[] } {
  const times = [...Array(inputs[0].shape[0]).keys()];
  let states = initial;
  const perTime: (readonly Numbers[])[] = [];
  for (const t of reverse ? times.toReversed() : times) {
    const result = step(
      states,
      inputs.map((input) => timeOf(input, t)),
    );
    states = result.states;
    perTime[t] = result.outputs;
  }
  const outputs = perTime[0].map((first, i) => ({
    shape: [times.length, ...first.shape],
    data: Float64Array.from(perTime.flatMap((each) => [...each[i].data])),
  }));
  return { states, outputs };
}

/** x[t]. */
function timeOf(x: Numbers, t: number): Numbers {
  const length = x.data.length / x.shape[0];
  return { shape: x.shape.slice(1), data: x.data.subarray(t * length, (t + 1) * length) };
}
