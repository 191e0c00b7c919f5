import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { BINS, betaOfHeads, writeHorizon } from "./beta.ts";
import { parityPrograms, recordingOf, tapOf } from "./recording.test-helper.ts";

test("a half is left after the horizon, by repeated multiplication", () => {
  expect(writeHorizon(0.5)).toBe(1);
  expect(writeHorizon(0.9)).toBeCloseTo(6.58, 2);
  expect(writeHorizon(1)).toBe(Number.POSITIVE_INFINITY);
  for (const kept of [0.3, 0.9, 0.99, 0.999]) expect(kept ** writeHorizon(kept)).toBeCloseTo(0.5, 10);
});

test("each head has its own numbers, at the place of a command where its mean is largest", () => {
  const [program] = parityPrograms(1, 4, rngFrom(1));
  // Two commands of two tokens: head 0 writes at the second of them, head 1 at the first.
  const commands = { ...program, tokens: ["x", "y", "x", "y"], places: [0, 1, 0, 1] };
  const betas = [
    [0.1, 1.5],
    [1.9, 0.2],
    [0.3, 1.7],
    [1.7, 0.2],
  ];
  const recording = recordingOf([commands], {
    "layers.3.beta": tapOf([commands], [2], (_, t) => betas[t]),
  });
  const [first, second] = betaOfHeads(recording);
  expect(first).toMatchObject({ layer: 3, head: 0, strongest: { place: 1, token: "y" } });
  expect(first.strongest.mean).toBeCloseTo(1.8, 6);
  expect(first.distanceFrom2).toBeCloseTo(0.2, 6);
  expect(first.eigenvalue).toBeCloseTo(-0.8, 6);
  expect(first.kept).toBeCloseTo(Math.sqrt(0.9 * 0.7), 6);
  expect(second).toMatchObject({ head: 1, strongest: { place: 0, token: "x" } });
  expect(second.kept).toBeCloseTo(Math.sqrt(0.5 * 0.7), 6);
});

test("every token is in one histogram and one bin of it; decay scales the eigenvalue", () => {
  const programs = parityPrograms(3, 20, rngFrom(2));
  programs[0] = {
    ...programs[0],
    classes: programs[0].classes.map((_, t) => (t < 5 ? "reveal" : "command")),
  };
  const rng = rngFrom(3);
  const beta = tapOf(programs, [1], () => [2 * rng.next()]);
  const decay = tapOf(programs, [1], () => [0.5]);
  const [plain] = betaOfHeads(recordingOf(programs, { "layers.0.beta": beta }));
  const [decayed] = betaOfHeads(recordingOf(programs, { "layers.0.beta": beta, "layers.0.decay": decay }));
  const counts = plain.classes.map((each) => [
    each.tokens,
    each.counts.length,
    each.counts.reduce((a, b) => a + b),
  ]);
  expect(counts).toEqual([
    [0, BINS, 0],
    [55, BINS, 55],
    [5, BINS, 5],
  ]);
  expect(decayed.eigenvalue).toBeCloseTo(plain.eigenvalue / 2, 10);
  expect(decayed.kept).toBeCloseTo(plain.kept / 2, 10);
  expect(betaOfHeads(recordingOf(programs, {}))).toEqual([]);
});
