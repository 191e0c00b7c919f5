import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { parseAnalysis } from "../../analysis/document.ts";
import { analysisNames } from "../../analysis/index.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { openTrainedRun } from "../run/open.ts";
import { trainRun } from "../run/train.ts";
import { analyseRun } from "./analyze.ts";
import { analyseFolder, readAnalysis } from "./folder.ts";

const root = tmpFolder("analyse");
const folder = join(root, "parity");
const { signal } = new AbortController();

/** One layer of DeltaNet with reflections, parity of 12 bits, asked after each: a few seconds. */
beforeAll(async () => {
  const config = RunConfig.parse({
    seed: 2,
    task: { name: "parity", length: 12, targets: "each" },
    model: { name: "deltanet", layers: 1, width: 16, heads: 2, feedForward: 32, convolution: 0, betaMax: 2 },
    train: { steps: 300, batch: 32, learningRate: 0.02, warmupSteps: 10 },
    evaluate: { examples: 50, settings: [{ length: 20 }] },
  });
  await trainRun(folder, config, { signal });
}, 120_000);

const options = {
  folder,
  change: { length: 20 },
  programs: 60,
  seed: 0,
  command: "statelab analyze parity",
  tick: async () => {},
};

test("a trained tracker of parity has the automaton of parity, and only what it needs costs accuracy", async () => {
  const run = await openTrainedRun(folder);
  const found = await analyseRun(run, { ...options, only: ["beta", "ablation", "probes", "automaton"] });
  expect(found.measured.accuracy).toBe(1);
  expect(found.automaton).toMatchObject({ equivalent: true, states: 2, trueStates: 2 });
  expect(found.automaton?.words.agreeing).toBe(found.automaton?.words.words);
  expect(found.automaton?.collapse).toBeLessThan(0.7);
  // The head with the largest beta on bits is the one that is needed.
  const heads = found.beta?.heads ?? [];
  const drops = heads.map(
    ({ layer, head }) =>
      found.ablation?.silenced.find(
        (each) => each.layer === layer && each.head === head && each.kind === "mean",
      )?.drop ?? 0,
  );
  expect(Math.max(...drops)).toBeGreaterThan(0.3);
  const read = found.probes?.probes.find(({ site, place }) => site === "residual 0" && place === 0);
  expect(read?.scores.state?.accuracy).toBeGreaterThan(0.95);
  expect(read?.scores.random?.accuracy).toBeLessThan(0.7);
  // The same seed, the same document.
  expect(await analyseRun(run, { ...options, only: ["ablation"] })).toMatchObject({
    ablation: found.ablation,
  });
}, 60_000);

test("a network that has learned a language has its automaton, though membership does not tell what comes next", async () => {
  const own = join(root, "tomita");
  const config = RunConfig.parse({
    seed: 3,
    task: { name: "tomita", language: 2, length: [1, 12], targets: "each" },
    model: { name: "sr-gru", layers: 1, width: 16, feedForward: 32, centroids: 8, temperature: 1 },
    train: { steps: 600, batch: 32, learningRate: 0.01, warmupSteps: 10 },
    evaluate: { examples: 50, settings: [{ length: 12 }] },
  });
  await trainRun(own, config, { signal });
  const given = { ...options, folder: own, change: { length: 12 }, programs: 100 };
  const found = await analyseRun(await openTrainedRun(own), { ...given, only: ["automaton"] });
  expect(found.measured.accuracy).toBe(1);
  expect(found.automaton).toMatchObject({ equivalent: true, states: 3, trueStates: 3 });
}, 120_000);

test("what is written is read again by its schema, and another key is refused", async () => {
  const settings = ["length=16"];
  const { document, page } = await analyseFolder(folder, { ...options, settings, only: analysisNames });
  expect(page).toBe(join(folder, "analysis", "report.html"));
  const again = await readAnalysis(join(folder, "analysis"));
  expect(again).toEqual(document);
  expect(document.missing).toMatchObject({ attention: expect.any(String) });
  expect(Object.keys(again)).toEqual(expect.arrayContaining(["beta", "ablation", "patching", "automaton"]));
  expect(readFileSync(page, "utf8")).toContain(options.command);
  expect(existsSync(join(folder, "analysis", "figures", "beta-command.svg"))).toBe(true);
  const text = JSON.stringify({ ...document, betas: [] });
  expect(() => parseAnalysis(text, "analysis.json")).toThrow(
    /analysis\.json: expected a known key, got "betas"/,
  );
}, 60_000);

test("a second analysis of the same programs joins the folder of the first; one of other programs has its own folder", async () => {
  const analysed = async (only: "beta" | "keys", settings = ["length=14"]) => {
    const { page } = await analyseFolder(folder, { ...options, programs: 12, settings, only: [only] });
    return [page, readFileSync(page, "utf8"), await readAnalysis(dirname(page))] as const;
  };
  rmSync(join(folder, "analysis"), { recursive: true });
  const [, , { beta }] = await analysed("beta");
  const both = await analysed("keys");
  expect(both[2]).toMatchObject({ beta, keys: expect.anything() });
  expect(both[1].match(/<h2>/g)).toHaveLength(2);
  const [other, , elsewhere] = await analysed("keys", ["length=10"]);
  expect(await readAnalysis(dirname(both[0]))).toEqual(both[2]);
  expect(readFileSync(both[0], "utf8")).toBe(both[1]);
  expect(other).toBe(join(folder, "analysis-2", "report.html"));
  expect(elsewhere.task).toMatchObject({ length: 10 });
}, 60_000);

test("progress goes from 0 to what there is to do, one step at a time, and is true to the runs of the model", async () => {
  const seen = new Map<string, [done: number, of: number][]>();
  const run = await openTrainedRun(folder);
  await analyseRun(run, {
    ...options,
    only: analysisNames,
    tick: async (name, done, of) => {
      seen.set(name, [...(seen.get(name) ?? []), [done, of]]);
    },
  });
  expect([...seen.keys()]).toEqual(["reading", ...analysisNames]);
  for (const [name, ticks] of seen) {
    const steps = ticks.filter(([done]) => done > 0); // 0 says that it begins, or that programs are still drawn
    const [, of] = steps.at(-1)!; // every analysis ends with one
    if (name === "attention") continue; // there is none in this model
    expect(steps, name).toEqual(Array.from({ length: of }, (_, i) => [i + 1, of]));
  }
  // 60 programs are 3 runs of the model: read whole, then with each of 2 heads silenced in two ways.
  expect([seen.get("reading"), seen.get("ablation")].map((ticks) => ticks?.at(-1))).toEqual([
    [3, 3],
    [15, 15],
  ]);
}, 60_000);

test("beta of each layer of a hybrid lies in the range of that layer", async () => {
  const hybrid = join(root, "hybrid");
  const config = RunConfig.parse({
    task: { name: "parity", length: 8 },
    model: {
      ...{ name: "hybrid", layers: 2, width: 8, pattern: ["gated-deltanet", "deltanet"] },
      ...{ "gated-deltanet": { betaMax: 1 } },
    },
    train: { steps: 1, batch: 4 },
  });
  await trainRun(hybrid, config, { signal });
  const { beta } = await analyseRun(await openTrainedRun(hybrid), {
    ...options,
    ...{ change: { length: 12 }, only: ["beta"] },
  });
  expect(beta?.betaMax).toBe(2);
  expect(beta?.heads.map(({ layer, maximum }) => [layer, maximum])).toEqual([
    [0, 1],
    [0, 1],
    [1, 2],
    [1, 2],
  ]);
  // Untrained, beta is in the middle of its range.
  for (const { classes } of beta?.heads ?? []) {
    const { counts, tokens } = classes.find(({ class: name }) => name === "command")!;
    expect(counts.slice(8, 12).reduce((sum, count) => sum + count, 0)).toBe(tokens);
  }
}, 60_000);
