import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ownerAt } from "../../src/storage/index.ts";
import { startStatelab, untilLonger } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { remains, trainWhole } from "../kit/trainings.ts";

const root = tmpFolder("fenced");
beforeAll(() => trainWhole(root, 160), 60_000);

/** A process of a job of an executor, in its attempt `epoch`. */
function begun(epoch: number, ...args: string[]) {
  const claim = JSON.stringify({ engine: "test", job: "lab/1", epoch });
  return startStatelab({ folder: root, env: { STATELAB_CLAIM: claim } }, ...args);
}

test.skipIf(process.platform === "win32")(
  "a training that freezes, is begun again elsewhere and wakes up stops; the run is the same to the bit as an undisturbed one",
  async () => {
    const log = join(root, "frozen", "metrics.jsonl");
    const first = begun(0, "train", "small.yaml", "--out", "frozen");
    await untilLonger(log, 40);
    first.process.kill("SIGSTOP");
    const second = begun(1, "train --resume", "frozen");
    while (ownerAt(join(root, "frozen", "run.lock"))?.claim?.epoch !== 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
    first.process.kill("SIGCONT"); // while the other one takes over
    const [one, other] = await Promise.all([first.ended, second.ended]);
    expect([one.code, other.code], one.stderr + other.stderr).toEqual([4, 0]);
    expect(one.stderr).toMatch(
      /^statelab: frozen.run\.lock: expected the lock that this process took, got (that of process \d+ on .*, job lab\/1 of test, epoch 1\)|none: it was removed)\. It stops; earlier saves are intact$/m,
    );
    expect(remains(join(root, "frozen"))).toEqual(remains(join(root, "whole")));
  },
);
