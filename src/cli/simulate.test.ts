import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { measured } from "../core/format.ts";
import { parseCommandLine } from "./lib/command.ts";
import { command } from "./simulate.ts";

const root = tmpFolder("simulate");
const at = (name: string) => join(root, name);
writeFileSync(
  at("plan.yaml"),
  "runs: 10\nrun: { seconds: { exponential: 60 }, checkpointSeconds: 20 }\nclusters: [{ name: ours, nodes: 3 }]\n",
);

/** The command as main calls it, without a process of its own. */
async function call(...args: string[]) {
  const { positionals, values, json } = parseCommandLine(command, args);
  const [out, words]: [string[], string[]] = [[], []];
  const code = await command.run({
    ...{ positionals, values, json, signal: new AbortController().signal },
    print: (text) => out.push(text),
    say: (text) => words.push(text),
  });
  return { code, out: out.join("\n"), words };
}

test("a table of what was varied, with the mean and the range of the seeds; the figure holds the same numbers", async () => {
  const figure = at("figure.svg");
  const study = [at("plan.yaml"), "--over", "run.checkpointSeconds=10,20", "--seeds", "3"];
  const { code, out } = await call(...study, "--figure", figure, "--show", "used");
  expect(code).toBe(0);
  expect(out.split("\n")).toHaveLength(3);
  expect(out).toMatch(/checkpointSeconds=10 +.* s \(.* to .*\) +[\d.]+.% \(.*\) .* 10 +0$/m);
  const { settings } = JSON.parse((await call(...study, "--json")).out);
  expect(settings).toHaveLength(2);
  const seeds = settings[0].results.map(({ seed, makespanSeconds }: Record<string, number>) => [
    seed,
    makespanSeconds,
  ]);
  expect(new Set(seeds.map(([, makespan]: number[]) => makespan)).size).toBe(3);
  const svg = readFileSync(figure, "utf8");
  expect(svg).toContain("share of slot time that became work");
  const mean = settings[0].results.reduce((sum: number, { used }: { used: number }) => sum + used, 0) / 3;
  expect(svg).toContain(`${measured(100 * mean)} at 10`);
});

test("--print gives the plan back, changed, as YAML that is a plan again", async () => {
  const { out } = await call(at("plan.yaml"), "--set", "runs=11", "--print");
  writeFileSync(at("again.yaml"), out);
  expect(out).toContain("runs: 11\n");
  const results = async (...args: string[]) => JSON.parse((await call(...args, "--json")).out);
  expect(await results(at("again.yaml"))).toEqual(await results(at("plan.yaml"), "--set", "runs=11"));
});

test("of one setting it says where the time of each cluster's slots went", async () => {
  const { out } = await call(at("plan.yaml"), "--set", "clusters.0.nodes=1");
  expect(out).toMatch(/\nslot time +ours\nruns +10\n/);
  expect(out).toMatch(/\nwork +(100\.0|>99\.9).%\n/);
});

test.each([
  [["none.yaml"], "none.yaml: expected an existing file, got "],
  [["plan.yaml", "--set", "run.second=3"], "Did you mean run.seconds?"],
  [["plan.yaml", "--set", "clusters=[]"], "expected clusters to be at least 1 elements long"],
  [["plan.yaml", "--set", "clusters.0.share=0"], "clusters: expected a share above 0, got [0]"],
  [["plan.yaml", "--over", "runs=1,0"], "with runs=0: "],
  [["plan.yaml", "--print", "--set", "runs=x"], "expected runs to be a number"],
  [["plan.yaml", "--figure", "x.svg"], "--figure: expected --over KEY=V1,V2"],
  [["plan.yaml", "--figure", "x.png", "--over", "runs=1,2"], "--figure: expected a file that ends in .svg"],
  [["plan.yaml", "--figure", "x.svg", "--over", "run.seconds={uniform: [1, 2]}"], "numbers to draw along"],
  [["plan.yaml", "--seeds", "0"], "--seeds: expected an integer of at least 1"],
  [["plan.yaml", "--show", "make"], "--show: expected one of makespan, used, lost, attempts"],
])("%j is refused in one sentence, and writes nothing", async (args, sentence) => {
  const inRoot = args.map((word) => (/\.(yaml|svg|png)$/.test(word) ? at(word) : word));
  await expect(call(...inRoot)).rejects.toThrow(
    expect.objectContaining({ name: "LabError", message: expect.stringContaining(sentence) }),
  );
  expect([existsSync(at("x.svg")), existsSync(at("x.png"))]).toEqual([false, false]);
});
