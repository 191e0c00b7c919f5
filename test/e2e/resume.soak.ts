/** @file Trainings that are stopped, copied or already finished, and what `train --resume` makes of them. */

import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { linesIn, startStatelab, statelab, succeed, untilLonger } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { remains, small } from "../kit/trainings.ts";

const root = tmpFolder("resume");
const at = (...parts: string[]) => join(root, ...parts);
const text = (...parts: string[]) => readFileSync(at(...parts), "utf8");
const run = (line: string) => statelab(root, line);
const expectSameAsWhole = (folder: string) => expect(remains(at(folder))).toEqual(remains(at("whole")));

beforeAll(async () => {
  writeFileSync(at("small.yaml"), small);
  await succeed(root, "train small.yaml --out whole");
}, 60_000);

const onPosix = test.skipIf(process.platform === "win32");

onPosix(
  "a run that is being written is locked for other writers, with exit code 4, and open to readers",
  async () => {
    const { process: child, ended } = startStatelab(
      root,
      "train small.yaml --out busy --set train.steps=1000000 --set checkpointEvery=10",
    );
    await untilLonger(at("busy", "metrics.jsonl"), 20);
    for (const line of ["train --resume busy", "train small.yaml --out busy --overwrite"]) {
      const { code, stderr } = await run(line);
      expect(stderr.trimEnd().split("\n").at(-1)).toMatch(
        new RegExp(`^statelab: busy/run\\.lock: expected no other writer, got process ${child.pid} on .*$`),
      );
      expect(code).toBe(4);
    }
    await succeed(root, "evaluate busy --programs 5");
    child.kill("SIGSTOP"); // cpSync fails on files that are replaced meanwhile
    cpSync(at("busy"), at("copy"), { recursive: true });
    child.kill("SIGCONT");
    const copy = await run("train --resume copy --set checkpointEvery=5");
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    const [, step] =
      /stopped after step (\d+), saved\. Continue: statelab train --resume busy\n$/.exec(stderr) ?? [];
    expect(code).toBe(130);
    expect(linesIn(at("busy", "metrics.jsonl"))).toBe(Number(step));
    expect(JSON.parse(text("busy", "checkpoints", step, "state.json")).step).toBe(Number(step));
    expect(copy.code).toBe(4);
    expect(copy.stderr).toMatch(/: if this folder is a copy, delete copy\/run\.lock$/m);
  },
);

onPosix("a training that was stopped by Ctrl-C and resumed ends the same, to the bit", async () => {
  const { process: child, ended } = startStatelab(root, "train small.yaml --out stopped --json");
  await untilLonger(at("stopped", "metrics.jsonl"), 40);
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  const { finished, step } = JSON.parse(stdout);
  expect([code, finished]).toEqual([130, false]);
  expect(step).toBeLessThan(300);
  const { stderr, ...resumed } = await run("train --resume stopped --json");
  expect(stderr).toContain(`from step ${step};`);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ run: "stopped", step: 300, finished: true });
  expectSameAsWhole("stopped");
});

onPosix("Ctrl-C after the last step is no interruption", async () => {
  // Large enough for the export to take a while after the last line of the log.
  const large = "--set model.width=256 --set model.layers=3 --set train.steps=4 --set train.batch=2";
  const { process: child, ended } = startStatelab(root, `train small.yaml --out late ${large}`);
  await untilLonger(at("late", "metrics.jsonl"), 3);
  child.kill("SIGINT");
  const { code, stdout, stderr } = await ended;
  expect(stdout, stderr).toContain("late: 4 steps done");
  expect(code).toBe(0);
  expect(existsSync(at("late", "model.safetensors"))).toBe(true);
});
