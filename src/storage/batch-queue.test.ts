import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { openStream, type Stream } from "./batch-queue.ts";

const scratch = tmpFolder("stream");
let folder: string;
let stream: Stream;
beforeEach(async () => {
  folder = mkdtempSync(join(scratch, "x-"));
  stream = await openStream(folder);
});

const tensors = (...numbers: number[]) => ({
  words: { dtype: "I32" as const, shape: [numbers.length], data: Int32Array.from(numbers) },
});
const about = (block: number) => ({ block, weights: null, seconds: 1, waited: 0 });
const file = (block: number) => join(folder, "stream", "blocks", `${block}.safetensors`);

async function publish(block: number, ...numbers: number[]): Promise<boolean> {
  const claim = (await stream.claim(block))!; // no other producer exists
  const published = await stream.publish(about(block), tensors(...numbers), claim);
  claim.release();
  return published;
}

test("a block is what was published first; nobody makes what somebody makes", async () => {
  expect(stream.has(3)).toBe(false);
  expect(await stream.block(3)).toBeUndefined();
  const claim = (await stream.claim(3))!;
  expect(await stream.claim(3)).toBeUndefined();
  expect(await stream.publish(about(3), tensors(1, 2), claim)).toBe(true);
  claim.release();
  expect(await publish(3, 7)).toBe(false);
  const { header, tensors: found } = (await stream.block(3))!;
  expect(header).toEqual({ version: 1, ...about(3) });
  expect([...found.words.data]).toEqual([1, 2]);
  expect(readdirSync(join(folder, "stream", "making"))).toEqual([]);
  expect(readdirSync(join(folder, "stream", "blocks"))).toEqual(["3.safetensors"]);
});

test("what a maker that was killed has left is removed by the next one, who has its claim", async () => {
  const dead = {
    pid: 2 ** 22 + 1,
    host: (await import("node:os")).hostname(),
    nonce: "n",
    processStart: "1",
  };
  writeFileSync(join(folder, "stream", "making", "5.lock"), JSON.stringify(dead));
  writeFileSync(join(folder, "stream", "blocks", ".5.abc.tmp"), "half");
  expect(await publish(5, 1)).toBe(true);
  expect(readdirSync(join(folder, "stream", "blocks"))).toEqual(["5.safetensors"]);
});

test("blocks are forgotten up to one", async () => {
  for (const block of [1, 2, 3]) await publish(block, block);
  await stream.forget(2);
  expect([1, 2, 3].map((block) => stream.has(block))).toEqual([false, false, true]);
  await stream.remove(3);
  expect(existsSync(file(3))).toBe(false);
});

test("progress and weights are those that were written last", async () => {
  expect(stream.progress()).toBeUndefined();
  for (const step of [1, 2]) {
    await stream.keepWeights(step, tensors(step));
    await stream.keepProgress({ taken: step, weights: step, finished: false });
  }
  expect(stream.progress()).toEqual({ version: 1, taken: 2, weights: 2, finished: false });
  const { step, tensors: found } = await stream.weights();
  expect([step, ...found.words.data]).toEqual([2, 2]);
});

test("whatever byte of a block is changed, it is called corrupt and named", async () => {
  await publish(1, 5, 6, 7);
  const whole = readFileSync(file(1));
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const bytes = Buffer.from(whole);
      bytes[at] ^= change;
      writeFileSync(file(1), bytes);
      const error = await stream.block(1).then(
        (found) => found,
        (error: Error & { kind?: string }) => error,
      );
      expect(error).toMatchObject({ kind: "corrupt", message: expect.stringContaining(file(1)) });
    }),
    { seed: 24, numRuns: 300 },
  );
  writeFileSync(file(2), whole);
  await expect(stream.block(2)).rejects.toThrow("expected block 2, got 1");
});
