import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exhibitNamed } from "../shell-game/demo-models.ts";
import { makeReader } from "../shell-game/read.ts";
import { drawn, play } from "../shell-game/session.ts";
import { makeFollower, memoryAfter, readOut, strongest } from "./memory-trace.ts";

const exhibit = exhibitNamed("deltanet-neg1-1");
const file = new Uint8Array(readFileSync(new URL("../models/deltanet-neg1-1.safetensors", import.meta.url)));
const { text, reveals } = play(drawn(8, 4, "partial", 3));
const places = reveals.map(({ before }) => before);
const follow = makeFollower(exhibit, file);

test("with no head silenced it answers as the model of the shell game; each head's read follows from what is kept", async () => {
  const { probabilities, heads, tokens } = follow(text, places, []);
  expect(tokens.join("")).toBe(text);
  expect(probabilities).toEqual((await makeReader(exhibit, file))(text, places));
  expect(heads.map(({ layer, head }) => [layer, head])).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
  for (const head of heads) {
    for (const key of head.keys) expect(Math.hypot(...key)).toBeCloseTo(1, 3);
    // One step: the value along the key is 1 - b times the old one, plus b v.
    const t = strongest(head, 30, 60);
    const [before, after] = [memoryAfter(head, t), memoryAfter(head, t + 1)];
    const along = (S: number[][], j: number) =>
      head.keys[t].reduce((sum, each, i) => sum + each * S[i][j], 0);
    for (const [j, v] of head.values[t].entries())
      expect(along(after, j)).toBeCloseTo((1 - head.beta[t]) * along(before, j) + head.beta[t] * v, 4);
  }
});

test("one head has a beta near 2 where it swaps; without all heads the model is another", () => {
  const { heads, probabilities } = follow(text, places, []);
  expect(Math.max(...heads.map(({ beta }) => Math.max(...beta)))).toBeGreaterThan(1.9);
  const silent = follow(text, places, ["0.0", "0.1", "1.0", "1.1"]).probabilities;
  expect(silent).not.toEqual(probabilities);
  const spread = silent.flat().map((share) => Math.abs(share - probabilities.flat()[0]));
  expect(Math.max(...spread)).toBeGreaterThan(0.1);
});

test("read out after each command, the variables are those of the session, and a head's query is of unit length", () => {
  const { lines, moments } = play(drawn(6, 2, "full", 5));
  for (const after of [0, 1, 2, 5]) {
    const before = lines.filter((line) => line.after <= after).map((line) => `${line.text}\n`);
    const { shares, queries } = readOut(follow, before.join(""), []);
    expect(shares.map((each) => 1 + each.indexOf(Math.max(...each)))).toEqual(moments[after]);
    for (const query of queries["1.1"]) expect(Math.hypot(...query)).toBeCloseTo(1, 3);
  }
});
