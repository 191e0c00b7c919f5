import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { programPairs } from "../../analysis/patching.ts";
import { rngFrom } from "../../core/rng.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { openTrainedRun, testAbout } from "../run/open.ts";
import { trainRun } from "../run/train.ts";
import { patchedForward } from "./patch-pairs.ts";
import { collect } from "./record-activations.ts";

const root = tmpFolder("pairs");

test("one layer with one head: what it reads where it is asked carries all, elsewhere nothing", async () => {
  const folder = join(root, "run");
  const config = RunConfig.parse({
    seed: 4,
    task: { name: "repl", variables: 3, commands: 3, spacing: 3 },
    model: { name: "deltanet", layers: 1, width: 16, heads: 1, feedForward: 16 },
    train: { steps: 2, batch: 4 },
  });
  await trainRun(folder, config, { signal: new AbortController().signal });
  const run = await openTrainedRun(folder);
  const { recording, forward, valueTokens } = await collect(run, testAbout(run, {}, 8), async () => {}, [
    "heads",
  ]);
  const pairs = programPairs(recording.programs, 8, rngFrom(1));
  expect(pairs.length).toBeGreaterThan(3);
  const vocabulary = run.data.tokenizer.tokens;
  const ask = await patchedForward(pairs, { forward, valueTokens, vocabulary, tick: async () => {} });
  const [program, changed] = [await ask("program"), await ask("changed")];
  const patched = (tokens: number[][]) => ask("changed", { layer: 0, head: 0, tokens });
  // Behind the read stand only the token's own embedding, the same in both, and what works token by token.
  const asked = await patched(pairs.map(({ position }) => [position]));
  const elsewhere = await patched(pairs.map(({ position }) => Array.from({ length: position }, (_, t) => t)));
  for (const i of pairs.keys()) {
    expect(asked[i]).toBeCloseTo(program[i], 5);
    expect(elsewhere[i]).toBeCloseTo(changed[i], 5);
    expect(Math.abs(program[i] - changed[i])).toBeGreaterThan(1e-4); // else the two lines above say nothing
  }
  await forward.release();
}, 60_000);
