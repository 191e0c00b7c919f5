import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import {
  parameterData,
  type Run,
  randomTokens,
  runParallel,
  small,
  varied,
} from "./conformance.test-helper.ts";

const CENTROIDS = 5;
const model = small("sr-gru", { layers: 1, centroids: CENTROIDS, temperature: 1e-4 });
const tree = varied(model);

/** Of each sequence and token: the centroid that has the largest share, and the hidden vector. */
function statesOf({ taps }: Run) {
  const [choice, hidden] = ["choice", "hidden"].map((name) => taps[`layers.0.${name}`]);
  const [rows, length] = choice.shape;
  const width = hidden.shape.at(-1)!;
  return Array.from({ length: rows }, (_, b) =>
    Array.from({ length }, (_, t) => {
      const at = b * length + t;
      const shares = Array.from(choice.data.subarray(at * CENTROIDS, (at + 1) * CENTROIDS));
      const state = shares.indexOf(Math.max(...shares));
      return { state, h: Array.from(hidden.data.subarray(at * width, (at + 1) * width)) };
    }),
  );
}

const START = -1;
const key = (state: number, word: number) => `${state} ${word}`;

test("at a small temperature each hidden vector is one of the centroids, and the automaton that is read off runs as the network does", async () => {
  const centroids = parameterData(tree)["layers.0.mixer.centroids"];
  const { width } = model;
  const words = randomTokens(rngFrom(5), 200, 25);
  const run = await runParallel(model, tree, words, { taps: true });
  const next = new Map<string, number>();
  const visited = new Set<number>();
  const states = statesOf(run);
  for (const [b, row] of states.entries()) {
    let before = START;
    for (const [t, { state, h }] of row.entries()) {
      const own = centroids.subarray(state * width, (state + 1) * width);
      for (const [i, each] of h.entries()) expect(each).toBeCloseTo(own[i], 5);
      const step = key(before, words[b][t]);
      expect(next.get(step) ?? state, step).toBe(state); // the same state and word always lead to the same
      next.set(step, state);
      visited.add(state);
      before = state;
    }
  }
  expect(visited.size).toBeGreaterThan(2); // or there would be little to follow
  const others = randomTokens(rngFrom(6), 20, 60);
  const followed = statesOf(await runParallel(model, tree, others, { taps: true }));
  let asked = 0;
  for (const [b, row] of followed.entries()) {
    let state: number | undefined = START;
    for (const [t, found] of row.entries()) {
      state = next.get(key(state, others[b][t]));
      if (state === undefined) break; // a word that was never read there
      expect(found.state).toBe(state);
      asked++;
    }
  }
  expect(asked).toBeGreaterThan(1000);
});
