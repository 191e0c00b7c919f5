import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callStatelab, words } from "../../../test/kit/cli.ts";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { measured } from "../../core/format.ts";

const root = tmpFolder("simulate");
const at = (name: string) => join(root, name);
writeFileSync(
  at("plan.yaml"),
  "runs: 10\nrun: { seconds: { exponential: 60 }, checkpointSeconds: 20 }\nclusters: [{ name: ours, nodes: 3 }]\n",
);

const call = (...args: string[]) => callStatelab(["cluster simulate", ...args]);

test("a table of what was varied, with the mean and the range of the seeds; the figure holds the same numbers", async () => {
  const figure = at("figure.svg");
  const study = [at("plan.yaml"), ...words("--grid run.checkpointSeconds=10,20 --seeds 3")];
  const { code, stdout: out } = await call(...study, "--plot", figure, "--metric", "used");
  expect(code).toBe(0);
  expect(out.split("\n")).toHaveLength(3);
  expect(out).toMatch(/checkpointSeconds=10 +.* s \(.* to .*\) +[\d.]+.% \(.*\) .* 10 +0$/m);
  const { settings } = JSON.parse((await call(...study, "--json")).stdout);
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

test("--print-plan gives the plan back, changed, as YAML that is a plan again", async () => {
  const { stdout: out } = await call(at("plan.yaml"), "--set", "runs=11", "--print-plan");
  writeFileSync(at("again.yaml"), out);
  expect(out).toContain("runs: 11\n");
  const results = async (...args: string[]) => JSON.parse((await call(...args, "--json")).stdout);
  expect(await results(at("again.yaml"))).toEqual(await results(at("plan.yaml"), "--set", "runs=11"));
});

test("of one setting it says where the time of each cluster's slots went", async () => {
  const { stdout: out } = await call(at("plan.yaml"), "--set", "clusters.0.nodes=1");
  expect(out).toMatch(/\nslot time +ours\nruns +10\n/);
  expect(out).toMatch(/\nwork +(100\.0|>99\.9).%\n/);
});
