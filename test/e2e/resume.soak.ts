/** @file Trainings that are stopped, copied, damaged or already finished, and what `train --resume` makes of them. */

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
const copied = (name: string) => cpSync(at("whole"), at(name), { recursive: true });

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

/** Changes one byte in the middle of a file. */
function damage(...path: string[]): void {
  const bytes = readFileSync(at(...path));
  bytes[bytes.length >> 1] ^= 1;
  writeFileSync(at(...path), bytes);
}

test("without a good checkpoint resume and evaluate name the damaged files, exit with 3 and change nothing", async () => {
  copied("ruined");
  damage("ruined", "checkpoints", "200", "optimizer.safetensors");
  damage("ruined", "checkpoints", "300", "model.safetensors");
  const metrics = text("ruined", "metrics.jsonl");
  for (const command of ["train --resume", "evaluate"]) {
    const { code, stdout, stderr } = await run(`${command} ruined`);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(
      /^statelab: ruined\/checkpoints: .*300\/model\.safetensors.*200\/optimizer\.safetensors.*\n$/,
    );
  }
  expect(text("ruined", "metrics.jsonl")).toBe(metrics);
  expect(existsSync(at("ruined", "run.lock"))).toBe(false);
});

test("a training that diverges exits with 1, prints no result, is not evaluated, and resumes with another rate", async () => {
  const trained = await run(
    "train small.yaml --out diverged --set train.learningRate=1e38 --set train.steps=1 --set train.warmupSteps=0",
  );
  expect([trained.code, trained.stdout]).toEqual([1, ""]);
  expect(trained.stderr).toMatch(/^statelab: train, step 1: expected a finite /m);
  const { code, stdout } = await run("evaluate diverged");
  expect([code, stdout]).toEqual([2, ""]);
  await succeed(root, "train --resume diverged --set train.learningRate=0.001 --set train.steps=2");
});
