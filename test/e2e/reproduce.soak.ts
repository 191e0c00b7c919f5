import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { experiments } from "../../experiments/index.ts";
import { ExperimentResult } from "../../src/schemas/experiment-result.ts";
import { StepRecord } from "../../src/schemas/run-config.ts";
import { readLog } from "../../src/storage/index.ts";
import { prepareTask, tasks } from "../../src/tasks/index.ts";
import { type Ended, statelab, succeed, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("reproduce");

const all = words("reproduce all --scale smoke --seed 4 --json");

let ended: Ended;
let results: ExperimentResult[];
let result: ExperimentResult;
beforeAll(async () => {
  ended = await statelab(root, ...all);
  expect(ended.code, ended.stderr).toBe(0);
  results = z.array(ExperimentResult).parse(JSON.parse(ended.stdout)); // strict: a field more or less is a mistake
  result = results.find(({ experiment }) => experiment === "headline")!; // of which most is asked below
}, 1_200_000);

const models = ["deltanet[-1,1]", "deltanet[0,1]", "lstm", "transformer"];
const shapes = [
  { commands: 4, spacing: 1, reveal: "full", reveals: 480 },
  { commands: 4, spacing: 1, reveals: 160 },
  { commands: 4, spacing: 2, reveals: 80 },
  { commands: 8, spacing: 4, reveals: 80 },
];
const tests = shapes.map(({ reveals, ...change }) => ({
  ...{ name: `${change.commands}/${change.spacing}${change.reveal ? " full" : ""}`, change },
  ...{ programs: 40, reveals },
  chance: change.reveal ? (1 / 3 + 1 / 2 + 1) / 3 : 1 / 3,
}));

/** Of the curriculum, from 0. */
const lastStage = (model: string) => {
  const folder = `runs/headline-smoke/${model === "deltanet[-1,1]" ? "deltanet-neg1-1" : model.replaceAll(/\W+/g, "-").replace(/-$/, "")}-seed-4`;
  return readLog(join(root, folder, "metrics.jsonl"), StepRecord).at(-1)!.stage;
};

test("every model is asked about every kind of program, as many as configured", () => {
  expect(result).toMatchObject({
    experiment: "headline",
    scale: "smoke",
    seeds: [4],
    device: "cpu",
    window: 4,
  });
  expect(result.results.map(({ model, seed, tested }) => ({ model, seed, tested }))).toEqual(
    models.flatMap((model) =>
      tests.map((tested, i) => ({
        ...{ model, seed: 4 },
        // Each stage of the curriculum that this run reached adds a kind of program.
        tested: { ...tested, asTrained: i <= lastStage(model) },
      })),
    ),
  );
  for (const row of result.results) {
    expect(row.references.exactBayes.accuracy).toBe(1);
    expect(row.accuracy * row.tested.reveals).toBeCloseTo(Math.round(row.accuracy * row.tested.reveals), 9);
    expect(row.accuracyByReveal.at(-1)).toBe(row.accuracyLast);
  }
});

test("the loss of every model fell by more than half, from that of a uniform guess", () => {
  const vocabulary = prepareTask(tasks.repl, {}).words.length;
  expect(result.training.map(({ model }) => model)).toEqual(models);
  for (const { points } of result.training) {
    expect(points[0].loss).toBeCloseTo(Math.log(vocabulary), 1);
    expect(points.at(-1)!.loss).toBeLessThan(points[0].loss / 2);
  }
});

test("all four models were trained on the same number of programs, of the stages that their metrics name", () => {
  for (const { model, steps, points } of result.training) {
    expect([model, steps, points.length]).toEqual([model, 40, 40]);
    expect(points[0].stage).toBe("1, full");
  }
});

test("the report, the figure and result.json stand where the document says", () => {
  expect(result.report).toBe(join("runs", "headline-smoke", "report.html"));
  expect(JSON.parse(readFileSync(join(root, "runs/headline-smoke/result.json"), "utf8"))).toEqual(
    JSON.parse(ended.stdout).find(({ experiment }: ExperimentResult) => experiment === "headline"),
  );
  const html = readFileSync(join(root, result.report), "utf8");
  for (const { label } of Object.values(result.models)) expect(html).toContain(label);
  expect(/<link|<script[^>]* src|<img|@import|url\(/.exec(html)).toBeNull(); // opens offline
  expect(existsSync(join(root, "runs/headline-smoke/figures/headline-1.svg"))).toBe(true);
});

/** A folder of results, without the runs. */
const gathered = join(root, "gathered");

test("--evidence gathers results of laptop scale into a page, leaves smoke out, and keeps what has no folder any more", async () => {
  mkdirSync(join(gathered, "runs/headline-smoke"), { recursive: true });
  writeFileSync(join(gathered, "runs/headline-smoke/result.json"), JSON.stringify(result));
  const laptop = { ...result, scale: "laptop", findings: ["It did not track"] };
  mkdirSync(join(gathered, "runs/headline"), { recursive: true });
  writeFileSync(join(gathered, "runs/headline/result.json"), JSON.stringify(laptop));
  const first = await statelab(gathered, "reproduce --evidence --json");
  expect(first.code, first.stderr).toBe(0);
  const { wrote, entries } = JSON.parse(first.stdout);
  expect(entries).toHaveLength(1);
  expect(wrote.map((path: string) => path.replaceAll("\\", "/"))).toEqual([
    "evidence/headline/laptop.json",
    "docs/results/index.md",
    "evidence/README.md",
  ]);
  rmSync(join(gathered, "runs/headline"), { recursive: true });
  const second = await statelab(gathered, "reproduce --evidence --json");
  expect(JSON.parse(second.stdout)).toMatchObject({ read: [expect.stringContaining("headline-smoke")] });
  expect(existsSync(join(gathered, "evidence/headline/smoke.json"))).toBe(false);
  expect(existsSync(join(gathered, "evidence/headline/rows.jsonl"))).toBe(true);
  const page = readFileSync(join(gathered, "docs/results/index.md"), "utf8");
  expect(page).toContain("[Which sequence models follow the state of a Python session?](headline.md)");
  const index = readFileSync(join(gathered, "evidence/README.md"), "utf8");
  for (const name of Object.keys(experiments))
    expect(index).toMatch(new RegExp(`^\\| \\[?${name}[\\] ]`, "m"));
  expect(index).toMatch(/\| \[\d+\]\(headline\/rows\.jsonl\) \|/);
});

test("--evidence names a damaged result and changes nothing", async () => {
  const before = readFileSync(join(gathered, "evidence/headline/laptop.json"), "utf8");
  mkdirSync(join(gathered, "runs/headline"), { recursive: true });
  writeFileSync(join(gathered, "runs/headline/result.json"), '{"version": 2, "exp');
  const { code, stderr } = await statelab(gathered, "reproduce --evidence");
  rmSync(join(gathered, "runs/headline"), { recursive: true });
  expect(code).toBe(3);
  expect(stderr).toMatch(/^statelab: runs.headline.result\.json: expected JSON/);
  expect(readFileSync(join(gathered, "evidence/headline/laptop.json"), "utf8")).toBe(before);
});

test("the document of one experiment is no list, and is what its result.json holds", async () => {
  const name = "marginal-adversary";
  const call = ["reproduce", name, ...words("--scale smoke --out single --json")];
  const { stdout } = await statelab(root, ...call);
  expect(ExperimentResult.parse(JSON.parse(stdout))).toMatchObject({ experiment: name, seeds: [0] });
  const file = join(root, "single", `${name}-smoke`, "result.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(stdout));
  const before = join(root, "single", `${name}-smoke`, "result.before.json");
  expect(existsSync(before)).toBe(false);
  const again = await statelab(root, ...call, "--seed", "1");
  expect(again.stderr).toContain(
    `${name} in ${join("single", `${name}-smoke`)} is finished and starts again; its earlier result is result.before.json`,
  );
  expect(JSON.parse(readFileSync(before, "utf8"))).toEqual(JSON.parse(stdout));
  expect(JSON.parse(readFileSync(file, "utf8")).seeds).toEqual([1]);
}, 60_000);

test("a finished experiment that is asked for more seeds trains those alone, and ends as one that was asked for all", async () => {
  const [name, folder] = ["arithmetic-searched", "arithmetic-searched-smoke"];
  const call = (out: string, ...seeds: string[]) =>
    statelab(root, "reproduce", name, ...words("--scale smoke --json --out"), out, ...seeds);
  const first = await call("growing", "--seed", "1");
  // It has the seconds of every step, which no second training repeats.
  const log = () =>
    readFileSync(join(root, "growing", folder, "to-5-deltanet-neg1-1-seed-1", "metrics.jsonl"), "utf8");
  const trained = log();
  const more = await call("growing", "--seed", "1", "--seeds", "2");
  expect(more.stderr).toContain("continues with more seeds");
  expect(log()).toBe(trained);
  const before = join(root, "growing", folder, "result.before.json");
  expect(JSON.parse(readFileSync(before, "utf8"))).toEqual(JSON.parse(first.stdout));
  const whole = await call("whole", "--seed", "1", "--seeds", "2");
  const measured = ({ stdout }: Ended) => {
    const { results, claims, seeds } = ExperimentResult.parse(JSON.parse(stdout));
    return { results, claims, seeds };
  };
  expect(measured(more)).toEqual(measured(whole));
  // Fewer seeds, or others, are another question.
  const other = await call("growing", "--seed", "2", "--seeds", "2");
  expect(other.stderr).toContain("starts again");
  expect(log()).toBe(trained); // and of seeds that are not asked for nothing is removed
}, 60_000);

test("all runs every experiment once; called again it passes over what is finished", async () => {
  expect(results.map(({ experiment }) => experiment)).toEqual(Object.keys(experiments));
  for (const { experiment, claims, results: rows, measurements, labels } of results) {
    expect(rows.length + measurements.length).toBeGreaterThan(0);
    // a question of our own has no published number
    expect(claims.length > 0, experiment).toBe(experiment !== "repl-losses");
    for (const { name, at, values } of measurements) {
      expect(Object.keys(labels)).toContain(name);
      expect(Object.keys(labels[name].at)).toEqual(expect.arrayContaining(Object.keys(at)));
      expect(Object.keys(labels[name].values)).toEqual(expect.arrayContaining(Object.keys(values)));
    }
  }
  const found = Object.fromEntries(results.map((each) => [each.experiment, each]));
  const claimed = (name: string, words: string) =>
    found[name].claims.find(({ statement }) => statement.includes(words))!;
  // Numbers that even a small run has right: within five standard errors, and by arithmetic.
  const exact = claimed("mass-decay", "exact filter: five variables, swap probability 0.5, a reveal every 1");
  expect(Math.abs(exact.values[0] - exact.published!)).toBeLessThan(5 * (exact.errors![0] + 0.006));
  expect(claimed("marginal-adversary", "simplest cycle").values[0]).toBeCloseTo(Math.LN2 / 2, 9);
  const nats = found["belief-models"].measurements;
  expect(new Set(nats.map(({ model }) => model)).size).toBe(5);
  for (const { values } of nats) expect(values.above).toBeCloseTo(values.nats - values.exact, 9);
  const before = performance.now();
  const second = await statelab(root, ...all);
  expect(second.stdout).toBe(ended.stdout);
  expect(performance.now() - before).toBeLessThan(10_000);
}, 60_000);

test("called again after a run has failed, it goes on with that run and keeps the others", async () => {
  const home = join(root, "runs/olmo-table-smoke");
  const file = join(home, "result.json");
  const whole = results.find(({ experiment }) => experiment === "olmo-table")!;
  const broken = {
    ...whole,
    results: whole.results.filter(({ model }) => model !== "transformer"),
    failures: ["transformer: it was stopped"],
  };
  writeFileSync(file, JSON.stringify(ExperimentResult.parse(broken)));
  for (const setting of ["state", "recall"])
    rmSync(join(home, `${setting}-transformer-seed-4`), { recursive: true });
  const kept = join(home, "state-hybrid-neg1-1-seed-4", "kept"); // whose configuration has lists and objects in it
  writeFileSync(kept, "");
  const { stdout } = await succeed(root, "reproduce olmo-table --scale smoke --seed 4 --json");
  const mended = ExperimentResult.parse(JSON.parse(stdout));
  expect(mended.results).toEqual(whole.results);
  expect(mended.failures).toBeUndefined();
  expect(existsSync(kept)).toBe(true);
}, 60_000);
