import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { callStatelab } from "../../test/kit/cli.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { trainRun } from "../app/run/train.ts";
import { RunConfig } from "../schemas/run-config.ts";

const root = tmpFolder("analyse");
const folder = join(root, "parity");
const { signal } = new AbortController();

beforeAll(async () => {
  const config = RunConfig.parse({
    seed: 2,
    task: { name: "parity", length: 12, targets: "each" },
    model: { name: "deltanet", layers: 1, width: 16, heads: 2, feedForward: 32, convolution: 0, betaMax: 2 },
    train: { steps: 2, batch: 32 },
    evaluate: { examples: 50, settings: [{ length: 20 }] },
  });
  await trainRun(folder, config, { signal });
}, 60_000);

test("the command writes page, figures and document, and prints the document with --json", async () => {
  const { code, stdout } = await callStatelab([
    "analyze",
    ...[folder, "--set", "length=16", "--programs", "20", "--only", "beta,keys,trajectories"],
    ...["--seed", "1", "--json"],
  ]);
  expect(code).toBe(0);
  const document = JSON.parse(stdout);
  expect(document).toEqual(JSON.parse(readFileSync(join(folder, "analysis", "analysis.json"), "utf8")));
  expect(Object.keys(document)).toEqual(expect.arrayContaining(["beta", "keys", "trajectories"]));
  expect(document.programs).toBe(20);
  const page = readFileSync(join(folder, "analysis", "report.html"), "utf8");
  expect(page).toContain("statelab analyze");
  expect(page.match(/<h2>/g)).toHaveLength(3);
  expect(existsSync(join(folder, "analysis", "figures", "beta-command.svg"))).toBe(true);
}, 60_000);

test("a second analysis of the same programs is put beside the first, and one of others into another folder", async () => {
  const analysed = (only: string, settings = ["length=14"]) =>
    callStatelab([
      "analyze",
      ...[folder, ...settings.flatMap((each) => ["--set", each]), "--programs", "12", "--only", only],
      ...["--seed", "1", "--json"],
    ]);
  const written = (out: string) => JSON.parse(readFileSync(join(folder, out, "analysis.json"), "utf8"));
  rmSync(join(folder, "analysis"), { recursive: true, force: true });
  await analysed("beta");
  const { beta } = written("analysis");
  await analysed("keys");
  expect(written("analysis")).toMatchObject({ beta, keys: expect.anything() });
  const page = readFileSync(join(folder, "analysis", "report.html"), "utf8");
  const before = written("analysis");
  await analysed("keys", ["length=10"]);
  expect(written("analysis")).toEqual(before);
  expect(readFileSync(join(folder, "analysis", "report.html"), "utf8")).toBe(page);
  expect(written("analysis-2")).toMatchObject({ task: expect.objectContaining({ length: 10 }) });
});
