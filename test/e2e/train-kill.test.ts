import { cpSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ownerAt } from "../../src/storage/index.ts";
import { startStatelab, statelab, succeed, untilLonger } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { remains, trainWhole } from "../kit/trainings.ts";

const steps = 160;
const root = tmpFolder("kill");
const at = (...parts: string[]) => join(root, ...parts);
beforeAll(() => trainWhole(root, steps), 60_000);

test("of two processes that go on with one run at once, the second is refused, and the end is the same to the bit", async () => {
  cpSync(at("whole"), at("both"), { recursive: true });
  truncateSync(at("both", "metrics.jsonl"), statSync(at("both", "metrics.jsonl")).size >> 1);
  rmSync(at("both", "checkpoints"), { recursive: true });
  const ended = await Promise.all([1, 2].map(() => statelab(root, "train --resume both")));
  // Where the machine is slow, the second may come when the first is done.
  expect(ended.map(({ code }) => code).filter((code) => code !== 0 && code !== 4)).toEqual([]);
  expect(ended.some(({ code }) => code === 0)).toBe(true);
  for (const { code, stderr } of ended) {
    if (code === 4)
      expect(stderr).toMatch(/^statelab: both.run\.lock: expected no other writer, got process \d+/m);
  }
  expect(remains(at("both"))).toEqual(remains(at("whole")));
});

test("a checkpoint that was cut is named and passed over for the one before it, and the end is the same to the bit", async () => {
  cpSync(at("whole"), at("cut"), { recursive: true });
  const file = join("cut", "checkpoints", String(steps), "optimizer.safetensors");
  truncateSync(at(file), 1000);
  const { stderr } = await succeed(root, "train --resume cut");
  expect(stderr.split("\n")[0]).toBe(
    `${file}: expected the bytes that were saved (SHA-256), got others. The checkpoint is damaged`,
  );
  expect(stderr).toContain(`from step ${steps - 4};`);
  expect(remains(at("cut"))).toEqual(remains(at("whole")));
});

/** A process of a job of an executor, in its attempt `epoch`. */
function begun(epoch: number, ...args: string[]) {
  const claim = JSON.stringify({ engine: "test", job: "lab/1", epoch });
  return startStatelab({ folder: root, env: { STATELAB_CLAIM: claim } }, ...args);
}

test.skipIf(process.platform === "win32")(
  "a training that freezes, is begun again elsewhere and wakes up stops; the run is the same to the bit as an undisturbed one",
  async () => {
    const log = at("frozen", "metrics.jsonl");
    const first = begun(0, "train", "small.yaml", "--out", "frozen");
    await untilLonger(log, 40);
    first.process.kill("SIGSTOP");
    const second = begun(1, "train --resume", "frozen");
    while (ownerAt(at("frozen", "run.lock"))?.claim?.epoch !== 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
    first.process.kill("SIGCONT"); // while the other one takes over
    const [one, other] = await Promise.all([first.ended, second.ended]);
    expect([one.code, other.code], one.stderr + other.stderr).toEqual([4, 0]);
    expect(one.stderr).toMatch(
      /^statelab: frozen.run\.lock: expected the lock that this process took, got (that of process \d+ on .*, job lab\/1 of test, epoch 1\)|none: it was removed)\. It stops; earlier saves are intact$/m,
    );
    expect(remains(at("frozen"))).toEqual(remains(at("whole")));
  },
);
