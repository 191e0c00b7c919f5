import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { type OfTap, taps } from "./activations.ts";
import type { AnalysisInput } from "./analysis.ts";
import { parityPrograms, recordingOf, tapOf } from "./recording.test-helper.ts";
import type { Recording } from "./recording.ts";

const programs = parityPrograms(5, 4, rngFrom(1));
const measured = (recording: Recording) => taps.measure({ recording } as AnalysisInput) as OfTap[]; // it asks for no more

test("every tap of a number a channel is measured under its own name, whatever it is, and no other", () => {
  const found = measured(
    recordingOf(programs, {
      "layers.1.own gate": tapOf(programs, [2], () => [1, -2]),
      "layers.0.cell": tapOf(programs, [3], (i, t) => [i, t, i * t]),
      "layers.0.query": tapOf(programs, [2, 2], () => [1, 2, 3, 4]),
      "layers.0.residual": tapOf(programs, [2], () => [1, 2]),
    }),
  );
  expect(found.map(({ layer, name, channels }) => [layer, name, channels])).toEqual([
    [0, "cell", 3],
    [1, "own gate", 2],
  ]);
  const [command] = found[0].classes;
  const values = programs.flatMap((_, i) => [0, 1, 2, 3].flatMap((t) => [i, t, i * t]));
  expect(command).toMatchObject({ class: "command", values: 60 });
  expect(command.mean).toBeCloseTo(values.reduce((a, b) => a + b) / 60, 6);
  expect(command.quantiles[0]).toBe(0);
  expect(command.quantiles[4]).toBe(12);
  expect(command.counts.reduce((a, b) => a + b)).toBe(60);
  expect(command.counts.at(-1)).toBe(values.filter((value) => value >= 12 - 12 / 20).length);
  // Each command of these programs is one token; the mean over time of t is 1.5, over programs of i 2.
  expect(found[0].command).toEqual([[2], [1.5], [3]]);
  expect(found[0].tokens).toEqual(["0|1"]);
  expect(found.every(({ kept }) => kept === undefined)).toBe(true);
});

test("what a declared decay keeps is its product over the tokens of a command, and the horizon follows", () => {
  // Two tokens a command: 0.5 and 0.8, or their negatives; the second head loses nothing.
  const long = programs.map((program) => ({ ...program, places: program.places.map((_, t) => t % 2) }));
  const decay = tapOf(long, [2], (_, t) => (t % 2 === 0 ? [-0.5, 1] : [0.8, -1]));
  const [{ kept }] = measured(recordingOf(long, { "layers.0.decay": decay }, [{ keeps: "decay" }]));
  expect(kept![0].perCommand).toBeCloseTo(0.4, 6);
  expect(kept![0].horizon).toBeCloseTo(Math.log(0.5) / Math.log(0.4), 5);
  expect(kept![1]).toEqual({ perCommand: 1, horizon: Number.POSITIVE_INFINITY });
  const part = taps.part(measured(recordingOf(long, { "layers.0.decay": decay }, [{ keeps: "decay" }])), {
    accuracy: { questions: 0, accuracy: 0, interval: [0, 1], references: {}, byCommands: [] },
    of: () => undefined,
  });
  expect(part?.meaning).toEqual([
    "By decay, layer 0, channel 0, a command keeps 0.4000 of the state: half is left after 0.8 commands.",
    "By decay, layer 0, channel 1, a command keeps 1.0000 of the state: nothing is lost.",
  ]);
});
