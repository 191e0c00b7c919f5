/**
 * @file What every objective holds to: `conforms`, called by the test beside it with the tasks to try it on and its loss in
 * plain numbers.
 */

import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { weightsOf } from "../../models/naive.ts";
import { tensorDtype } from "../../tensor/graph.ts";
import { size } from "../../tensor/index.ts";
import { gradientName } from "../graph.ts";
import type { ObjectiveName } from "./index.ts";
import { type NaiveLoss, naiveFirst } from "./naive.test-helper.ts";
import { type Case, computed, setupOf } from "./setup.test-helper.ts";

/** In float64. DeltaNet normalizes what its heads read, which may be next to nothing: there 1e-5 is too long a step already. */
const STEP = 1e-7;

/** @param accuracy what is recorded of the answers, where the objective is a state head. */
export function conforms(
  name: ObjectiveName,
  cases: readonly Case[],
  naive: NaiveLoss,
  accuracy?: NaiveLoss,
): void {
  test.each(cases)("%j: losses and the gradient of their sum are the naive twins'", async (each) => {
    const given = setupOf(name, each);
    const { objective, weight } = given.own;
    const { found } = await computed(given, [given.first, given.own]);
    const numbers = weightsOf(given.tree);
    const words = () => naiveFirst[given.firstName](given, numbers);
    const own = () => weight * naive(given, numbers);
    expect(Number(found.loss[0])).toBeCloseTo(words(), 4);
    expect(weight * Number(found[objective.lossName][0])).toBeCloseTo(own(), 4);
    if (accuracy !== undefined)
      expect(Number(found.stateAccuracy[0])).toBeCloseTo(accuracy(given, numbers), 5);

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
    for (const each of cases) {
      const given = setupOf(name, each);
      const { inputs } = await computed(given, [given.first, given.own]);
      const fed = { ...given.feeds, ...given.parameters };
      expect(inputs.map((input) => input.name).sort()).toEqual(Object.keys(fed).sort());
      for (const { name: input, shape, dtype } of inputs) {
        expect([fed[input].length, tensorDtype(fed[input])], input).toEqual([size(shape), dtype]);
      }
    }
  });

  test("with weight 0 it is recorded and moves nothing", async () => {
    for (const each of cases) {
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
}
