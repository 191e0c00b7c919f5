/** @file What is known of a gated memory unit beyond what the suite asks: whose readout it takes. */

import { expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { rngFrom } from "../core/rng.ts";
import {
  furthest,
  parameterData,
  randomTokens,
  runParallel,
  small,
  toRows,
  varied,
} from "./conformance.test-helper.ts";
import { configureModel, modelNamed } from "./index.ts";
import { weightsOf } from "./naive.ts";
import { naive } from "./training.test-helper.ts";

const d = 8;
const model = small("hybrid", { pattern: ["deltanet", "gmu"] });
const tree = varied(model);
const weights = weightsOf(tree);
const tokens = randomTokens(rngFrom(51), 2, 14);

test("a head of the giver that is taken out is taken out of what it gives", async () => {
  const interventions = { "interventions.0.scale": Float32Array.of(1, 0) };
  const ablated = await runParallel(model, tree, tokens, { interventions, taps: true });
  const head = ablated.taps["layers.1.heads"]; // [B, T, 1, d]: the gate times the readout
  const silent = toRows(head.data, 2, 14).flatMap((rows) => rows.flatMap((row) => row.slice(d / 2)));
  expect(new Set(silent.map(Math.abs))).toEqual(new Set([0]));
  // Of both layers the rows of the output projection that meet the head are then as good as zero.
  const without = (path: string) => weights[path].map((row, i) => (i >= d / 2 ? row.map(() => 0) : row));
  const changed = {
    ...weights,
    ...Object.fromEntries(["layers.0.mixer.out", "layers.1.mixer.out"].map((path) => [path, without(path)])),
  };
  const wanted = tokens.map((row) => naive(model, changed, row));
  expect(furthest(ablated.logits, wanted)).toBeLessThan(1e-4);
  // Out of the giver's output alone it is still in the readout.
  const half = { ...weights, "layers.0.mixer.out": without("layers.0.mixer.out") };
  const seen = tokens.map((row) => naive(model, half, row));
  expect(furthest(ablated.logits, seen)).toBeGreaterThan(1e-2);
});

test("what is taken is the readout of the nearest layer below that has one, by all above it", async () => {
  const pattern = ["lstm", "deltanet", "s5", "gmu", "gmu"];
  const deep = small("hybrid", { layers: 5, pattern, s5: { stateSize: 4 } });
  const { taps } = await runParallel(deep, varied(deep), tokens, { taps: true });
  const of = (name: string) => [...taps[name].data];
  const read = of("layers.1.heads");
  for (const layer of [3, 4]) {
    const gate = of(`layers.${layer}.gate`);
    const wanted = read.map((each, i) => each * gate[i]);
    expect(furthest(of(`layers.${layer}.heads`), wanted)).toBeLessThan(1e-6);
  }
});

test.each([
  [
    { name: "gmu" },
    'run.yaml: expected below gmu, layer 0, a layer that offers its readout, got "none". docs/models.md says which do',
  ],
  [
    { name: "hybrid", pattern: ["gmu", "deltanet"] },
    'run.yaml: expected below gmu, layer 0, a layer that offers its readout, got "none". docs/models.md says which do',
  ],
  [
    { name: "hybrid", pattern: ["gru", "gmu"] },
    'run.yaml: expected below gmu, layer 1, a layer that offers its readout, got ["gru"]. docs/models.md says which do',
  ],
])("%j has no readout to take, and is refused when it is configured", (config, sentence) => {
  expect(() => configureModel(modelNamed(config.name), config, 11, "run.yaml")).toThrow(
    new LabError(sentence),
  );
});

test("over attention it may stand behind trained vectors in front of the text, as it carries nothing itself", async () => {
  const prefixed = small("hybrid", { pattern: ["transformer", "gmu"], initialState: "trained" });
  const own = varied(prefixed);
  expect(Object.keys(parameterData(own))).toContain("initialState.prefix");
  const plain = small("hybrid", { pattern: ["transformer", "gmu"] });
  const rest = Object.fromEntries(
    Object.entries(own).filter(([name]) => name !== "initialState"),
  ) as typeof own; // the tree without the learned prefix
  const [before, behind] = [await runParallel(plain, rest, tokens), await runParallel(prefixed, own, tokens)];
  expect(furthest(before.logits, behind.logits)).toBeGreaterThan(1e-2);
});
