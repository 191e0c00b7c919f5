import { describe, expect, test } from "vitest";
import { rngFrom } from "../../math/rng.ts";
import { weightsOf } from "../../models/naive.ts";
import { dtypeOf, size } from "../../tensor/index.ts";
import { gradientName } from "../graph.ts";
import { type Case, computed, folder, setupOf } from "./conformance.test-helper.ts";
import { type ObjectiveName, objectives } from "./index.ts";
import { naiveLoss } from "./naive.test-helper.ts";

/** In float64. DeltaNet normalizes what its heads read, which may be next to nothing: there 1e-5 is too long a step already. */
const STEP = 1e-7;

/** What each objective is tried on: without a row of its own a new one does not compile. */
const cases: Record<ObjectiveName, readonly Case[]> = {
  reveals: [
    { task: "repl", params: { commands: 2, spacing: [1, 2] } },
    { mixer: "deltanet", task: "recall", params: {} },
  ],
  "next-token": [{ task: "parity-program", params: { length: [1, 3] } }],
  // Each head on a model that attends and on one that recurs.
  linear: [
    { mixer: "deltanet", task: "parity-program", params: { length: 2 } },
    { task: "repl", params: { commands: 2, spacing: 2 }, form: { layer: 0, state: "changed" } },
  ],
  decoder: [
    {
      mixer: "deltanet",
      task: "arithmetic-program",
      params: { length: 1, digits: 2 },
      form: { state: "changed" },
    },
    { task: "parity-program", params: { length: 1 }, form: { position: "line" } },
    { task: "code-traces", params: folder, form: { state: "changed" } },
  ],
  contrastive: [
    { task: "list-permutation", params: { size: 3, length: 2 } },
    { mixer: "deltanet", task: "parity-program", params: { length: 3 }, form: { weight: 2, layer: 0 } },
    { task: "code-traces", params: folder, form: { state: "all" } },
  ],
};

describe.each(Object.keys(objectives) as ObjectiveName[])("%s", (name) => {
  test.each(cases[name])("%j: losses and the gradient of their sum are the naive twins'", async (each) => {
    const given = setupOf(name, each);
    const { objective, weight } = given.own;
    const { found } = await computed(given, [given.first, given.own]);
    const numbers = weightsOf(given.tree);
    const words = () => naiveLoss[given.firstName](given, numbers);
    const own = () => weight * naiveLoss[name](given, numbers);
    expect(Number(found.loss[0])).toBeCloseTo(words(), 4);
    expect(weight * Number(found[objective.lossName][0])).toBeCloseTo(own(), 4);

    const rng = rngFrom(9);
    for (const [path, rows] of Object.entries(numbers)) {
      // Along a random direction of +-1, which no wrong element escapes.
      const gradient = [...(found[gradientName(path)] as Float32Array)];
      const signs = gradient.map(() => 2 * rng.below(2) - 1);
      const start = rows.map((row) => [...row]);
      const at = (step: number) => {
        for (const [i, row] of rows.entries())
          for (const j of row.keys()) row[j] = start[i][j] + step * signs[i * row.length + j];
        return path.startsWith(`${objective.own?.key}.`) ? own() : words() + own();
      };
      const measured = (at(STEP) - at(-STEP)) / (2 * STEP);
      at(0);
      const slope = gradient.reduce((all, value, i) => all + value * signs[i], 0);
      expect(Math.abs(measured - slope), path).toBeLessThan(1e-3 * Math.hypot(...gradient) + 1e-6);
    }
  });

  test("what is fed are its inputs, each of the right size and kind, and no more", async () => {
    for (const each of cases[name]) {
      const given = setupOf(name, each);
      const { inputs } = await computed(given, [given.first, given.own]);
      const fed = { ...given.feeds, ...given.parameters };
      expect(inputs.map((input) => input.name).sort()).toEqual(Object.keys(fed).sort());
      for (const { name: input, shape, dtype } of inputs) {
        expect([fed[input].length, dtypeOf(fed[input])], input).toEqual([size(shape), dtype]);
      }
    }
  });

  test("with weight 0 it is recorded and moves nothing", async () => {
    for (const each of cases[name]) {
      const given = setupOf(name, each);
      const { found: alone } = await computed(given, [given.first]);
      const { found } = await computed(given, [given.first, { ...given.own, weight: 0 }]);
      expect(Number(found[given.own.objective.lossName][0])).toBeGreaterThan(0);
      for (const path of Object.keys(given.parameters)) {
        const gradient = [...(found[gradientName(path)] as Float32Array)];
        const wanted = (alone[gradientName(path)] ?? new Float32Array(gradient.length)) as Float32Array;
        expect(Math.max(...gradient.map((value, i) => Math.abs(value - wanted[i]))), path).toBe(0);
      }
    }
  });
});

test("every position in use counts for the next token, and none behind it", () => {
  const given = setupOf("next-token", { task: "parity-program", params: { length: [1, 4] } });
  const { batch, feeds } = given;
  const weights = [...(feeds["next-token.weights"] as Float32Array)];
  const wanted = weights.map((_, at) =>
    Number(at % batch.length < batch.lengths[Math.floor(at / batch.length)]),
  );
  expect(weights).toEqual(wanted);
  expect(new Set(weights)).toEqual(new Set([0, 1]));
});

test("states that are not written have no next token to be learned", () => {
  expect(() => setupOf("next-token", { task: "group-words", params: { length: 3 } })).toThrow(
    'train.loss: expected "reveals" for a task that asks for states, got "next-token". Its words are drawn at random',
  );
});
