/** @file A recording made by hand, for tests: programs of parity with whatever a test puts into the taps. */

import type { Rng } from "../core/rng.ts";
import type { LayerTraits, Program, Recording, Tap } from "./recording.ts";

/** One command a token; the first variable is asked for after each. */
export const programOf = (letters: readonly string[], states: readonly (readonly number[])[]): Program => ({
  ...{ tokens: letters, letters, states },
  classes: letters.map(() => "command"),
  places: letters.map(() => 0),
  commands: letters.map((_, t) => t + 1),
  ends: [-1, ...letters.keys()],
  questions: letters.map((_, position) => ({ position, variable: 0, value: states[position + 1][0] })),
});

/** Bits and their parity, asked after each. */
export function parityPrograms(count: number, length: number, rng: Rng): Program[] {
  return Array.from({ length: count }, () => {
    const bits = Array.from({ length }, () => rng.below(2));
    const states = [[0]];
    for (const bit of bits) states.push([(states.at(-1) as number[])[0] ^ bit]);
    return programOf(bits.map(String), states);
  });
}

/** A tap [programs, T, ...rest] filled by `row(program, t)`. */
export function tapOf(
  programs: readonly Program[],
  rest: readonly number[],
  row: (program: number, t: number) => readonly number[],
): Tap {
  const length = Math.max(...programs.map(({ tokens }) => tokens.length));
  const width = rest.reduce((product, size) => product * size, 1);
  const data = new Float32Array(programs.length * length * width);
  for (const [i, { tokens }] of programs.entries())
    for (let t = 0; t < tokens.length; t++) data.set(row(i, t), (i * length + t) * width);
  return { shape: [programs.length, length, ...rest], data };
}

/** A model that is always right; its layers have a beta up to 2 where `layers` does not say what they are. */
export function recordingOf(
  programs: readonly Program[],
  taps: Recording["taps"],
  layers?: readonly LayerTraits[],
): Recording {
  const answers = programs.map(({ questions }) => questions.map(({ value }) => value));
  const count = 1 + Math.max(-1, ...Object.keys(taps).map((name) => Number(name.split(".")[1])));
  const gate = { tap: "beta", maximum: 2 };
  return {
    layers: layers ?? new Array<LayerTraits>(count).fill({ gate }),
    values: ["0", "1"],
    programs,
    taps,
    answers,
  };
}
