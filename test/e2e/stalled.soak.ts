import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { statelab, succeed, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("stalled");
const at = (...parts: string[]) => join(root, ...parts);
const run = (...args: string[]) => statelab(root, ...args);
const json = (...path: string[]) => JSON.parse(readFileSync(at(...path), "utf8"));

/** Six steps are not enough to be always right. */
const config = `
task: { name: repl, variables: 3, commands: 4 }
model: { name: gru, layers: 1, width: 8 }
train: { steps: 6, batch: 4 }
curriculum: { stages: [[{ spacing: 1 }], [{ spacing: 2 }], [{ spacing: 4 }]], threshold: 1 }
evaluate: { examples: 10, settings: [{ spacing: 4 }] }
`;
const sentence = "trained in 1 of 3 stages of its curriculum; never on spacing 2, nor spacing 4";
const stalled = { reached: 1, of: 3, never: ["spacing 2", "spacing 4"] };

beforeAll(async () => {
  writeFileSync(at("run.yaml"), config);
  const { stderr } = await succeed(root, "train run.yaml --out one");
  expect(stderr).toContain(`statelab: one: ${sentence}`);
}, 60_000);

test("evaluate, analyse and their documents say which stages were never trained", async () => {
  const evaluated = await run("evaluate one");
  expect(evaluated.stderr).toContain(`statelab: one: ${sentence}`);
  expect(json("one", "evaluation.json").stalled).toEqual(stalled);
  const analysed = await run("analyze one --only mistakes --programs 10");
  expect(analysed.stderr).toContain(sentence);
  expect(json("one", "analysis", "analysis.json").stalled).toEqual(stalled);
  expect(readFileSync(at("one", "analysis", "report.html"), "utf8")).toContain(sentence);
});

test("sweep and compare say it of each run, also when it was finished before", async () => {
  const sweep = words("sweep run.yaml --grid model.width=8,10 --out sweep");
  for (const _ of [1, 2]) {
    const { stderr } = await succeed(root, ...sweep);
    for (const width of [8, 10])
      expect(stderr).toContain(`statelab: sweep/width=${width}/seed-0: ${sentence}`);
    expect(json("sweep", "sweep.json").runs.map((each: { stalled: unknown }) => each.stalled)).toEqual([
      stalled,
      stalled,
    ]);
  }
  const { stderr } = await run("compare sweep/width=8 sweep/width=10");
  expect(stderr).toContain(`statelab: sweep/width=10/seed-0: ${sentence}`);
});

test("nothing is said of a run that came to its last stage, or of one without stages", async () => {
  const { stderr } = await run("train run.yaml --out through --set curriculum.maxStepsPerStage=2");
  expect(stderr).not.toContain("never on");
  const [last] = json("through", "checkpoints", "6", "state.json").state.stageStarts.slice(-1);
  expect(last).toBe(5);
  for (const command of [
    ["evaluate", "through"],
    ["compare", "through", "one"],
  ]) {
    const said = (await run(...command)).stderr;
    expect(said).not.toContain("through: trained in");
  }
});
