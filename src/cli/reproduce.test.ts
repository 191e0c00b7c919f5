import { expect, test } from "vitest";
import type { ExperimentResult } from "../schemas/experiment-result.ts";
import { inWords } from "./reproduce.ts";

type Measurements = ExperimentResult["measurements"];
const samples = (model: string, seed: number, value: number): Measurements[number] => ({
  setting: "length 16",
  model,
  seed,
  name: "samplesToPerfect",
  at: {},
  values: { samples: value },
});
const ofAHead = { ...samples("linear", 0, 7), name: "purity", at: { head: 1 } };

function printed(results: readonly unknown[], measurements: Measurements): string {
  const models = Object.fromEntries(
    ["curriculum", "linear"].map((name) => [name, { label: name, summary: "" }]),
  );
  const labels = {
    samplesToPerfect: { label: "samples to perfect", at: {}, values: { samples: "programs seen" } },
  };
  const rest = { training: [], findings: ["slow"], seconds: 3, report: "r" };
  const result = { models, results, labels, measurements, ...rest };
  const report = { table: { columns: ["model"], rows: [["linear"]] }, legend: ["  legend"] };
  return inWords(report, result as unknown as ExperimentResult); // no more of it is read
}

test("below the accuracies stand the measurements of whole models, seeds in one row", () => {
  const measured = [
    samples("linear", 0, 100),
    samples("linear", 1, 300),
    samples("curriculum", 0, 900),
    ofAHead,
  ];
  const lines = printed([{}], measured).split("\n");
  const start = lines.findIndex((line) => line.startsWith("samples to perfect"));
  expect(lines.slice(start + 2, start + 6).map((line) => line.split(/ {2,}/))).toEqual([
    ["setting", "model", "programs seen"],
    ["length 16", "curriculum", "900"],
    ["length 16", "linear", "200 (100\u2013300)"],
    [""],
  ]);
  expect(lines.indexOf("  legend")).toBeLessThan(start);
  expect(lines.join()).not.toContain("purity"); // one of many heads: on the page
});

test("where nothing was asked the measurements are the report's own table, and are not said twice", () => {
  expect(printed([], [samples("linear", 0, 100)])).not.toContain("samples to perfect");
});
