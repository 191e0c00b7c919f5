/**
 * @file Gradient checkpointing for a long recurrence with large states: keeps states between groups of steps, recomputes the others.
 *
 *     N steps in groups of S     kept: N / S states, and S of one group at a time; minimal for S near sqrt(N)
 *     backward, group by group   reruns its steps to get their states; then each once more, for its gradient
 *
 * Source: Chen et al. 2016, arXiv:1604.06174 (square root of the memory for one more forward pass; here two, as steps keep nothing).
 */

import { reshape } from "./arithmetic.ts";
import type { Tensor } from "./graph.ts";
import { type ScanResult, type ScanStep, scan } from "./scan.ts";
import { concat, slice } from "./shape.ts";

/** Like `scan`, in groups of `size` steps; the last group may be shorter. */
export function scanInGroups(
  inputs: readonly Tensor[],
  initial: readonly Tensor[],
  step: ScanStep,
  size: number,
): ScanResult {
  const [length] = inputs[0].shape;
  const groups = Math.floor(length / size);
  const whole = groups * size;
  const part = (from: number, to: number) => inputs.map((input) => slice(input, 0, from, to));
  const steps = (given: readonly Tensor[], states: readonly Tensor[]) =>
    scan(given, states, step, { recompute: true });
  if (groups === 0) return steps(inputs, initial);
  const grouped = part(0, whole).map((input) => reshape(input, [groups, size, ...input.shape.slice(1)]));
  const first = scan(grouped, initial, (states, given) => steps(given, states), { recompute: true });
  const ofSteps = first.outputs.map((output) => reshape(output, [whole, ...output.shape.slice(2)]));
  if (whole === length) return { states: first.states, outputs: ofSteps };
  const last = steps(part(whole, length), first.states);
  return { states: last.states, outputs: ofSteps.map((output, i) => concat([output, last.outputs[i]], 0)) };
}
