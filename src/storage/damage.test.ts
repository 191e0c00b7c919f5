import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { encodeSafetensors } from "../schemas/formats/safetensors.ts";
import { latestCheckpoint, saveCheckpoint } from "./index.ts";

const scratch = tmpFolder("damage");
let run = "";
let newest = "";
beforeEach(async () => {
  run = mkdtempSync(join(scratch, "x-"));
  for (const step of [1, 2]) {
    const tensor = { dtype: "F32", shape: [2], data: Float32Array.of(step, step) } as const;
    newest = await saveCheckpoint(run, step, {
      model: { w: tensor },
      optimizer: { tensors: { m: tensor }, metadata: {} },
      state: { step },
    });
  }
});

/** That the damage is noticed, its place named, and the checkpoint before it read. */
async function expectPassedOver(name: string): Promise<void> {
  const read = await latestCheckpoint(run);
  expect(read?.step).toBe(1);
  expect(read?.model.w.data).toEqual(Float32Array.of(1, 1));
  expect(read?.passedOver).toHaveLength(1);
  expect(read?.passedOver[0]).toMatch(/: expected .*, got .*\. The checkpoint is damaged$/);
  expect(read?.passedOver[0]).toContain(join(newest, name));
}

test("a file of the newest checkpoint cut at any length, or with one bit of any byte flipped, is noticed, and the one before it is read instead", async () => {
  let lengths = 0;
  for (const name of readdirSync(newest)) {
    const good = readFileSync(join(newest, name));
    for (let length = 0; length < good.length; length++, lengths++) {
      writeFileSync(join(newest, name), good.subarray(0, length));
      // Where the list of checksums ends early, it is the file that it lacks, or the list.
      await expectPassedOver(name);
      writeFileSync(join(newest, name), good.with(length, good[length] ^ (1 << (length & 7))));
      const read = await latestCheckpoint(run);
      expect([read?.step, read?.passedOver[0]], `byte ${length}`).toEqual([
        1,
        expect.stringContaining(newest),
      ]);
    }
    writeFileSync(join(newest, name), good);
  }
  expect(lengths).toBeGreaterThan(400);
  expect((await latestCheckpoint(run))?.step).toBe(2);
});

test("every missing file, a folder or a cut file in its place, and a file in place of the checkpoint are noticed", async () => {
  const whole = join(scratch, "whole");
  cpSync(newest, whole, { recursive: true });
  for (const name of readdirSync(whole)) {
    rmSync(join(newest, name));
    await expectPassedOver(name);
    mkdirSync(join(newest, name));
    await expectPassedOver(name);
    rmSync(newest, { recursive: true });
    cpSync(whole, newest, { recursive: true });
  }
  rmSync(newest, { recursive: true });
  writeFileSync(newest, "");
  await expectPassedOver("SHA256SUMS");
});

test("both checkpoints damaged is an error that names both places", async () => {
  writeFileSync(join(newest, "state.json"), "{}");
  rmSync(join(run, "checkpoints", "1", "optimizer.safetensors"));
  await expect(latestCheckpoint(run)).rejects.toThrow(
    expect.objectContaining({
      kind: "corrupt",
      message: expect.stringMatching(
        /2.state\.json: expected .*1.optimizer\.safetensors: expected a file, got no such file/,
      ),
    }),
  );
});

test("numbers that are not finite are neither saved nor read as a good checkpoint, whatever its checksums say", async () => {
  const spoilt = { dtype: "F32", shape: [2], data: Float32Array.of(1, Number.NaN) } as const;
  const good = { dtype: "F32", shape: [2], data: Float32Array.of(1, 1) } as const;
  await expect(saveCheckpoint(run, 3, { model: { w: spoilt }, state: {} })).rejects.toThrow(
    /checkpoints\/3: expected finite numbers in w \(model\), got "NaN"/,
  );
  const endless = { ...spoilt, data: Float32Array.of(Number.POSITIVE_INFINITY, 0) };
  const optimizer = { tensors: { m: endless }, metadata: {} };
  await expect(saveCheckpoint(run, 3, { model: { w: good }, optimizer, state: {} })).rejects.toThrow(
    /finite numbers in m \(optimizer\), got "Infinity"/,
  );
  // As a version saved it that did not look.
  const bytes = encodeSafetensors({ w: spoilt });
  writeFileSync(join(newest, "model.safetensors"), bytes);
  const sums = readFileSync(join(newest, "SHA256SUMS"), "utf8");
  const digest = createHash("sha256").update(bytes).digest("hex");
  writeFileSync(join(newest, "SHA256SUMS"), sums.replace(/^\w+(?= {2}model\.safetensors$)/m, digest));
  const read = await latestCheckpoint(run);
  expect([read?.step, read?.passedOver]).toEqual([
    1,
    [expect.stringMatching(/model\.safetensors: expected finite numbers in w, got NaN/)],
  ]);
});

test.each(["not JSON", "null", "3", "[]", '{"version": 1, "step": "x", "state": {}}', "["])(
  "a state.json of %s with the right checksum, as somebody else can write it, is told like damage",
  async (text) => {
    writeFileSync(join(newest, "state.json"), text);
    const sums = readdirSync(newest).find((name) => /sum/i.test(name))!; // the list of checksums
    const digest = createHash("sha256").update(text).digest("hex");
    const list = readFileSync(join(newest, sums), "utf8");
    writeFileSync(join(newest, sums), list.replace(/^.*(?= {2}state\.json$)/m, digest));
    await expectPassedOver("state.json");
  },
);
