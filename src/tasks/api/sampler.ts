/**
 * @file Samples traces of calls so that rare transitions occur: a transition is a pair of a call and the last call that wrote something
 * that it read.
 *
 *     candidates     possible calls that are new in this trace; if there are none, all possible calls
 *     rare           if some have unseen pairs: one of these, weighted by their number;
 *                    else one weighted by 1 / (the count of its rarest pair + 1e-7)
 *     uniform        any possible call: the baseline
 *
 * Counts continue from trace to trace. Unwritten variables count as written by `start`; a call that reads nothing has a pair with
 * nothing, so that it is counted as well.
 *
 * Source: StateGen (YuhengHuang42/stateful_bench). That `start` counts as a producer is our own.
 */

import type { Rng } from "../../core/rng.ts";
import type { ApiMachine, ApiState, Call, Done } from "./state-machine.ts";

export interface MadeCall {
  readonly call: Call;
  readonly done: Done;
  readonly pairs: readonly string[];
}

export interface DrawnTrace {
  readonly start: ApiState;
  readonly made: readonly MadeCall[];
}

/** Count of each pair. */
export type PairCounts = Map<string, number>;

export interface Walk {
  /** Whether to skip calls that are already in the trace, as long as there are others. */
  readonly fresh: boolean;
  /** Weights of a step's candidates, each given by its pairs. */
  weigh(pairs: readonly (readonly string[])[], counts: PairCounts): number[];
}

const even = (pairs: readonly unknown[]) => pairs.map(() => 1);

/** Any possible call, the baseline; `fresh` is the same without repetitions. */
export const uniform: Walk = { fresh: false, weigh: even };
export const fresh: Walk = { fresh: true, weigh: even };

export const rare: Walk = {
  fresh: true,
  weigh(pairs, counts) {
    const unseen = pairs.map((each) => each.filter((pair) => !counts.has(pair)).length);
    if (unseen.some((count) => count > 0)) return unseen;
    return pairs.map((each) => 1 / (rarest(each, counts) + 1e-7));
  },
};

/** By fixed counts: unseen pairs are preferred, but not exclusively, so that examples differ. */
export const rareByFixed: Walk = {
  fresh: true,
  weigh: (pairs, counts) => pairs.map((each) => 1 / (rarest(each, counts) + 1)),
};

const rarest = (pairs: readonly string[], counts: PairCounts) =>
  Math.min(...pairs.map((pair) => counts.get(pair) ?? 0));

/** Samples a trace of so many calls. Reads `counts`; the caller updates them (`counted`). */
export function drawTrace(
  machine: ApiMachine,
  length: number,
  walk: Walk,
  counts: PairCounts,
  rng: Rng,
): DrawnTrace {
  const start = machine.domain.start.map(([, values]) =>
    values.length === 1 ? values[0] : values[rng.below(values.length)],
  );
  const writer = start.map(() => "start");
  const used = new Set<string>();
  const made: MadeCall[] = [];
  let state: ApiState = start;
  while (made.length < length) {
    const possible = machine.calls.flatMap((call): MadeCall[] => {
      const done = machine.make(state, call);
      return typeof done === "string" ? [] : [{ call, done, pairs: pairsOf(call, done, writer) }];
    });
    const unused = walk.fresh ? possible.filter(({ call }) => !used.has(call.text)) : [];
    const candidates = unused.length > 0 ? unused : possible;
    const weights = walk.weigh(
      candidates.map(({ pairs }) => pairs),
      counts,
    );
    const next = candidates[weighted(weights, rng)];
    made.push(next);
    used.add(next.call.text);
    state = next.done.state;
    for (const at of next.done.written) writer[at] = next.call.text;
  }
  return { start, made };
}

function pairsOf({ text }: Call, { read }: Done, writer: readonly string[]): string[] {
  const producers = read.length === 0 ? ["nothing"] : [...new Set(read.map((at) => writer[at]))];
  return producers.map((producer) => `${producer} -> ${text}`);
}

/** Adds the pairs of a trace. */
export function counted(counts: PairCounts, { made }: DrawnTrace): PairCounts {
  for (const { pairs } of made) for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  return counts;
}

function weighted(weights: readonly number[], rng: Rng): number {
  let left = rng.next() * weights.reduce((sum, weight) => sum + weight, 0);
  let last = 0;
  for (const [i, weight] of weights.entries()) {
    if (weight === 0) continue;
    last = i;
    left -= weight;
    if (left < 0) break;
  }
  return last;
}

/** Number of distinct pairs after each trace, with counts updated. */
export function coverage(
  machine: ApiMachine,
  { traces, length }: { readonly traces: number; readonly length: number },
  walk: Walk,
  rng: Rng,
): { readonly pairs: readonly number[]; readonly seen: ReadonlySet<string>; readonly drawn: number } {
  const [counts, pairs]: [PairCounts, number[]] = [new Map(), []];
  for (let i = 0; i < traces; i++) {
    counted(counts, drawTrace(machine, length, walk, counts, rng.fork(i)));
    pairs.push(counts.size);
  }
  const drawn = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { pairs, seen: new Set(counts.keys()), drawn };
}
