/**
 * @file Memory caching in plain numbers: token by token, with a list of the memories at the ends of segments.
 *
 *     o = g[s] M' q + sum over ended segments of g[i] M[i]' q;   g = softmax((x Wu)' m[i]), or 1, or restricted to the `chosen` largest
 */

import {
  dot,
  linear,
  logDecays,
  product,
  projections,
  queryKeyValue,
  type Row,
  type Rows,
  rmsNorm,
  type Subject,
  sigmoid,
  silu,
  softmax,
  sum,
  unit,
  type Weights,
} from "./naive.ts";

interface Own {
  readonly base: "gla" | "deltanet" | "gated-deltanet";
  readonly segment: number;
  readonly mode: "gated" | "residual" | "sparse";
  readonly chosen: number;
  readonly writing: "checkpoint" | "independent";
  readonly heads: number;
  readonly betaMax?: number;
  readonly decay?: boolean;
}

const recall = (M: Rows, q: Row) => M[0].map((_, j) => M.reduce((total, row, i) => total + row[j] * q[i], 0));

function headsOf(x: Rows, weights: Weights, { base, heads, betaMax = 2, decay = true }: Own) {
  const own = x[0].length / heads;
  if (base === "gla") {
    return projections(x, weights, heads, false).map(({ q, k, v }, head) => {
      const fades = x.map((row) => {
        if (!decay) return new Array<number>(own).fill(1);
        const logits = linear(linear(row, weights["decay.down"]), weights["decay.up"]);
        const all = sum(logits, weights["decay.bias"][0]).map((each) => sigmoid(each) ** (1 / 16));
        return all.slice(head * own, (head + 1) * own);
      });
      const write = (M: Rows, t: number) =>
        M.map((row, i) => row.map((each, j) => fades[t][i] * each + k[t][i] * v[t][j]));
      return { q: q.map((row) => row.map((each) => each / Math.sqrt(own))), write };
    });
  }
  const betas = x.map((row) => linear(row, weights.beta).map((each) => betaMax * sigmoid(each)));
  const logs = base === "deltanet" ? betas.map((row) => row.map(() => 0)) : logDecays(x, weights);
  // `write`: the memory after token t, from the one before it.
  return projections(x, weights, heads, true).map(({ q, k, v }, head) => {
    const keys = k.map(unit);
    const write = (M: Rows, t: number) => {
      const faded = M.map((row) => row.map((each) => Math.exp(logs[t][head]) * each));
      const error = recall(faded, keys[t]).map((each, j) => betas[t][head] * (v[t][j] - each));
      return faded.map((row, i) => row.map((each, j) => each + keys[t][i] * error[j]));
    };
    return { q: q.map((row) => unit(row).map((each) => each / Math.sqrt(own))), write };
  });
}

/** x [T][d] -> [T][d]. */
function cachedNaive(x: Rows, weights: Weights, config: Own): number[][] {
  const { base, segment, mode, chosen, writing, heads } = config;
  const own = x[0].length / heads;
  const all = headsOf(x, weights, config);
  const empty = () => Array.from({ length: own }, () => new Array<number>(own).fill(0));
  let memories: Rows[] = all.map(empty);
  const ended: { readonly memories: readonly Rows[]; readonly mark: Row }[] = [];
  let marks: Row[] = [];
  const meanOf = (rows: readonly Row[]) => rows.reduce(sum).map((each) => each / rows.length);
  const [scale] = weights.norm;
  return x.map((row, t) => {
    if (t > 0 && t % segment === 0) {
      ended.push({ memories, mark: mode === "residual" ? [] : meanOf(marks) });
      marks = [];
      if (writing === "independent") memories = all.map(empty);
    }
    memories = all.map(({ write }, head) => write(memories[head], t));
    let g = new Array<number>(ended.length + 1).fill(1);
    if (mode !== "residual") {
      marks.push(linear(row, weights.segmentKey));
      const asked = linear(row, weights.segmentQuery);
      const scores = [...ended.map(({ mark }) => mark), meanOf(marks)].map((mark) => dot(asked, mark));
      const before = scores.slice(0, -1).toSorted((a, b) => b - a);
      const least =
        mode === "sparse" ? (before[chosen - 1] ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY;
      g = softmax(
        scores.map((each, i) => (i === ended.length || each >= least ? each : Number.NEGATIVE_INFINITY)),
      );
    }
    const joined = all.flatMap(({ q }, head) => {
      const read = [...ended.map((each) => each.memories[head]), memories[head]].map((M) => recall(M, q[t]));
      return rmsNorm(
        read
          .map((each, i) => each.map((number) => g[i] * number))
          .reduce<number[]>(sum, new Array<number>(own).fill(0)),
        scale,
      );
    });
    // The plain delta rule has no output gate.
    const gate = base === "deltanet" ? row.map(() => 1) : linear(row, weights.gate).map(silu);
    return linear(product(joined, gate), weights.out);
  });
}

export const subject: Subject = {
  twin: cachedNaive,
  configs: [
    { longest: 70 },
    { segment: 33, longest: 66, betaMax: 1, convolution: 2 },
    {
      base: "gla",
      decay: false,
      mode: "residual",
      writing: "independent",
      segment: 8,
      longest: 72,
      heads: 1,
    },
    { base: "gated-deltanet", mode: "sparse", chosen: 1, segment: 6, longest: 66, convolution: 0 },
  ],
  parameters: (d, own) => {
    const {
      base,
      mode,
      heads: h,
      convolution = base === "gla" ? 0 : 4,
      decay,
    } = own as unknown as Own & {
      readonly convolution?: number;
    };
    const ofBase = {
      gla: 5 * d * d + (decay === false ? 0 : 33 * d),
      deltanet: 4 * d * d + h * d,
      "gated-deltanet": 5 * d * d + 2 * h * d + 2 * h,
    };
    return ofBase[base] + convolution * 3 * d + d / h + (mode === "residual" ? 0 : 2 * d * d);
  },
  taps: (B, T, d, own) => {
    const { base, heads: h, segment, longest, decay } = own as unknown as Own & { readonly longest: number };
    return {
      ...queryKeyValue(B, T, d, h),
      ...(base !== "gla" && { beta: [B, T, h] }),
      ...(base === "gated-deltanet" && { decay: [B, T, h] }),
      ...(base === "gla" && decay !== false && { decay: [B, T, d] }),
      share: [B, T, Math.ceil(longest / segment)],
    };
  },
};
