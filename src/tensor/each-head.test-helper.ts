/** @file Twins that know one head of one sequence, over all of them. */

import type { Rows } from "./delta-rule.naive.ts";
import type { Numbers } from "./naive.ts";

/** inputs [B, T, h, d], or [B, T, h] as rows of one number -> what `recurrence` makes of each head, [B, T, h, dv]. */
export function eachHead(recurrence: (...inputs: Rows[]) => number[][], inputs: readonly Numbers[]): Numbers {
  const [batch, length, heads] = inputs[0].shape;
  const outputs: number[][] = [];
  for (let b = 0; b < batch; b++) {
    for (let head = 0; head < heads; head++) {
      const row = (t: number) => (b * length + t) * heads + head;
      const rowsOf = ({ shape, data }: Numbers) => {
        const [, , , width = 1] = shape;
        return Array.from({ length }, (_, t) => data.subarray(row(t) * width, (row(t) + 1) * width));
      };
      for (const [t, result] of recurrence(...inputs.map(rowsOf)).entries()) outputs[row(t)] = result;
    }
  }
  return { shape: [batch, length, heads, outputs[0].length], data: Float64Array.from(outputs.flat()) };
}

export const onlyNumber = (rows: Rows) => rows.map((row) => row[0]);
