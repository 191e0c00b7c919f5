/**
 * @file Mamba-3's mixer in plain numbers: each head's memory is rotated and written directly, token by token.
 *
 *     S = a T' (S + (1 - m) D B_{t-1} u_{t-1}') + m D B_t u_t';   y = ((S' C + skip u) o silu(z)) Wout
 */

import {
  constructParityByRotation,
  constructRotations,
  constructRotationsTwoLayers,
  TURNING_CONFIG,
} from "./constructions/rotations.ts";
import {
  linear,
  product,
  type Row,
  type Rows,
  rmsNorm,
  type Subject,
  sigmoid,
  silu,
  softplus,
  sum,
  type Weights,
} from "./naive.ts";

interface Own {
  readonly heads: number;
  readonly stateSize: number;
  readonly turning: number;
  readonly rate: "softplus" | "heavy";
}

/** x [T][d] -> [T][d]. */
function mamba3Naive(x: Rows, weights: Weights, own: Own): number[][] {
  const { heads, stateSize: N, turning, rate } = own;
  const channels = weights.out.length;
  const P = channels / heads;
  const pairs = (turning * N) / 2;
  const vector = (name: string) => weights[name][0];
  const S = Array.from({ length: heads }, () => matrix(N, P));
  let past = { u: new Array<number>(channels).fill(0), B: S.map(() => new Array<number>(N).fill(0)) };
  return x.map((row) => {
    const projected = linear(row, weights.input);
    const [z, u, B0, C0, steps, fading, shares, turns] = partsOf(projected, [
      ...[channels, channels, N, N],
      ...[heads, heads, heads, pairs],
    ]);
    const inHead = (y: Row, scale: string, bias: string, head: number) =>
      sum(rmsNorm(y, vector(scale)), vector(bias).slice(head * N, (head + 1) * N));
    const B = S.map((_, head) => inHead(B0, "writeNorm", "writeBias", head));
    const read = S.flatMap((memory, head) => {
      const C = inHead(C0, "readNorm", "readBias", head);
      const step = softplus(steps[head] + vector("stepBias")[head]);
      const fade = fading[head] + vector("logRate")[head];
      const heavy = fade >= 0 ? 1 + fade : 1 / (1 - fade);
      const a = Math.exp(-step * (rate === "heavy" ? heavy : Math.max(softplus(fade), 1e-4)));
      const share = sigmoid(shares[head]);
      return Array.from({ length: P }, (_, c) => {
        const column = memory.map(
          (each, n) => each[c] + (1 - share) * step * past.B[head][n] * past.u[head * P + c],
        );
        for (let i = 0; i < pairs; i++) {
          const angle = Math.PI * step * Math.tanh(turns[i]);
          const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
          const [first, second] = [column[i], column[i + pairs]];
          column[i] = first * cos + second * sin;
          column[i + pairs] = second * cos - first * sin;
        }
        let y = vector("skip")[head] * u[head * P + c];
        for (const n of column.keys()) {
          memory[n][c] = a * column[n] + share * step * B[head][n] * u[head * P + c];
          y += memory[n][c] * C[n];
        }
        return y;
      });
    });
    past = { u, B };
    return linear(product(read, z.map(silu)), weights.out);
  });
}

/** A row cut into parts of these lengths. */
function partsOf(row: Row, lengths: readonly number[]): number[][] {
  const ends = lengths.map((_, i) => lengths.slice(0, i + 1).reduce((a, b) => a + b));
  return lengths.map((length, i) => row.slice(ends[i] - length, ends[i]));
}

const matrix = (rows: number, columns: number) =>
  Array.from({ length: rows }, () => new Array<number>(columns).fill(0));

export const subject: Subject = {
  twin: mamba3Naive,
  configs: [
    { stateSize: 8 },
    { heads: 4, stateSize: 6, expansion: 1, turning: 1, rate: "heavy", chunk: 3 },
    { heads: 1, stateSize: 3, expansion: 1, turning: 0 },
  ],
  parameters: (d, { heads: h, stateSize: N, expansion, turning }) => {
    const e = expansion * d;
    return d * (2 * e + 2 * N + 3 * h + (turning * N) / 2) + 2 * N + 2 * h * N + 3 * h + e * d;
  },
  taps: (B, T, d, { heads: h, stateSize: N, turning, expansion }) => ({
    step: [B, T, h],
    decay: [B, T, h],
    share: [B, T, h],
    write: [B, T, h, N],
    read: [B, T, h, N],
    value: [B, T, h, (expansion * d) / h],
    ...(turning > 0 && { angle: [B, T, h, (turning * N) / 2] }),
  }),
  headWidth: (d, { heads: h, expansion }) => (expansion * d) / h,
  constructions: [
    { task: { name: "parity" }, config: TURNING_CONFIG, set: constructParityByRotation },
    { task: { name: "group-words", group: "Z_3" }, config: TURNING_CONFIG, set: constructRotations(3) },
    {
      task: { name: "group-words", group: "S_3" },
      config: { ...TURNING_CONFIG, layers: 2 },
      set: constructRotationsTwoLayers,
    },
  ],
};
