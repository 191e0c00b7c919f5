import { expect, test } from "vitest";
import { groupNamed } from "../core/groups.ts";
import { shuffled } from "../core/permutations.ts";
import { rngFrom } from "../core/rng.ts";
import { tomitaLanguages } from "../core/tomita-languages.ts";
import { type Extraction, extractAutomaton } from "./automaton.ts";
import { programOf, recordingOf, tapOf } from "./recording.test-helper.ts";
import type { Program, Recording } from "./recording.ts";

/** Words of a group, asked after each letter. */
function words(name: string, count: number, length: number): Program[] {
  const group = groupNamed(name)!;
  const rng = rngFrom(7);
  return Array.from({ length: count }, () => {
    const drawn = Array.from({ length }, () => rng.below(group.order));
    const states = [[0]];
    for (const element of drawn) states.push([group.multiply((states.at(-1) as number[])[0], element)]);
    return programOf(drawn.map(String), states);
  });
}

/** A tracker with the exact state, the last letter besides, and noise. */
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

function extracted(recording: Recording): Extraction {
  const found = extractAutomaton(recording, rngFrom(1));
  if (typeof found === "string") throw new Error(found);
  return found;
}

test.each([
  ["Z_2", 2],
  ["Z_3", 3],
  ["S_3", 6],
])("the minimal automaton of an exact tracker of %s is the group's", (name, order) => {
  const found = extracted(tracker(name));
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
  const found = extracted(recording);
  expect(found.equivalent).toBe(false);
  expect(found.counterexample).toEqual(["2"]);
  expect(found.words.agreeing).toBeLessThan(found.words.words);
});

test("hidden states without order do not collapse, and give no table", () => {
  const recording = tracker("Z_3");
  const rng = rngFrom(2);
  const noise = tapOf(recording.programs, [6], () => Array.from({ length: 6 }, () => rng.normal()));
  const found = extracted({ ...recording, taps: { "layers.0.residual": noise } });
  expect(found.collapse).toBeCloseTo(1, 1);
  expect(found.consistency).toBeLessThan(0.6);
  expect(found.equivalent).toBe(false);
});

/** Sessions that set three variables in any order, swap two of them, and are asked at the end alone. */
function sessions(count: number, length: number, chance = 0): Program[] {
  const rng = rngFrom(3);
  const swaps = [
    [0, 1],
    [0, 2],
    [1, 2],
  ] as const;
  return Array.from({ length: count }, () => {
    const drawn = Array.from({ length }, () => rng.below(3));
    const states = [shuffled([0, 1, 2], rng)];
    for (const swap of drawn) {
      const next = [...states.at(-1)!];
      const [i, j] = swaps[rng.next() < chance ? rng.below(3) : swap];
      [next[i], next[j]] = [next[j], next[i]];
      states.push(next);
    }
    return {
      tokens: ["set", ...drawn.map(String)],
      classes: ["initialisation" as const, ...drawn.map(() => "command" as const)],
      places: [0, ...drawn.map(() => 0)],
      commands: [0, ...drawn.map((_, t) => t + 1)],
      letters: drawn.map(String),
      states,
      ends: [0, ...drawn.map((_, t) => t + 1)],
      questions: [{ position: length, variable: 0, value: states.at(-1)![0] }],
    };
  });
}

/** The state of a session's model, one one-hot vector per variable, with noise; `forgets` replaces it. */
function holding(programs: readonly Program[], forgets = (state: readonly number[]) => state): Recording {
  const rng = rngFrom(4);
  const residual = tapOf(programs, [9], (i, t) => {
    const state = forgets(programs[i].states[t]);
    return state.flatMap((held) => [0, 1, 2].map((value) => (value === held ? 1 : 0) + 0.05 * rng.normal()));
  });
  return { ...recordingOf(programs, { "layers.0.residual": residual }), values: ["1", "2", "3"] };
}

test("where the task asks at the end alone the state is read, behind every beginning", () => {
  const found = extracted(holding(sessions(80, 12)));
  expect(found.saidBy).toBe("probe");
  expect(found.beginnings).toEqual(["1 2 3", "1 3 2", "2 1 3", "2 3 1", "3 1 2", "3 2 1"]);
  expect([found.states, found.trueStates, found.equivalent]).toEqual([6, 6, true]);
  expect(found.words.agreeing).toBe(found.words.words);
  const [start, ...held] = found.machine.output;
  expect([start, ...held.toSorted()]).toEqual(["", "", ...found.beginnings]);
  for (const [i, beginning] of found.beginnings.entries()) {
    const at = found.machine.next[0][i];
    expect(found.machine.output[at]).toBe(beginning);
    const swapped = found.machine.output[found.machine.next[at][6]]; // the first two
    expect(swapped).toBe([...beginning.split(" ")].map((_, k, all) => all[[1, 0, 2][k]]).join(" "));
  }
});

test("a model that holds the first variable alone is not the true automaton", () => {
  const found = extracted(holding(sessions(80, 12), ([first]) => [first, 0, 0]));
  expect(found.equivalent).toBe(false);
  expect(found.consistency).toBeLessThan(0.99);
  expect(found.words.agreeing).toBeLessThan(0.7 * found.words.words);
});

test("a model whose hidden states say nothing has an automaton of no states", () => {
  const found = extracted(holding(sessions(80, 12), () => [0, 0, 0]));
  expect(found.states).toBe(0);
});

test("a state that chance moves is no automaton", () => {
  expect(extractAutomaton(holding(sessions(80, 12, 0.2)), rngFrom(1))).toContain(
    "lead from one state to several",
  );
});

/** Strings, of which is asked whether they are in Tomita's language so far; and the states of its automaton after each symbol. */
function strings(language: number, count: number, length: number) {
  const { next, accepts } = tomitaLanguages[language - 1];
  const rng = rngFrom(language);
  const says = next.map((_, state) => Number(accepts.includes(state)));
  const moved = Array.from({ length: count }, () => {
    const symbols = Array.from({ length }, () => rng.below(2));
    const states = [0];
    for (const symbol of symbols) states.push(next[states.at(-1)!][symbol]);
    const said = states.map((state) => [says[state]]);
    return { program: programOf(symbols.map(String), said), states };
  });
  const programs = moved.map(({ program }) => program);
  const automaton = { letters: ["0", "1"], start: 0, next, output: says };
  const rngOf = rngFrom(9);
  const residual = tapOf(programs, [next.length], (i, t) =>
    next.map((_, state) => Number(state === moved[i].states[t + 1]) + 0.02 * rngOf.normal()),
  );
  return { programs, automaton, residual, states: moved.map(({ states }) => states) };
}

test.each([1, 2, 3, 4, 5, 6, 7])(
  "the automaton of Tomita's language %i is found, though what is asked for does not tell what comes next",
  (language) => {
    const { programs, automaton, residual } = strings(language, 200, 12);
    const recording = { ...recordingOf(programs, { "layers.0.residual": residual }), automaton };
    const found = extracted(recording);
    const states = tomitaLanguages[language - 1].next.length;
    expect([found.states, found.trueStates, found.equivalent]).toEqual([states, states, true]);
    expect(found.by).toBe("clusters");
    const other = tomitaLanguages[language % 7];
    const output = other.next.map((_, state) => Number(other.accepts.includes(state)));
    const against = { letters: ["0", "1"], start: 0, next: other.next, output };
    expect(extracted({ ...recording, automaton: against }).equivalent).toBe(false);
  },
);

test("without the task's own automaton a language is refused where membership does not tell what comes next", () => {
  const { programs, residual } = strings(5, 50, 12);
  const found = extractAutomaton(recordingOf(programs, { "layers.0.residual": residual }), rngFrom(1));
  expect(found).toContain("lead from one state to several");
});

test("the states that a model has itself are read before any cluster is looked for, and left where they are no table", () => {
  const { programs, automaton, states } = strings(3, 200, 12);
  const rng = rngFrom(10);
  // Hidden states tell nothing; which of six states it is in, two of which are the same, does.
  const noise = tapOf(programs, [4], () => Array.from({ length: 4 }, () => rng.normal()));
  const shares = (of: (i: number, t: number) => number) =>
    tapOf(programs, [6], (i, t) => Array.from({ length: 6 }, (_, k) => (k === of(i, t) ? 0.5 : 0.1)));
  const held = (tap: Recording["taps"][string]): Recording => ({
    ...recordingOf(programs, { "layers.0.residual": noise, "layers.0.choice": tap }, [{ states: "choice" }]),
    automaton,
  });
  const exact = shares((i, t) => (states[i][t + 1] === 0 && t % 2 === 0 ? 5 : states[i][t + 1]));
  const found = extracted(held(exact));
  expect([found.by, found.clusters, found.consistency]).toEqual(["states", 6, expect.any(Number)]);
  const whole = extracted(held(shares((i, t) => states[i][t + 1])));
  expect([whole.by, whole.clusters, whole.consistency, whole.equivalent]).toEqual(["states", 5, 1, true]);
  const drawn = extracted(held(shares(() => rng.below(6))));
  expect(drawn.consistency).toBeLessThan(0.99);
  expect(drawn.equivalent).toBe(false);
});
