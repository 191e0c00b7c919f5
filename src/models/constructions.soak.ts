import fc from "fast-check";
import { expect, test } from "vitest";
import { groupNamed } from "../core/groups.ts";
import { siluInverse } from "./constructions/construction.ts";
import { groupReflections } from "./constructions/group-reflections.ts";
import { taskAutomaton } from "./constructions/task-automaton.ts";
import { accuracyOf, accuracyOfWords, allHeld, setByHand } from "./constructions.test-helper.ts";

test.each(allHeld)("$name solves $shown at length 1,000 with weights set by hand", async ({ name, held }) => {
  expect(await accuracyOf(setByHand(name, held), held, 1000)).toBe(1);
});

test.each(
  allHeld.filter(
    ({ held: { task, config } }) =>
      !("layers" in config) && task.group === "S_3" && task.generators === undefined,
  ),
)("$name still solves $shown with a second layer of zeros above it", async ({ name, held }) => {
  expect(await accuracyOf(setByHand(name, held, { layers: 2 }), held, 200)).toBe(1);
});

test.each(allHeld)(
  "$name holds $shown of words that no task draws: each a thousand times, and each two in turns",
  async ({ name, held }) => {
    const words = taskAutomaton(held.task).moving.slice(-6);
    const rows = words.flatMap((one, i) =>
      words.slice(i).map((other) => Array.from({ length: 1000 }, (_, t) => (t % 2 === 0 ? one : other))),
    );
    expect(await accuracyOfWords(setByHand(name, held), held, rows)).toBe(1);
  },
);

const heldBy = (name: string, task: string) => {
  const found = allHeld.find((each) => each.name === name && each.held.task.name === task);
  return found!.held;
};

test("it is the range of eigenvalues that holds it: the same weights in [0, 1] guess", async () => {
  const guesses: readonly (readonly [string, string, object, number])[] = [
    ["deltanet", "parity", { betaMax: 1 }, 0.7],
    ["deltanet", "group-words", { betaMax: 1 }, 0.5],
    ["deltaproduct", "group-words", { betaMax: 1 }, 0.6],
    ["mamba", "parity", { transition: "[0,1]" }, 0.7],
  ];
  const deep = allHeld.find(({ name, shown }) => name === "deltanet" && shown.includes('"layers":2'))!.held;
  expect(await accuracyOf(setByHand("deltanet", deep, { betaMax: 1 }), deep, 200)).toBeLessThan(0.5);
  for (const [name, task, change, most] of guesses) {
    const held = heldBy(name, task);
    expect(await accuracyOf(setByHand(name, held, change), held, 200), `${name}, ${task}`).toBeLessThan(most);
  }
});

test("a path that the model does not have, and a weight of another size, are refused", () => {
  const held = heldBy("deltanet", "parity");
  const other = (more: object) => ({ ...held, set: (d: number) => ({ ...held.set(d), ...more }) });
  expect(() => setByHand("deltanet", other({ tail: [[1]] }))).toThrow("deltanet has no tail");
  expect(() => setByHand("deltanet", other({ head: [[1]] }))).toThrow("head is 32 by 2, not 1 numbers");
});

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, each, i) => sum + each * b[i], 0);
/** The mirrors of g, then those of h, applied to x. */
const moved = (x: readonly number[], mirrors: readonly (readonly number[])[]) =>
  mirrors.reduce((y, k) => y.map((each, i) => each - 2 * dot(y, k) * k[i]), x);

test.each([
  ["Z_3", 2, 2],
  ["Z_7", 2, 2],
  ["S_3", 2, 2],
  ["S_5", 4, 4],
  ["A_5", 3, 2],
])(
  "the mirrors of %s multiply as its elements, in %d dimensions with at most %d each",
  (name, size, most) => {
    const { mirrors, images, point } = groupReflections(name);
    const group = groupNamed(name)!;
    expect(mirrors).toHaveLength(group.order);
    for (const own of mirrors) {
      expect(own.length).toBeLessThanOrEqual(most);
      for (const k of own) expect([k.length, Number(Math.hypot(...k).toFixed(9))]).toEqual([size, 1]);
    }
    const element = fc.integer({ min: 0, max: group.order - 1 });
    fc.assert(
      fc.property(
        element,
        element,
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: size, maxLength: size }),
        (g, h, x) => {
          const one = moved(x, mirrors[group.multiply(g, h)]);
          const both = moved(moved(x, mirrors[g]), mirrors[h]);
          for (const [i, each] of one.entries()) expect(each).toBeCloseTo(both[i], 9);
        },
      ),
      { seed: 3 },
    );
    // The point tells all elements apart: a tenth of its length at least.
    for (const [g, one] of images.entries())
      for (const other of images.slice(g + 1))
        expect(Math.hypot(...one.map((each, i) => each - other[i]))).toBeGreaterThan(0.1);
    expect(images[0]).toEqual(point);
  },
);

test("every element of A_5 takes two mirrors, as a turn of space does; those of S_5 an even number where they are even", () => {
  expect(new Set(groupReflections("A_5").mirrors.map(({ length }) => length))).toEqual(new Set([2]));
  const evenOnes = groupReflections("S_5").mirrors.filter(({ length }) => length % 2 === 0);
  expect(evenOnes).toHaveLength(60);
});

test("SiLU is inverted down to its least value", () => {
  fc.assert(
    fc.property(fc.double({ min: -0.278, max: 200, noNaN: true }), (y) => {
      const z = siluInverse(y);
      expect(z / (1 + Math.exp(-z))).toBeCloseTo(y, 9);
      expect(z).toBeGreaterThanOrEqual(-1.2785);
    }),
    { seed: 4 },
  );
});
