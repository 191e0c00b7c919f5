import { expect, test } from "vitest";
import { cos, sin } from "./activations.ts";
import { between, check, evaluate } from "./check.test-helper.ts";
import { runningAngleNaive, turnedNaive } from "./complex-rotation.naive.ts";
import { rotatePairs, runningAngle } from "./complex-rotation.ts";
import { Graph } from "./graph.ts";

test.each([
  [6, 3],
  [7, 2],
])("%d channels turned by %d angles are their twin, gradients too", (width, pairs) =>
  check({
    name: `turned ${width} ${pairs}`,
    inputs: [{ shape: [4, width] }, { shape: [4, pairs], draw: between(-4, 4) }],
    op: rotatePairs,
    naive: turnedNaive,
  }),
);

test("a running angle has the sine and cosine of the sum, gradients too", () =>
  check({
    name: "running angle",
    inputs: [{ shape: [9, 3], draw: between(-4, 4) }],
    op: (angle) => {
      const sum = runningAngle(angle);
      return [cos(sum), sin(sum)];
    },
    naive: runningAngleNaive,
  }));

test("half turns are still half turns after 1,000 steps", async () => {
  const graph = new Graph();
  const steps = 1001;
  const { sum } = await evaluate(
    graph,
    { sum: runningAngle(graph.input("angle", [steps, 1])) },
    { angle: new Float32Array(steps).fill(Math.PI) },
  );
  expect(Math.max(...sum.map(Math.abs))).toBeLessThan(3.15);
  for (const [t, each] of sum.entries()) expect(Math.cos(each)).toBeCloseTo(t % 2 === 0 ? -1 : 1, 6);
});

test("more angles than pairs of channels are refused", () => {
  const graph = new Graph();
  expect(() => rotatePairs(graph.input("x", [2, 5]), graph.input("angle", [2, 3]))).toThrow(
    "turned: expected at most 2 angles for 5 channels, got 3",
  );
});
