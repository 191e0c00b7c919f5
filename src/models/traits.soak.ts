import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { randomTokens, runParallel, small, varied } from "./conformance.test-helper.ts";
import { mixerTraits } from "./index.ts";
import { casesToTest } from "./subjects.test-helper.ts";
import { eigenvaluesOf, measureTransitions, product } from "./transitions.test-helper.ts";

const cases = casesToTest.filter(({ name }) => name !== "hybrid"); // its layers are those of the others

/** Of more numbers than a call can have arguments. */
const largestOf = (values: readonly number[]) => values.reduce((most, each) => Math.max(most, each), 0);

describe.each(cases)("$name $shown", ({ model }) => {
  const traits = mixerTraits(model.mixers[0]);
  const taps = runParallel(model, varied(model), randomTokens(rngFrom(12), 3, 40), { taps: true });

  test("what it carries is changed as it declares", async () => {
    const { recurrence } = traits;
    expect(recurrence).toBeDefined();
    if (recurrence === undefined || recurrence === "none") return;
    const { transitions, unlike } = await measureTransitions(model, 0, 40);
    if (recurrence === "nonlinear") {
      expect(unlike).toBeGreaterThan(0.1);
      return;
    }
    expect(unlike).toBeLessThan(1e-4);
    const { least, complex, commuting, fixed } = recurrence;
    const values = transitions.flatMap(eigenvaluesOf);
    const reals = values.map(([real]) => real);
    expect(Math.max(...values.map((each) => Math.hypot(...each)))).toBeLessThan(Math.max(1, -least) + 1e-4);
    expect(Math.min(...reals)).toBeGreaterThan(least - 1e-4);
    const turning = Math.max(...values.map(([, imaginary]) => Math.abs(imaginary)));
    if (!complex) expect(turning).toBeLessThan(1e-2); // two real eigenvalues that nearly meet look like a pair, in float32
    if (least <= -1) {
      // It is not declared wider than it is.
      expect(Math.min(...reals)).toBeLessThan(-0.5);
      if (complex) expect(turning).toBeGreaterThan(0.1);
    }
    const [a, b] = transitions;
    const [there, back] = [product(a, b).flat(), product(b, a).flat()];
    const order = largestOf(there.map((each, i) => Math.abs(each - back[i])));
    if (commuting) expect(order).toBeLessThan(1e-5);
    else expect(order).toBeGreaterThan(1e-3);
    const moved = largestOf(a.flatMap((row, i) => row.map((each, j) => Math.abs(each - b[i][j]))));
    if (fixed) expect(moved).toBeLessThan(1e-6);
    else expect(moved).toBeGreaterThan(1e-3);
  });

  test("a gate that it declares is tapped with a key for each, and fills its range", async () => {
    const { gate } = traits;
    const { "layers.0.key": key, [`layers.0.${gate?.tap ?? "beta"}`]: tapped } = (await taps).taps;
    expect(tapped === undefined).toBe(gate === undefined);
    if (gate === undefined) return;
    expect(tapped.shape).toEqual(key.shape.slice(0, 3));
    expect(Math.min(...tapped.data)).toBeGreaterThan(0);
    expect(Math.min(...tapped.data)).toBeLessThan(0.45 * gate.maximum);
    expect(Math.max(...tapped.data)).toBeLessThan(gate.maximum);
    expect(Math.max(...tapped.data)).toBeGreaterThan(0.6 * gate.maximum);
  });

  test("what it declares to be kept is the largest eigenvalue of each token, over its heads", async () => {
    const { keeps } = traits;
    const [{ mixer, own }] = model.mixers;
    // The mLSTM carries all over exp(m), so a step multiplies by its forget gate over that of m too.
    if (keeps === undefined || Object.hasOwn(mixer.state(own, model.width, 4), "m")) return;
    const { transitions, tapped } = await measureTransitions(model, 0, 12);
    for (const [token, matrix] of transitions.entries()) {
      const largest = Math.max(...eigenvaluesOf(matrix).map((each) => Math.hypot(...each)));
      expect(largest).toBeCloseTo(Math.max(...tapped[token][keeps]), 3);
    }
  });

  test("states that it declares are tapped as shares of them, and not all the same", async () => {
    const { states } = traits;
    if (states === undefined) return;
    const { shape, data } = (await taps).taps[`layers.0.${states}`];
    expect(shape).toHaveLength(3);
    const count = shape[2];
    const rows = Array.from({ length: data.length / count }, (_, i) =>
      data.subarray(i * count, (i + 1) * count),
    );
    for (const row of rows) {
      expect(Math.min(...row)).toBeGreaterThanOrEqual(0);
      expect(row.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 5);
    }
    expect(new Set(rows.map((row) => row.indexOf(Math.max(...row)))).size).toBeGreaterThan(1);
  });

  test("what its heads have read is the softmax of queries and keys over values if it says so, and only then", async () => {
    const {
      "layers.0.query": q,
      "layers.0.key": k,
      "layers.0.value": v,
      "layers.0.heads": read,
    } = (await taps).taps;
    if (q === undefined || k === undefined || q.shape[2] !== k.shape[2]) {
      expect(traits.attention).toBeUndefined();
      return;
    }
    const [, length, heads, width] = q.shape;
    const row = ({ data }: typeof q, t: number, head: number) =>
      data.subarray((t * heads + head) * width, (t * heads + head + 1) * width);
    let furthest = 0;
    for (let t = 0; t < length; t++) {
      for (let head = 0; head < heads; head++) {
        const own = row(q, t, head);
        const weights = Array.from({ length: t + 1 }, (_, s) =>
          Math.exp(row(k, s, head).reduce((sum, each, i) => sum + each * own[i], 0)),
        );
        const total = weights.reduce((sum, each) => sum + each, 0);
        for (const [i, each] of row(read, t, head).entries()) {
          const mean = weights.reduce((sum, weight, s) => sum + weight * row(v, s, head)[i], 0) / total;
          furthest = Math.max(furthest, Math.abs(each - mean));
        }
      }
    }
    if (traits.attention) expect(furthest).toBeLessThan(1e-4);
    else expect(furthest).toBeGreaterThan(0.1);
  });
});

test("a matrix of a turn, a reflection and a fade has the eigenvalues that it was made of", () => {
  const turn = [
    [0.6, -0.8, 0, 0],
    [0.8, 0.6, 0, 0],
    [0, 0, -1, 0.3],
    [0, 0, 0, 0.25],
  ];
  const [c, s] = [Math.cos(0.7), Math.sin(0.7)];
  const plane = [
    [c, 0, -s, 0],
    [0, 1, 0, 0],
    [s, 0, c, 0],
    [0, 0, 0, 1],
  ];
  const back = plane.map((_, i) => plane.map((row) => row[i]));
  const found = eigenvaluesOf(product(product(plane, turn), back)).toSorted(
    (a, b) => a[0] - b[0] || a[1] - b[1],
  );
  const wanted = [
    [-1, 0],
    [0.25, 0],
    [0.6, -0.8],
    [0.6, 0.8],
  ];
  for (const [i, [real, imaginary]] of wanted.entries()) {
    expect(found[i][0]).toBeCloseTo(real, 6);
    expect(found[i][1]).toBeCloseTo(imaginary, 6);
  }
});

test("a mixer that declares nothing is read as a delta rule with the widest range", () => {
  const [{ mixer, own }] = small("gru", {}).mixers;
  const { traits: _, ...silent } = mixer;
  expect(mixerTraits({ mixer: silent, own })).toEqual({ gate: { tap: "beta", maximum: 2 } });
});
