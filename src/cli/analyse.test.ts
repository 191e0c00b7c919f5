import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunConfig } from "../records/run.ts";
import { analyseRun } from "../work/inspect/analyse.ts";
import { trainNew } from "../work/run/train.ts";
import { openTrained } from "../work/run/trained.ts";
import { command } from "./analyse.ts";

const root = mkdtempSync(join(tmpdir(), "statelab-analyse-"));
const folder = join(root, "parity");
const { signal } = new AbortController();
afterAll(() => rmSync(root, { recursive: true }));

/** One layer of DeltaNet with reflections, parity of 12 bits, asked after each: a few seconds. */
beforeAll(async () => {
  const config = RunConfig.parse({
    seed: 2,
    task: { name: "parity", length: 12, targets: "each" },
    model: { name: "deltanet", layers: 1, width: 16, heads: 2, feedForward: 32, convolution: 0, betaMax: 2 },
    train: { steps: 300, batch: 32, learningRate: 0.02, warmupSteps: 10 },
    evaluate: { programs: 50, tests: [{ length: 20 }] },
  });
  await trainNew(folder, config, { signal });
}, 120_000);

const options = {
  folder,
  change: { length: 20 },
  programs: 60,
  seed: 0,
  command: "statelab analyse parity",
  tick: async () => {},
};

test("a trained tracker of parity has the automaton of parity, and only what it needs costs accuracy", async () => {
  const run = await openTrained(folder);
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

test("the command writes page, figures and document, and prints the document with --json", async () => {
  const printed: string[] = [];
  const said: string[] = [];
  const code = await command.run({
    positionals: [folder],
    values: { set: ["length=16"], programs: "20", only: "beta,keys,trajectories", out: undefined, seed: "1" },
    json: true,
    signal,
    print: (text) => printed.push(text),
    say: (text) => said.push(text),
  });
  expect(code).toBe(0);
  const document = JSON.parse(printed[0]);
  expect(document).toEqual(JSON.parse(readFileSync(join(folder, "analysis", "analysis.json"), "utf8")));
  expect(Object.keys(document)).toEqual(expect.arrayContaining(["beta", "keys", "trajectories"]));
  expect(document.programs).toBe(20);
  const page = readFileSync(join(folder, "analysis", "report.html"), "utf8");
  expect(page).toContain("statelab analyse");
  expect(page.match(/<h2>/g)).toHaveLength(3);
  expect(existsSync(join(folder, "analysis", "figures", "beta-command.svg"))).toBe(true);
}, 60_000);

test("a wrong name, a run that is not there and a task without such programs are refused in a sentence", async () => {
  const call = (positionals: string[], values: object) =>
    command.run({
      positionals,
      values: { set: [], programs: "20", only: undefined, out: undefined, seed: "0", ...values },
      json: false,
      signal,
      print: () => {},
      say: () => {},
    });
  await expect(call([folder], { only: "betas" })).rejects.toThrow(/--only: expected one of beta, ablation/);
  await expect(call([folder], { programs: "1" })).rejects.toThrow(
    /--programs: expected an integer of at least 10/,
  );
  await expect(call([join(root, "nothing")], {})).rejects.toThrow(/nothing/);
});
