/** @file General sentences of the README and docs, each with the example that would refute it without its condition. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { rngFrom } from "../src/core/rng.ts";
import { EvidenceRow } from "../src/schemas/evidence.ts";
import { readLog } from "../src/storage/index.ts";
import { exampleFrom, prepareTask, type Task, taskNamed } from "../src/tasks/index.ts";
import { windowedBayes } from "../src/tasks/repl/bayes.ts";
import { readProgram } from "../src/tasks/repl/parser.ts";
import { page } from "./docs/docs.test-helper.ts";
import { statelab } from "./kit/cli.ts";
import { tmpFolder } from "./kit/tmp.ts";

test("with a full reveal after every command the last command is enough; with one every fourth it is not", () => {
  const knownFrom = (change: object) => {
    const prepared = prepareTask(taskNamed("repl") as Task, { variables: 3, commands: 12, ...change });
    const { text } = exampleFrom(prepared, rngFrom(0));
    // Without the first reveal, before which the window has none.
    const program = readProgram(text);
    const later = program.reveals.flatMap(({ commands }, i) =>
      commands === program.reveals[0].commands
        ? []
        : [windowedBayes(program, { window: 1, boundary: true })[i]],
    );
    return later.reduce((sum, share) => sum + share, 0) / later.length;
  };
  expect(knownFrom({ spacing: 1, reveal: "full" })).toBe(1);
  expect(knownFrom({ spacing: 4, commands: 48 })).toBeLessThan(0.6);
});

const root = tmpFolder("statements");

test("a trace's other lines give another input's result where its types are the same, and not for a defaultdict in place of a dict", async () => {
  const source = `def g(d):\n    if d["x"] == 0:\n        d["y"] = 1\n    return sorted(d)\n`;
  writeFileSync(join(root, "g.py"), source);
  const { stdout, code } = await statelab(root, "trace", "g.py", "--call", 'g({"x": 0})', "--format", "code");
  expect(code).toBe(0);
  const [, ...others] = stdout.trimEnd().split("\n");
  const resultOf = (argument: string) => {
    const lines = others.map((line) => line.replace(/^assert (.*) == .*$/, "print($1)"));
    const setup = "from collections import defaultdict";
    const ofTrace = [setup, `d = ${argument}`, ...lines].join("\n");
    const ofFunction = [setup, source, `print(g(${argument}))`].join("\n");
    return [ofTrace, ofFunction].map((program) =>
      execFileSync("python3", ["-c", program], { encoding: "utf8" }).trim(),
    );
  };
  const [same, alsoSame] = resultOf('{"z": 3, "x": 0}');
  expect(same).toBe(alsoSame);
  const [trace, truth] = resultOf("defaultdict(int)");
  expect([trace, truth]).toEqual(["['y']", "['x', 'y']"]);
});

test("what the README says of both losses is in the committed rows", () => {
  const rows = readLog(
    fileURLToPath(new URL("../evidence/repl-losses/rows.jsonl", import.meta.url)),
    EvidenceRow,
  );
  const shares = rows.flatMap((row) =>
    "measured" in row || row.setting !== "revealed values" || row.name !== "48/24"
      ? []
      : [row.correct / row.total],
  );
  expect(shares).toHaveLength(5);
  const [low, high] = [Math.min(...shares), Math.max(...shares)].map((share) => Math.floor(100 * share));
  const said = page("README.md").replaceAll(/\s+/g, " ");
  expect(said).toContain(
    `With the loss on revealed values alone DeltaNet [-1, 1] scores ${low} to ${high} % at 48/24 ([rows](evidence/repl-losses`,
  );
});
