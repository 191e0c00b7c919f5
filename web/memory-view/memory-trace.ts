/**
 * @file A DeltaNet reads a session, and what each of its heads does at each token is kept: its key, its value, its beta. Heads can be
 * silenced. All in plain numbers, as in the mixer's twin (src/models/deltanet.naive.ts).
 *
 *     S_t = (I - b_t k_t k_t') S_{t-1} + b_t k_t v_t'          the memory follows from what is kept
 */

import { linear, logitsNaive, projections, rmsNorm, sigmoid, unit } from "../../src/models/naive.ts";
import { wordTokenizer } from "../../src/tasks/tokenizer.ts";
import { deltaRuleNaive } from "../../src/tensor/delta-rule.naive.ts";
import type { Exhibit } from "../shell-game/demo-models.ts";
import { sharesAt, weightsIn } from "../shell-game/read.ts";
import { printed, VARIABLES } from "../shell-game/session.ts";

export interface HeadTrack {
  readonly layer: number;
  readonly head: number;
  /** By token. */
  readonly beta: readonly number[];
  readonly keys: readonly (readonly number[])[];
  readonly values: readonly (readonly number[])[];
  /** Of the last token, of unit length. */
  readonly query: readonly number[];
}

export interface Followed {
  readonly tokens: readonly string[];
  readonly heads: readonly HeadTrack[];
  /** Probabilities of 1, 2, 3 at each reveal. */
  readonly probabilities: readonly (readonly number[])[];
}

/** `0.1` is the second head of the first layer. */
export const headName = ({ layer, head }: Pick<HeadTrack, "layer" | "head">) => `${layer}.${head}`;

export type Follower = (text: string, places: readonly string[], silenced: readonly string[]) => Followed;

export function makeFollower({ model, tokens }: Exhibit, file: Uint8Array): Follower {
  const weights = weightsIn(file, model.name);
  const { heads, betaMax } = model as unknown as { readonly heads: number; readonly betaMax: number };
  const tokenizer = wordTokenizer(tokens);
  return (text, places, silenced) => {
    const kept: HeadTrack[] = [];
    const probabilities = sharesAt(tokens, text, places, (ids) =>
      logitsNaive(ids, weights, model.layers, (x, own, layer) => {
        const [scale] = own.norm;
        const read = projections(x, own, heads, true).map(({ q, k, v }, head) => {
          const beta = x.map((row) => betaMax * sigmoid(linear(row, own.beta)[head]));
          const keys = k.map(unit);
          kept.push({ layer, head, beta, keys, values: v, query: unit(q[q.length - 1]) });
          if (silenced.includes(headName({ layer, head }))) return v.map((row) => row.map(() => 0));
          const scaled = q.map((row) => unit(row).map((each) => each / Math.sqrt(row.length)));
          return deltaRuleNaive(scaled, keys, v, beta).map((o) => rmsNorm(o, scale));
        });
        return x.map((_, t) =>
          linear(
            read.flatMap((o) => o[t]),
            own.out,
          ),
        );
      }),
    );
    return { tokens: tokenizer.encode(text).map((id) => tokens[id]), heads: kept, probabilities };
  };
}

/** What the model would answer after a text if each variable were printed next. */
export interface Readout {
  /** Probabilities of 1, 2, 3 by variable. */
  readonly shares: readonly (readonly number[])[];
  /** By head name the query of each variable. */
  readonly queries: Readonly<Record<string, readonly (readonly number[])[]>>;
}

export function readOut(follow: Follower, text: string, silenced: readonly string[]): Readout {
  const asked = VARIABLES.map((name) => {
    const before = printed(text, name);
    return follow(before, [before], silenced);
  });
  const names = asked[0].heads.map(headName);
  return {
    shares: asked.map(({ probabilities }) => probabilities[0]),
    queries: Object.fromEntries(names.map((name, i) => [name, asked.map(({ heads }) => heads[i].query)])),
  };
}

/** The memory of a head after so many tokens, [dk][dv]. */
export function memoryAfter({ keys, values, beta }: HeadTrack, count: number): number[][] {
  const [width] = [keys[0].length];
  const S = Array.from({ length: width }, () => new Array<number>(values[0].length).fill(0));
  for (let t = 0; t < count; t++) {
    const k = keys[t];
    const recalled = values[t].map((_, j) => k.reduce((sum, each, i) => sum + each * S[i][j], 0));
    for (const [i, row] of S.entries())
      for (const j of row.keys()) row[j] += beta[t] * k[i] * (values[t][j] - recalled[j]);
  }
  return S;
}

/** The token from `from` to `to` with the head's largest beta. */
export function strongest({ beta }: HeadTrack, from: number, to: number): number {
  let best = from;
  for (let t = from; t < to; t++) if (beta[t] > beta[best]) best = t;
  return best;
}
