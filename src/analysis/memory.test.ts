import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { layersWithMemory, runMemory } from "./memory.ts";
import { parityPrograms, recordingOf, tapOf } from "./recording.test-helper.ts";

test("swaps along (e_i - e_j)/√2 with beta 2 exchange rows, and a decay of a half halves them", () => {
  const [program] = parityPrograms(1, 4, rngFrom(1));
  const r = Math.SQRT1_2;
  const keys = [
    [1, 0],
    [0, 1],
    [r, -r],
    [r, -r],
  ];
  const values = [[5], [7], [0], [0]];
  const taps = {
    "layers.0.key": tapOf([program], [1, 2], (_, t) => keys[t]),
    "layers.0.value": tapOf([program], [1, 1], (_, t) => values[t]),
    "layers.0.beta": tapOf([program], [1], (_, t) => [t < 2 ? 1 : 2]),
    "layers.0.heads": tapOf([program], [1, 1], () => [0]),
  };
  const seen: number[][] = [];
  const recording = recordingOf([program], taps);
  const keep = (_: number, memory: Float64Array) =>
    seen.push(Array.from(memory, (x) => Math.round(1e4 * x) / 1e4 + 0));
  runMemory(recording, { layer: 0, head: 0 }, 0, keep);
  expect(seen).toEqual([
    [5, 0],
    [5, 7],
    [7, 5],
    [5, 7],
  ]);
  seen.length = 0;
  const decay = tapOf([program], [1], (_, t) => [t === 2 ? 0.5 : 1]);
  runMemory({ ...recording, taps: { ...taps, "layers.0.decay": decay } }, { layer: 0, head: 0 }, 0, keep);
  expect(seen[2]).toEqual([3.5, 2.5]);
  expect(layersWithMemory(recording)).toEqual([0]);
});
