/**
 * @file A model reads a session: its probabilities of the three values at each reveal, in plain numbers (the naive twins), so that
 * no runtime has to be loaded. The weights are a run's own, rounded to 16 bits.
 */

import type { Rows } from "../../src/models/naive.ts";
import { decodeSafetensors } from "../../src/schemas/formats/safetensors.ts";
import { wordTokenizer } from "../../src/tasks/tokenizer.ts";
import { loadLogits } from "../automaton/model.ts";
import type { Exhibit } from "./demo-models.ts";
import { fromHalf } from "./float16.ts";

export type Reader = (text: string, places: readonly string[]) => number[][];

/** The numbers of a file of weights, by the paths of the stack. */
export function weightsIn(file: Uint8Array, name: string): Record<string, Rows> {
  const { tensors } = decodeSafetensors(file, name);
  const weights: Record<string, Rows> = {};
  for (const [path, { shape, data }] of Object.entries(tensors)) {
    const width = shape.at(-1) ?? 1;
    weights[path] = Array.from({ length: data.length / width }, (_, row) =>
      Array.from({ length: width }, (_, i) => fromHalf(Number(data[row * width + i]))),
    );
  }
  return weights;
}

/** The reader gives, for each text up to a value, the probabilities of 1, 2, 3 among themselves. */
export async function makeReader(
  { model, tokens }: Pick<Exhibit, "model" | "tokens">,
  file: Uint8Array,
): Promise<Reader> {
  const logits = await loadLogits({ model, weights: weightsIn(file, model.name) });
  return (text, places) => sharesAt(tokens, text, places, logits);
}

/** After each text up to a value, from the logits of the whole: the probabilities of 1, 2, 3 among themselves. */
export function sharesAt(
  tokens: readonly string[],
  text: string,
  places: readonly string[],
  read: (ids: readonly number[]) => readonly (readonly number[])[],
): number[][] {
  const tokenizer = wordTokenizer(tokens);
  const values = ["1", "2", "3"].map((value) => tokenizer.encode(value)[0]);
  const logits = read(tokenizer.encode(text));
  return places.map((before) => {
    const row = logits[tokenizer.encode(before).length - 1];
    const largest = Math.max(...values.map((id) => row[id]));
    const shares = values.map((id) => Math.exp(row[id] - largest));
    const total = shares.reduce((sum, share) => sum + share, 0);
    return shares.map((share) => share / total);
  });
}
