import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../kit/tmp.ts";
import { startStatelab, statelab, untilLonger } from "../kit/cli.ts";
import { expectSame, metricsOf, small } from "../kit/trainings.ts";

const root = tmpFolder("resume");
const at = (...parts: string[]) => join(root, ...parts);
const text = (...parts: string[]) => readFileSync(at(...parts), "utf8");
const run = (...args: string[]) => statelab(root, ...args);
const expectSameAsWhole = (folder: string) => expectSame(at(folder), at("whole"));

beforeAll(async () => {
  writeFileSync(at("small.yaml"), small);
  const { code, stdout, stderr } = await run("train", "small.yaml", "--out", "whole");
  expect([code, stdout], stderr).toEqual([
    0,
    expect.stringMatching(
      /^whole: 300 steps done\nthe last loss: \d.*\n[\s\S]*\nAsk it: statelab evaluate whole\nSee it: statelab report whole\n$/,
    ),
  ]);
}, 60_000);

/** Changes one byte in the middle of a file. */
function damage(...path: string[]): void {
  const bytes = readFileSync(at(...path));
  bytes[bytes.length >> 1] ^= 1;
  writeFileSync(at(...path), bytes);
}

test("a damaged checkpoint is passed over for the one before it, and the end is the same to the bit", async () => {
  cpSync(at("whole"), at("damaged"), { recursive: true });
  damage("damaged", "checkpoints", "300", "model.safetensors");
  const { code, stderr } = await run("resume", "damaged");
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^damaged\/checkpoints\/300\/model\.safetensors: expected .*The checkpoint is damaged$/m,
  );
  expect(stderr).toContain("from step 200");
  expectSameAsWhole("damaged");
});

test("without a good checkpoint resume and evaluate name the damaged files, exit with 3 and change nothing", async () => {
  cpSync(at("whole"), at("ruined"), { recursive: true });
  damage("ruined", "checkpoints", "200", "optimizer.safetensors");
  damage("ruined", "checkpoints", "300", "model.safetensors");
  const metrics = text("ruined", "metrics.jsonl");
  for (const command of ["resume", "evaluate"]) {
    const { code, stdout, stderr } = await run(command, "ruined");
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(
      /^statelab: ruined\/checkpoints: .*300\/model\.safetensors.*200\/optimizer\.safetensors.*\n$/,
    );
  }
  expect(text("ruined", "metrics.jsonl")).toBe(metrics);
  expect(existsSync(at("ruined", "run.lock"))).toBe(false);
});

const onPosix = test.skipIf(process.platform === "win32");

onPosix(
  "a run that is being written is locked for other writers, who are told by whom, with exit code 4",
  async () => {
    const { process: child, ended } = startStatelab(
      root,
      ...[
        "train",
        "small.yaml",
        "--out",
        "busy",
        "--set",
        "train.steps=1000000",
        "--set",
        "checkpointEvery=10",
      ],
    );
    await untilLonger(at("busy", "metrics.jsonl"), 20);
    for (const call of [
      ["resume", "busy"],
      ["train", "small.yaml", "--out", "busy", "--overwrite"],
    ]) {
      const { code, stderr } = await run(...call);
      expect(stderr.trimEnd().split("\n").at(-1)).toMatch(
        new RegExp(`^statelab: busy/run\\.lock: expected no other writer, got process ${child.pid} on .*$`),
      );
      expect(code).toBe(4);
    }
    expect((await run("evaluate", "busy", "--programs", "5")).code).toBe(0); // readers never wait
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    const [, step] = /stopped after step (\d+), saved\. Go on by: statelab resume busy\n$/.exec(stderr) ?? [];
    expect(code).toBe(130);
    expect(metricsOf(at("busy"))).toHaveLength(Number(step));
    expect(JSON.parse(text("busy", "checkpoints", step, "state.json")).step).toBe(Number(step));
  },
);

onPosix("a training that was stopped by Ctrl-C and resumed ends the same, to the bit", async () => {
  const { process: child, ended } = startStatelab(root, "train", "small.yaml", "--out", "stopped", "--json");
  await untilLonger(at("stopped", "metrics.jsonl"), 40);
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  const { finished, step } = JSON.parse(stdout);
  expect([code, finished]).toEqual([130, false]);
  expect(step).toBeLessThan(300);
  const { stderr, ...resumed } = await run("resume", "stopped", "--json");
  expect(stderr).toContain(`from step ${step};`);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ run: "stopped", step: 300, finished: true });
  expectSameAsWhole("stopped");
});

onPosix(
  "a training that was killed in the middle of a line and resumed ends the same, to the bit",
  async () => {
    const { process: child, ended } = startStatelab(root, "train", "small.yaml", "--out", "killed");
    await untilLonger(at("killed", "metrics.jsonl"), 130);
    child.kill("SIGKILL");
    await ended;
    appendFileSync(at("killed", "metrics.jsonl"), '{"step":13');
    expect(existsSync(at("killed", "run.lock"))).toBe(true); // it had no time to take it away
    const { code, stderr } = await run("resume", "killed");
    expect(code).toBe(0);
    expect(stderr).toMatch(/from step [12]00;/);
    expectSameAsWhole("killed");
  },
);

test("a finished run is resumed without a change", async () => {
  cpSync(at("whole"), at("again"), { recursive: true });
  expect((await run("resume", "again")).code).toBe(0);
  expectSameAsWhole("again");
});
