import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../kit/tmp.ts";
import { ownerAt } from "../../src/storage/index.ts";
import { untilLonger } from "../kit/cli.ts";
import { mainFile, remains, trainWhole } from "../kit/trainings.ts";

const root = tmpFolder("fenced");
beforeAll(() => trainWhole(root, 160), 60_000);

/** A process of one job of an engine, begun for the time that `epoch` says. */
function begun(epoch: number, ...args: string[]) {
  const claim = JSON.stringify({ engine: "test", job: "lab/1", epoch });
  const child = spawn(process.execPath, [mainFile, ...args], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NO_COLOR: "1", STATELAB_CLAIM: claim },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, stderr })),
  );
  return { child, ended };
}

test.skipIf(process.platform === "win32")(
  "a training that freezes, is begun again elsewhere and wakes up stops; the run is the same to the bit as an undisturbed one",
  async () => {
    const log = join(root, "frozen", "metrics.jsonl");
    const first = begun(0, "train", "small.yaml", "--out", "frozen");
    await untilLonger(log, 40);
    first.child.kill("SIGSTOP");
    const second = begun(1, "resume", "frozen");
    while (ownerAt(join(root, "frozen", "run.lock"))?.claim?.epoch !== 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
    first.child.kill("SIGCONT"); // while the other one takes over
    const [one, other] = await Promise.all([first.ended, second.ended]);
    expect([one.code, other.code], one.stderr + other.stderr).toEqual([4, 0]);
    expect(one.stderr).toMatch(
      /^statelab: frozen.run\.lock: expected the lock that this process took, got (that of process \d+ on .*, job lab\/1 of test, epoch 1\)|none: it was removed)\. It stops; what it saved before is whole$/m,
    );
    expect(remains(join(root, "frozen"))).toEqual(remains(join(root, "whole")));
  },
);

test("the lock of another host is taken over by the user's word", async () => {
  mkdirSync(join(root, "left"));
  const owner = { pid: 1, host: "gone.example", since: "2026", command: "statelab train", nonce: "n" };
  writeFileSync(join(root, "left", "run.lock"), JSON.stringify({ ...owner, processStart: null }));
  const args = ["train", "small.yaml", "--set", "train.steps=4", "--out", "left"];
  const taken = await begun(0, ...args, "--take-over").ended;
  expect(taken.code, taken.stderr).toBe(0);
  expect(readFileSync(join(root, "left", "metrics.jsonl"), "utf8").split("\n")).toHaveLength(5);
});
