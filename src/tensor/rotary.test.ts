import { expect, test } from "vitest";
import { check } from "./check.test-helper.ts";
import { Graph } from "./graph.ts";
import { rotaryNaive } from "./rotary.naive.ts";
import { rotary, rotaryAngles } from "./rotary.ts";

test.each([
  [[1, 2], 10_000],
  [[5, 6], 10_000],
  [[2, 3, 7, 10], 100],
] as const)("equals its twin at [%j] with base %d, gradients too", (shape, base) =>
  check({
    name: `rotary ${shape} ${base}`,
    inputs: [{ shape }],
    op: (x) => {
      const [length, width] = shape.slice(-2);
      const { cos, sin } = rotaryAngles(length, width, base);
      const angles = [length, width / 2];
      return rotary(x, { cos: x.graph.constant(cos, angles), sin: x.graph.constant(sin, angles) });
    },
    naive: (x) => rotaryNaive(x, base),
  }),
);

test("one step is the fourth position if it is given the fourth row of angles", () =>
  check({
    name: "rotary step",
    inputs: [{ shape: [2, 1, 4] }],
    op: (x) => {
      const { cos, sin } = rotaryAngles(4, 4);
      return rotary(x, {
        cos: x.graph.constant(cos.slice(6), [1, 2]),
        sin: x.graph.constant(sin.slice(6), [1, 2]),
      });
    },
    naive: (x) => rotaryNaive(x, 10_000, 3),
  }));

test("an odd width and angles of another length are refused", () => {
  const graph = new Graph();
  const cos = graph.input("cos", [5, 2]);
  expect(() => rotary(graph.input("odd", [5, 3]), { cos, sin: cos })).toThrow(
    /^rotary: expected x of shape .* d even/,
  );
  expect(() => rotary(graph.input("long", [6, 4]), { cos, sin: cos })).toThrow(/shapes that broadcast/);
  expect(() => rotary(graph.input("one", [1, 4]), { cos, sin: cos })).toThrow(
    /cos and sin that broadcast to \[1,2\]/,
  );
  expect(() => rotaryAngles(4, 5)).toThrow("rotaryAngles: expected an even width, got 5");
});
