/** @file Pairs of programs as a model reads them: one of the two, with what one head reads taken from the other. */

import type { PatchedForward, ProgramPair } from "../../analysis/recording.ts";
import type { Forward } from "./forward.ts";

interface PairOptions {
  readonly forward: Forward;
  /** All tokens, in the order of their numbers. */
  readonly vocabulary: readonly string[];
  /** First tokens of the task's values, in their order. */
  readonly valueTokens: readonly number[];
  /** Called after each run of the model; it may throw to stop. */
  readonly tick: () => Promise<void>;
}

/** Every pair is read twice at first, and what the heads read is kept. */
export async function patchedForward(
  pairs: readonly ProgramPair[],
  options: PairOptions,
): Promise<PatchedForward> {
  const { forward, vocabulary, valueTokens, tick } = options;
  const { rows, length } = forward;
  const idOf = new Map(vocabulary.map((token, id) => [token, id]));
  const encoded = (which: "program" | "changed", first: number) => {
    const batch = new Int32Array(rows * length);
    for (const [row, pair] of pairs.slice(first, first + rows).entries()) {
      const tokens = which === "program" ? pair.tokens : pair.changed;
      batch.set(
        tokens.map((token) => idOf.get(token)!), // they came from this vocabulary
        row * length,
      );
    }
    return batch;
  };
  const differences = (logits: Float32Array, first: number) =>
    pairs.slice(first, first + rows).map(({ position, answer, changedAnswer }, row) => {
      const start = (row * length + position) * forward.vocabulary;
      return logits[start + valueTokens[answer]] - logits[start + valueTokens[changedAnswer]];
    });
  const read = { program: [] as Results[], changed: [] as Results[] };
  for (const which of ["program", "changed"] as const) {
    for (let first = 0; first < pairs.length; first += rows) {
      read[which].push(await forward.run(encoded(which, first)));
      await tick();
    }
  }
  return async (which, patch) => {
    if (patch === undefined) return read[which].flatMap(({ logits }, i) => differences(logits, i * rows));
    const { layer, head, tokens } = patch;
    const tap = `layers.${layer}.heads`;
    const [, , heads, width] = forward.taps[tap];
    const scale = Float32Array.from({ length: heads }, (_, each) => (each === head ? 0 : 1));
    const found: number[] = [];
    for (const [i, own] of read[which].entries()) {
      const replacement = new Float32Array(own[tap].length);
      const copy = (from: Float32Array, row: number, t: number) => {
        const start = ((row * length + t) * heads + head) * width;
        replacement.set(from.subarray(start, start + width), start);
      };
      // Before this layer nothing is changed, so elsewhere the head reads what it read.
      for (let row = 0; row < rows; row++) for (let t = 0; t < length; t++) copy(own[tap], row, t);
      for (const [row, at] of tokens.slice(i * rows, (i + 1) * rows).entries())
        for (const t of at) copy(read.program[i][tap], row, t);
      const changes = {
        [`interventions.${layer}.scale`]: scale,
        [`interventions.${layer}.replacement`]: replacement,
      };
      const { logits } = await forward.run(encoded(which, i * rows), changes);
      found.push(...differences(logits, i * rows));
      await tick();
    }
    return found;
  };
}

type Results = Readonly<Record<string, Float32Array>>;
