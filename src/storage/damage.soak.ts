import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { latestCheckpoint, saveCheckpoint } from "./index.ts";

const run = tmpFolder("bits");

/** The slice takes one bit of every byte, another in each. */
const everyBit = process.env.SOAK_SLICE !== "ci";

test("every single flipped bit of the newest checkpoint is noticed, and the one before it is read instead", async () => {
  let newest = "";
  for (const step of [1, 2]) {
    const tensor = { dtype: "F32", shape: [2], data: Float32Array.of(step, step) } as const;
    newest = await saveCheckpoint(run, step, {
      model: { w: tensor },
      optimizer: { tensors: { m: tensor }, metadata: {} },
      state: { step },
    });
  }
  let flipped = 0;
  for (const name of readdirSync(newest)) {
    const good = readFileSync(join(newest, name));
    for (let bit = 0; bit < 8 * good.length; bit += everyBit ? 1 : 9) {
      const bad = Uint8Array.from(good);
      bad[bit >> 3] ^= 1 << (bit & 7);
      writeFileSync(join(newest, name), bad);
      const read = await latestCheckpoint(run);
      expect(read?.step, `${name}, bit ${bit}`).toBe(1);
      expect(read?.passedOver[0]).toContain(newest);
      flipped++;
    }
    writeFileSync(join(newest, name), good);
  }
  expect(flipped).toBeGreaterThan(400);
  expect((await latestCheckpoint(run))?.step).toBe(2);
});
