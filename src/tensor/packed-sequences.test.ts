/** @file Packed sessions compared with each of them alone. */

import { expect, test } from "vitest";
import { reshape } from "./arithmetic.ts";
import { causalAttentionNaive } from "./attention.naive.ts";
import { causalAttention } from "./attention.ts";
import { between, check, eachHead, evaluate, onlyNumber } from "./check.test-helper.ts";
import { deltaRuleNaive } from "./delta-rule.naive.ts";
import { deltaRule } from "./delta-rule.ts";
import { gatedDeltaRuleNaive } from "./gated-delta-rule.naive.ts";
import { gatedDeltaRule } from "./gated-delta-rule.ts";
import { Graph } from "./graph.ts";
import { gruRecurrenceNaive } from "./gru-recurrence.naive.ts";
import { gruRecurrence } from "./gru-recurrence.ts";
import { lstmRecurrenceNaive } from "./lstm-recurrence.naive.ts";
import { lstmRecurrence } from "./lstm-recurrence.ts";
import { eachSession, freshOf, LENGTH, startsOf } from "./packed-sequences.test-helper.ts";
import { keepMask, otherSession, overTime, sessionPlaces, sessionStarts } from "./packed-sequences.ts";

const [B, h, dk, dv] = [2, 2, 5, 3];

test("the header's example, and a row that says nothing, are one session from each 1 on", async () => {
  const graph = new Graph();
  const fresh = graph.input("fresh", [2, 9], "int32");
  const starts = sessionStarts(fresh);
  const row = [1, 0, 0, 0, 1, 0, 0, 0, 0];
  const found = await evaluate(
    graph,
    { starts, places: sessionPlaces(starts) },
    { fresh: Int32Array.from([...row, ...row.map(() => 0)]) },
  );
  expect([...found.starts]).toEqual([0, 0, 0, 0, 4, 4, 4, 4, 4, ...row.map(() => 0)]);
  expect([...found.places]).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 4, ...row.map((_, t) => t)]);
});

test("a later session hides the earlier ones, and a session nothing of itself", async () => {
  const graph = new Graph();
  const starts = startsOf(graph, 1);
  const mask = otherSession(reshape(starts, [LENGTH, 1]), starts);
  const { mask: cells } = await evaluate(graph, { mask });
  const sessionOf = [0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3];
  for (let t = 0; t < LENGTH; t++)
    for (let s = 0; s <= t; s++) {
      if (sessionOf[t] === sessionOf[s]) expect(cells[t * LENGTH + s]).toBeCloseTo(0, 12);
      else expect(Math.exp(cells[t * LENGTH + s])).toBe(0);
    }
});

test.each([
  [64, 2048],
  [5, 2048],
  [64, 0],
  [4, 0],
  [1, 0],
])("attention in blocks of %d, with weights kept up to %d steps, stays within a session", (block, keep) =>
  check({
    name: `attention in sessions ${block} ${keep}`,
    inputs: [{ shape: [B, h, LENGTH, dk] }, { shape: [B, h, LENGTH, dk] }, { shape: [B, h, LENGTH, dv] }],
    op: (q, k, v) => causalAttention(q, k, v, { block, keep, starts: startsOf(q.graph, B) }),
    naive: eachSession(2, causalAttentionNaive),
  }),
);

const cells = { h: [0], c: [1], "h and c": [0, 1] };
test.each(Object.entries(cells))("an LSTM begins each session from zeros: %s", (name, used) => {
  const chosen = <X>(both: readonly X[]) => used.map((i) => both[i]);
  return check({
    name: `lstm in sessions ${name}`,
    inputs: [{ shape: [LENGTH, B, 4 * 3], draw: (rng) => 2 * rng.normal() }, { shape: [3, 4 * 3] }],
    op: (x, weight) => {
      const { h, c } = lstmRecurrence(x, weight, keepMask(overTime(freshOf(x.graph, B))));
      return chosen([h, c]);
    },
    naive: eachSession(0, (x, weight) => chosen(lstmRecurrenceNaive(x, weight))),
  });
});

test("a GRU begins each session from zeros", () =>
  check({
    name: "gru in sessions",
    inputs: [
      { shape: [LENGTH, B, 3 * 3], draw: (rng) => 2 * rng.normal() },
      { shape: [3, 3 * 3] },
      { shape: [3] },
    ],
    op: (x, weight, bias) => gruRecurrence(x, weight, bias, keepMask(overTime(freshOf(x.graph, B)))),
    naive: eachSession(0, gruRecurrenceNaive),
  }));

// In one chunk, in chunks whose borders are those of sessions and not, step by step.
test.each([32, 7, 5, 4, 1])(
  "the delta rules in chunks of %d begin each session with an empty memory",
  async (chunk) => {
    const inputs = [
      { shape: [B, LENGTH, h, dk] },
      { shape: [B, LENGTH, h, dk], draw: between(-0.4, 0.4) },
      { shape: [B, LENGTH, h, dv] },
      { shape: [B, LENGTH, h], draw: between(0, 2) },
    ];
    await check({
      name: `delta rule in sessions ${chunk}`,
      inputs,
      op: (q, k, v, b) => deltaRule(q, k, v, b, { chunk, fresh: freshOf(q.graph, B) }),
      naive: eachSession(1, (...given) =>
        eachHead((q, k, v, b) => deltaRuleNaive(q, k, v, onlyNumber(b)), given),
      ),
    });
    await check({
      name: `gated delta rule in sessions ${chunk}`,
      inputs: [
        ...inputs,
        { shape: [B, LENGTH, h], draw: (rng) => [-1e-3, -0.5 * rng.next(), -40][rng.below(3)] },
      ],
      op: (q, k, v, b, a) => gatedDeltaRule(q, k, v, b, a, { chunk, fresh: freshOf(q.graph, B) }),
      naive: eachSession(1, (...given) =>
        eachHead((q, k, v, b, a) => gatedDeltaRuleNaive(q, k, v, onlyNumber(b), onlyNumber(a)), given),
      ),
    });
  },
);
