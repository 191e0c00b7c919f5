/**
 * @file The memory of a delta rule, step by step from its taps: the state that the model never writes into its residual.
 *
 *     S_t = a_t (S_{t-1} - b_t k_t k_t' S_{t-1}) + b_t k_t v_t'          S [dk, dv]
 */

import { layersWith, type Recording, recordedGates, rowAt, type Tap } from "./recording.ts";

/** Layers whose memory can be computed: each token writes once a head, with its key, value and beta. */
export function layersWithMemory(recording: Recording): number[] {
  const { taps } = recording;
  const values = layersWith(recording, "value");
  return recordedGates(recording).flatMap(({ layer }) => {
    const [key, heads] = ["key", "heads"].map((name): Tap | undefined => taps[`layers.${layer}.${name}`]);
    return values.includes(layer) && key !== undefined && heads?.shape[2] === key.shape[2] ? [layer] : [];
  });
}

/** Calls `visit` after every token of a program with the memory of one head, row-major; it is changed by the next token. */
export function runMemory(
  recording: Recording,
  { layer, head }: { readonly layer: number; readonly head: number },
  program: number,
  visit: (t: number, memory: Float64Array) => void,
): void {
  const { taps, programs } = recording;
  const [keys, values] = ["key", "value"].map((name) => taps[`layers.${layer}.${name}`]);
  const { tap: betas } = recordedGates(recording).find((gate) => gate.layer === layer)!; // a layer with a memory has one
  const decays: Tap | undefined = taps[`layers.${layer}.decay`];
  const [dk, dv] = [keys.shape[3], values.shape[3]];
  const memory = new Float64Array(dk * dv);
  const error = new Float64Array(dv);
  for (let t = 0; t < programs[program].tokens.length; t++) {
    const k = rowAt(keys, program, t, head);
    const v = rowAt(values, program, t, head);
    const b = rowAt(betas, program, t, head)[0];
    const a = decays === undefined ? 1 : rowAt(decays, program, t, head)[0];
    error.set(v);
    for (let i = 0; i < dk; i++) for (let j = 0; j < dv; j++) error[j] -= a * k[i] * memory[i * dv + j];
    for (let i = 0; i < dk; i++)
      for (let j = 0; j < dv; j++) memory[i * dv + j] = a * memory[i * dv + j] + b * k[i] * error[j];
    visit(t, memory);
  }
}
