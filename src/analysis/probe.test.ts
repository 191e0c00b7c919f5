import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { mean } from "../core/statistics.ts";
import { alternativeStates, bestProbe, probeStates } from "./probes.ts";
import { programOf, recordingOf, tapOf } from "./recording.test-helper.ts";
import type { Program } from "./recording.ts";

/** Words of Z_3: the letters 0, 1, 2 are added. */
function additions(count: number, length: number, seed = 4): Program[] {
  const rng = rngFrom(seed);
  return Array.from({ length: count }, () => {
    const letters = Array.from({ length }, () => rng.below(3));
    const states = [[0]];
    for (const letter of letters) states.push([((states.at(-1) as number[])[0] + letter) % 3]);
    const program = programOf(letters.map(String), states);
    return { ...program, questions: program.questions.slice(-1) };
  });
}

function all(recording: Parameters<typeof probeStates>[0]) {
  const work = probeStates(recording, rngFrom(1));
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

test("a state that is there is read, and neither control is; where it is not, nothing is", () => {
  const programs = additions(80, 12);
  const rng = rngFrom(5);
  const noise = () => Array.from({ length: 3 }, () => 0.3 * rng.normal());
  const hot = (value: number) => [0, 1, 2].map((v) => (v === value ? 1 : 0));
  const recording = recordingOf(programs, {
    // Layer 0 knows the letter alone, layer 1 the state, both under noise.
    "layers.0.residual": tapOf(programs, [6], (i, t) => [...hot(Number(programs[i].tokens[t])), ...noise()]),
    "layers.1.residual": tapOf(programs, [6], (i, t) => [...hot(programs[i].states[t + 1][0]), ...noise()]),
  });
  const { chance, probes } = all({ ...recording, values: ["0", "1", "2"] });
  expect(chance).toBeCloseTo(1 / 3, 10);
  const along = probes.filter(({ place }) => place === 0);
  expect(along.map(({ site }) => site)).toEqual(["residual 0", "residual 1"]);
  const [letter, state] = along;
  expect(state.scores.state?.accuracy).toBe(1);
  for (const { scores } of [letter, state]) {
    for (const kind of ["random", "alternative"] as const) {
      expect(Math.abs((scores[kind]?.accuracy ?? 1) - 1 / 3)).toBeLessThan(0.15);
      expect(scores[kind]?.interval[0]).toBeLessThan(0.4);
    }
  }
  // The first state is its letter; a later one has nothing to do with it.
  expect(new Map(letter.byCommands).get(1)).toBeGreaterThan(0.6);
  expect(letter.scores.state?.accuracy).toBeLessThan(0.55);
  expect(state.byCommands.map(([commands]) => commands)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
});

test("of eight layers of noise the best one's score is chance on average, while the best score is above it", () => {
  const drawn = Array.from({ length: 40 }, (_, seed) => {
    const programs = additions(16, 4, seed);
    const rng = rngFrom(seed).fork("noise");
    const layers = Array.from({ length: 8 }, (_, layer) => `layers.${layer}.residual`);
    const noise = () => tapOf(programs, [4], () => Array.from({ length: 4 }, () => rng.normal()));
    const taps = Object.fromEntries(layers.map((layer) => [layer, noise()]));
    const { probes } = all({ ...recordingOf(programs, taps), values: ["0", "1", "2"] });
    const along = probes.filter(({ place }) => place === 0);
    const scores = along.map((probe) => probe.scores.state!.accuracy);
    const chosen = bestProbe(along);
    return { chosen: chosen.scores.state!.accuracy, selection: chosen.selection!, most: Math.max(...scores) };
  });
  // A sum of uniform letters is uniform, and noise knows nothing of it: each of 16 answers is right with 1/3.
  const error = Math.sqrt(2 / 9 / 16 / drawn.length);
  expect(Math.abs(mean(drawn.map(({ chosen }) => chosen)) - 1 / 3)).toBeLessThan(4 * error);
  for (const biased of ["selection", "most"] as const)
    expect(mean(drawn.map((each) => each[biased])) - 1 / 3).toBeGreaterThan(6 * error);
});

test("under the alternative semantics commands do what others do, and agree with the truth by chance alone", () => {
  const programs = additions(60, 8);
  const found = alternativeStates(programs, 1 / 3)!;
  const meaning = new Map(found.meaning);
  for (const [i, { letters }] of programs.entries()) {
    const sum = letters.reduce((total, letter) => total + Number(meaning.get(letter)), 0);
    expect(found.states[i].at(-1)).toEqual([sum % 3]);
  }
  expect(Math.abs(found.agreement - 1 / 3)).toBeLessThan(0.1);
  const one = programs.map((program) => ({ ...program, letters: program.letters.map(() => "x") }));
  expect(alternativeStates(one, 1 / 3)).toBeUndefined();
});

test("of the swaps of S_3 those are exchanged whose states do not agree with the true ones after every second", () => {
  const swaps = [
    [1, 0, 2],
    [2, 1, 0],
    [0, 2, 1],
  ];
  const rng = rngFrom(9);
  const programs = additions(60, 12).map((program) => {
    const drawn = program.letters.map(() => rng.below(3));
    const states = [[0, 1, 2]];
    for (const each of drawn) states.push(swaps[each].map((from) => (states.at(-1) as number[])[from]));
    return { ...program, letters: drawn.map(String), states };
  });
  const { states, agreement } = alternativeStates(programs, 1 / 3)!;
  expect(Math.abs(agreement - 1 / 3)).toBeLessThan(0.08);
  const even = programs.flatMap((program, i) =>
    [4, 8, 12].map((n) => String(program.states[n]) === String(states[i][n])),
  );
  expect(even.filter((same) => same).length / even.length).toBeLessThan(0.55);
});
