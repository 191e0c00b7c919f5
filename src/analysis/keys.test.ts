import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { commandAt, explainedBy, keys, keysOfHeads, programSwaps } from "./keys.ts";
import { recordingOf, tapOf } from "./recording.test-helper.ts";
import type { Program } from "./recording.ts";

const pairs = [
  [0, 1],
  [1, 2],
  [2, 3],
];

/** Swaps of four variables; a command is two tokens, `s` and the pair's number. */
function swapPrograms(count: number): Program[] {
  const rng = rngFrom(1);
  return Array.from({ length: count }, () => {
    const drawn = Array.from({ length: 10 }, () => rng.below(3));
    const states = [[0, 1, 2, 3]];
    for (const pair of drawn) {
      const next = [...(states.at(-1) as number[])];
      const [a, b] = pairs[pair];
      [next[a], next[b]] = [next[b], next[a]];
      states.push(next);
    }
    return {
      tokens: drawn.flatMap((pair) => ["s", String(pair)]),
      classes: drawn.flatMap(() => ["command", "command"] as const),
      places: drawn.flatMap(() => [0, 1]),
      commands: drawn.flatMap((_, i) => [i, i + 1]),
      letters: drawn.map((pair) => `s${pair}`),
      states,
      ends: [-1, ...drawn.map((_, i) => 2 * i + 1)],
      questions: [],
    };
  });
}

test("an exact swap tracker has its keys 60 and 90 degrees apart, whatever the basis and the signs", () => {
  const programs = swapPrograms(20);
  const rng = rngFrom(2);
  // A rotation of R^4: three reflections that have nothing to do with the variables.
  const mirrors = [0, 1, 2].map(() => {
    const v = Array.from({ length: 4 }, () => rng.normal());
    return v.map((x) => x / Math.hypot(...v));
  });
  const rotated = (x: readonly number[]) =>
    mirrors.reduce(
      (y, v) => y.map((each, i) => each - 2 * v[i] * v.reduce((s, vj, j) => s + vj * y[j], 0)),
      x,
    );
  const key = tapOf(programs, [1, 4], (i, t) => {
    if (t % 2 === 0) return rotated([0.5, 0.5, 0.5, 0.5]);
    const [a, b] = pairs[Number(programs[i].tokens[t])];
    const sign = rng.below(2) === 0 ? 1 : -1;
    return rotated([0, 1, 2, 3].map((v) => (v === a ? sign : v === b ? -sign : 0) / Math.SQRT2));
  });
  const beta = tapOf(programs, [1], (_, t) => [t % 2 === 0 ? 0 : 2]);
  const recording = recordingOf(programs, { "layers.0.key": key, "layers.0.beta": beta });
  const [{ places, explained, components }] = keysOfHeads(recording);
  expect(places.map(({ beta: mean }) => mean)).toEqual([0, 2]);
  expect(places[1].ownShare).toBeCloseTo(1, 6);
  for (const { degrees, expected } of places[1].angles) expect(degrees).toBeCloseTo(expected as number, 3);
  expect(places[1].angles.map(({ expected }) => expected).sort()).toEqual([60, 60, 90]);
  for (const { degrees } of places[0].angles) expect(degrees).toBeCloseTo(0, 1);
  expect(explained.at(-1)).toBeCloseTo(1, 10);
  expect(components).toBe(4);
});

test("of how many keys how many made the variances is recorded, and the page says it", () => {
  const accuracy = { questions: 1, accuracy: 1, interval: [1, 1] as const, references: {}, byCommands: [] };
  for (const [count, read] of [
    [20, 400],
    [1001, 20_000],
  ]) {
    const programs = swapPrograms(count);
    const key = tapOf(programs, [1, 2], (i, t) => [(i + t) % 2, 1]);
    const beta = tapOf(programs, [1], () => [2]);
    const found = keysOfHeads(recordingOf(programs, { "layers.0.key": key, "layers.0.beta": beta }));
    expect(found[0].keys).toEqual({ read, of: 20 * count });
    const { how } = keys.part(found, { accuracy, of: () => undefined })!;
    expect(how[0]).toContain(
      count === 20 ? "at all 400 tokens of commands" : "at the first 20,000 of 20,020 tokens of commands",
    );
  }
});

test("variances along the axes are explained in their order", () => {
  const rows = [
    [3, 0, 0],
    [-3, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
  ];
  const [first, second, third] = explainedBy(rows);
  expect(first).toBeCloseTo(0.9, 10);
  expect(second).toBeCloseTo(1, 10);
  expect(third).toBeCloseTo(1, 10);
});

test("each token knows its command, and a command is a swap only if it exchanges two", () => {
  const [program] = swapPrograms(1);
  expect(program.tokens.map((_, t) => commandAt(program, t))).toEqual(
    program.letters.flatMap((_, i) => [i, i]),
  );
  const turn = {
    ...program,
    letters: ["turn"],
    states: [
      [0, 1, 2],
      [1, 2, 0],
    ],
  };
  expect(programSwaps([turn]).get("turn")).toBeUndefined();
  expect(programSwaps([program]).get("s1")).toEqual([1, 2]);
});
