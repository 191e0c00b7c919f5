import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { inCode, page, tableOf } from "../docs/docs.test-helper.ts";
import { statelab, succeed } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { small } from "../kit/trainings.ts";

const root = tmpFolder("train");
const at = (...parts: string[]) => join(root, ...parts);
const text = (...parts: string[]) => readFileSync(at(...parts), "utf8");
const run = (...args: string[]) => statelab(root, ...args);

beforeAll(async () => {
  writeFileSync(at("small.yaml"), small);
  const { code, stdout, stderr } = await run("train small.yaml --out whole");
  expect([code, stdout], stderr).toEqual([
    0,
    expect.stringMatching(
      /^whole: 300 steps done\nlast loss: \d.*\n[\s\S]*\nTest it: statelab evaluate whole\nShow it: statelab report whole\n$/,
    ),
  ]);
}, 60_000);

test("a finished run holds the files that docs/reference/file-formats.md lists, and no others", () => {
  const rows = tableOf(page("docs/reference/file-formats.md"), "file", "what it holds");
  const documented = rows.flatMap(([cell]) => inCode(cell)).filter((name) => /^[\w./]+$/.test(name));
  const found = (folder: string): string[] =>
    readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory()
        ? found(join(folder, entry.name))
        : [join(folder, entry.name).slice("whole/".length)],
    );
  const names = found("whole").map((name) => name.replace(/\/\d+\//, "/STEP/"));
  // By other commands and options; of custom files; of data workers; there while a process writes.
  const later = ["evaluation.json", "tested.jsonl", "analysis/", "report.html", "measured/", "answered.json"];
  later.push("tensorboard/", "own/", "stream/", "run.lock");
  expect([...new Set(names)].sort()).toEqual(documented.filter((name) => !later.includes(name)).sort());
  expect(readdirSync(at("whole", "checkpoints")).sort()).toEqual(["200", "300"]);
});

test("evaluate asks about the tests of the configuration and writes what it prints", async () => {
  const { stdout } = await succeed(root, "evaluate whole --json");
  const document = JSON.parse(stdout);
  expect(JSON.parse(text("whole", "evaluation.json"))).toEqual(document);
  expect(document).toMatchObject({ run: "whole", step: 300, results: [{ programs: 30 }, { programs: 30 }] });
  const [near, far] = document.results;
  // 4 commands at spacing 2 and 8 at spacing 4: two reveals each.
  expect([near.reveals, far.reveals]).toEqual([60, 60]);
  expect([near.references.exactBayes, far.references.exactBayes]).toEqual([1, 1]);
  // The window is twice the widest spacing trained, 4 commands: at spacing 4 no reveal and no initial value lies
  // inside, so one of three values is as likely as another.
  expect(far.references.windowedBayesWithoutBoundary).toBeCloseTo(1 / 3, 12);
  for (const { accuracy, accuracyLast } of document.results) {
    for (const share of [accuracy, accuracyLast]) {
      expect(share * 60).toBeCloseTo(Math.round(share * 60), 9);
      expect(share).toBeGreaterThan(0);
    }
  }
});
