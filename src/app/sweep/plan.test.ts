import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { planSweep, type SweepRequest } from "./plan.ts";

const scratch = tmpFolder("plan");
let root = "";
beforeEach(() => {
  root = mkdtempSync(join(scratch, "x-"));
  writeFileSync(
    join(root, "small.yaml"),
    "seed: 5\ntask: { name: repl }\nmodel: { name: deltanet, width: 16, heads: 2 }\ntrain: { steps: 9 }\n",
  );
});

const plan = (request: Partial<SweepRequest> = {}) =>
  planSweep({
    file: join(root, "small.yaml"),
    settings: [],
    over: [],
    seeds: 1,
    folder: join(root, "out"),
    overwrite: false,
    ...request,
  });

test("every setting is planned with every seed from the file's on, one thread each, in folders that say it", async () => {
  const runs = await plan({
    over: ["model.betaMax=1,2", "train.batch=4,8"],
    seeds: 2,
  });
  expect(runs.map(({ folder }) => folder.slice(root.length + 1))).toEqual(
    ["1", "2"].flatMap((beta) =>
      ["4", "8"].flatMap((batch) =>
        ["5", "6"].map((seed) => join("out", `betaMax=${beta},batch=${batch}`, `seed-${seed}`)),
      ),
    ),
  );
  expect(runs.map(({ config }) => [config.model.betaMax, config.train.batch, config.seed])).toEqual(
    [1, 2].flatMap((beta) => [4, 8].flatMap((batch) => [5, 6].map((seed) => [beta, batch, seed]))),
  );
  expect(new Set(runs.map(({ config }) => config.threads))).toEqual(new Set([1]));
});

test("without --grid the runs lie directly in the folder; --seed is the first of them; --set comes before --grid", async () => {
  const runs = await plan({ settings: ["train.steps=3"], seeds: 2, firstSeed: 1 });
  expect(runs.map(({ folder, config }) => [folder, config.train.steps])).toEqual([
    [join(root, "out", "seed-1"), 3],
    [join(root, "out", "seed-2"), 3],
  ]);
  const [over] = await plan({ settings: ["train.steps=3"], over: ["train.steps=4"] });
  expect(over.config.train.steps).toBe(4);
});

test.each<[Partial<SweepRequest>, RegExp]>([
  [
    { over: ["model.betaMx=1,2"] },
    /^with model\.betaMx=1: .*small\.yaml, model: .*got "betaMx"\. Did you mean betaMax/,
  ],
  [{ over: ["model.betaMax=2,3"] }, /^with model\.betaMax=3: .*expected betaMax to be 1 or 2, got 3/],
  [{ over: ["evaluate.settings=[{spcing: 1}]"] }, /evaluate\.settings\.0: .*"spcing"/],
  [{ over: ["model.name=deltanet,lstn"] }, /^with model\.name="lstn": .*Did you mean lstm|expected one of/],
  [{ settings: ["train.stpes=3"] }, /small\.yaml: expected a known key in train, got "stpes"/],
  [{ file: "nowhere.yaml" }, /^nowhere\.yaml: expected a readable YAML file/],
])("%j is refused in one sentence, before anything is written", async (request, sentence) => {
  await expect(plan(request)).rejects.toThrow(
    expect.objectContaining({ kind: "usage", message: expect.stringMatching(sentence) }),
  );
  expect(readdirSync(root)).toEqual(["small.yaml"]);
});

test("a folder with another run or with other files is refused; with --overwrite that is for createRun to say", async () => {
  const folder = join(root, "out", "seed-5");
  mkdirSync(folder, { recursive: true });
  expect(await plan()).toMatchObject([{ done: 0, known: undefined }]);
  writeFileSync(join(folder, ".config.json.1a2b.tmp"), "killed while it was written");
  expect(await plan()).toMatchObject([{ done: 0 }]);
  writeFileSync(join(folder, "thesis.tex"), "...");
  await expect(plan()).rejects.toThrow(/seed-5: expected a run of this sweep or nothing, got "thesis\.tex"/);
  const [{ config }] = await plan({ overwrite: true });
  const other = { ...config, task: { name: "parity" }, statelab: "0.0.9" };
  writeFileSync(join(folder, "config.json"), JSON.stringify(other));
  await expect(plan()).rejects.toThrow(
    /config\.json: expected task\.name to be "repl", as in this sweep, got "parity"\. Replace the run with --overwrite/,
  );
  writeFileSync(join(folder, "config.json"), '{"seed":');
  await expect(plan()).rejects.toThrow(expect.objectContaining({ kind: "corrupt" }));
});
