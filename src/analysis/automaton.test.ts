import { expect, test } from "vitest";
import { groupNamed } from "../math/groups.ts";
import { rngFrom } from "../math/rng.ts";
import { extractAutomaton } from "./automaton.ts";
import { recordingOf, tapOf } from "./recording.test-helper.ts";
import type { Program, Recording } from "./recording.ts";

/** Words of a group, asked after each letter. */
function words(name: string, count: number, length: number): Program[] {
  const group = groupNamed(name)!;
  const rng = rngFrom(7);
  return Array.from({ length: count }, () => {
    const drawn = Array.from({ length }, () => rng.below(group.order));
    const states = [[0]];
    for (const element of drawn) states.push([group.multiply((states.at(-1) as number[])[0], element)]);
    return {
      tokens: drawn.map(String),
      classes: drawn.map(() => "command" as const),
      places: drawn.map(() => 0),
      commands: drawn.map((_, t) => t + 1),
      letters: drawn.map(String),
      states,
      ends: [-1, ...drawn.keys()],
      questions: drawn.map((_, t) => ({ position: t, variable: 0, value: states[t + 1][0] })),
    };
  });
}

/** A tracker that holds the state exactly, the last letter besides, and noise. */
function tracker(name: string, wrong: (program: Program, t: number) => boolean = () => false): Recording {
  const { order } = groupNamed(name)!;
  const programs = words(name, 120, 14);
  const rng = rngFrom(8);
  const hot = (value: number, size: number) =>
    Array.from({ length: order }, (_, i) => (i === value ? size : 0));
  const residual = tapOf(programs, [2 * order], (i, t) => [
    ...hot(programs[i].states[t + 1][0], 3),
    ...hot(Number(programs[i].tokens[t]), 1).map((x) => x + 0.05 * rng.normal()),
  ]);
  const recording = recordingOf(programs, { "layers.0.residual": residual });
  const answers = programs.map((program) =>
    program.questions.map(({ value }, t) => (wrong(program, t) ? (value + 1) % order : value)),
  );
  return { ...recording, values: Array.from({ length: order }, (_, g) => `g${g}`), answers };
}

test.each([
  ["Z_2", 2],
  ["Z_3", 3],
  ["S_3", 6],
])("the minimal automaton of an exact tracker of %s is the group's", (name, order) => {
  const found = extractAutomaton(tracker(name), rngFrom(1));
  expect(found.equivalent).toBe(true);
  expect([found.states, found.trueStates]).toEqual([order, order]);
  expect(found.consistency).toBe(1);
  expect(found.words.agreeing).toBe(found.words.words);
  expect(found.words.words * order).toBeGreaterThan(100_000 - 1);
  expect(found.collapse).toBeLessThan(0.5);
  expect(new Set(found.machine.output)).toEqual(
    new Set(["", ...Array.from({ length: order }, (_, g) => `g${g}`)]),
  );
});

test("a tracker that answers wrongly in one state is told apart, with a word that shows it", () => {
  const recording = tracker("Z_3", ({ states }, t) => states[t + 1][0] === 2);
  const found = extractAutomaton(recording, rngFrom(1));
  expect(found.equivalent).toBe(false);
  expect(found.counterexample).toEqual(["2"]);
  expect(found.words.agreeing).toBeLessThan(found.words.words);
});

test("hidden states without order do not collapse, and give no table", () => {
  const recording = tracker("Z_3");
  const rng = rngFrom(2);
  const noise = tapOf(recording.programs, [6], () => Array.from({ length: 6 }, () => rng.normal()));
  const found = extractAutomaton({ ...recording, taps: { "layers.0.residual": noise } }, rngFrom(1));
  expect(found.collapse).toBeCloseTo(1, 1);
  expect(found.consistency).toBeLessThan(0.6);
  expect(found.equivalent).toBe(false);
});
