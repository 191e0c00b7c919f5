import { cpSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { statelab, succeed } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { remains, trainWhole } from "../kit/trainings.ts";

const steps = 120;
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
