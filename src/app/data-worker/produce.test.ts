import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { type StreamTimes, streamPlan } from "../../analysis/async-data-stats.ts";
import type { MadeBlock } from "../../schemas/async-data.ts";
import { openStream, takeLock } from "../../storage/index.ts";
import type { Producer } from "../../train/async-data/producer.ts";
import { streamSource } from "../async-data/source.ts";
import { jumpingClock } from "./produce.test-helper.ts";
import { feedBlocks } from "./produce.ts";

const folder = join(tmpFolder("feed"), "run");
afterEach(() => rmSync(folder, { recursive: true }));

/** The longest pause between two looks at the disk: by so much each wait may be longer than it must be. */
const LOOK = 0.05;

/** Makers and a training that take these times, by the code that is used, on real files. */
async function carriedOut({ make, train, makers, ahead, staleness }: StreamTimes) {
  const steps = make.length;
  const asksModel = staleness !== undefined;
  const bounds = { prefetch: ahead, maxStaleness: staleness ?? 0 };
  const clock = jumpingClock(makers + 1);
  const { signal } = new AbortController();
  const stream = await openStream(folder);
  const lock = takeLock(join(folder, "run.lock"));
  const source = streamSource(stream, { ahead, asksModel, folder, lock, shapes: { w: [1] }, clock, signal });
  const weightsOf = (step: number) => ({ w: Float32Array.of(step) });
  await source.begin(0, weightsOf(0));
  const made: MadeBlock[] = [];
  const maker: Producer = {
    asksModel,
    async make(step, weights) {
      await clock.pause(make[step - 1], signal);
      const words = Int32Array.of(step, weights.w?.[0] ?? -1);
      return { examples: [{ words, marks: new Int32Array(2), stateEnds: [], states: [] }] };
    },
    release: async () => {},
  };
  const making = Array.from({ length: makers }, async () => {
    const onBlock = (block: MadeBlock) => void made.push(block);
    await feedBlocks({ stream, bounds, train: { steps }, maker, clock, signal, onBlock });
    clock.left();
  });
  const records: Readonly<Record<string, number>>[] = [];
  for (let step = 1; step <= steps; step++) {
    const block = (await source.take(step))!; // nobody stops it
    expect(block.content.examples[0].words[0]).toBe(step);
    if (asksModel) expect(block.content.examples[0].words[1]).toBe(step - 1 - block.records.staleness);
    records.push(block.records);
    await clock.pause(train[step - 1], signal);
    await source.done(step, weightsOf(step));
  }
  const seconds = clock.now();
  await source.close(true);
  clock.left();
  await Promise.all(making);
  lock.release();
  return { seconds, records, made };
}

test.each([
  // what limits it: whoever is slower; with no staleness, both in turn
  [{ a: 10, b: 4, makers: 1, ahead: 1, staleness: undefined }, 10],
  [{ a: 4, b: 10, makers: 1, ahead: 1, staleness: undefined }, 10],
  [{ a: 10, b: 4, makers: 2, ahead: 4, staleness: undefined }, 5],
  [{ a: 10, b: 4, makers: 1, ahead: 4, staleness: 0 }, 14],
  [{ a: 10, b: 4, makers: 1, ahead: 4, staleness: 1 }, 10],
  [{ a: 4, b: 10, makers: 1, ahead: 4, staleness: 3 }, 10],
  [{ a: 12, b: 4, makers: 3, ahead: 8, staleness: 1 }, 8], // (a + b) / (N + 1): no more than N + 1 at once
] as const)(
  "of fixed times a step takes what is known in closed form: %j",
  async ({ a, b, ...how }, each) => {
    const steps = 24;
    const times = { make: Array(steps).fill(a), train: Array(steps).fill(b), ...how };
    const { seconds } = await carriedOut(times);
    // Beginning and end apart, both shorter than a + b.
    expect(seconds / steps).toBeGreaterThan(each * 0.98);
    expect(seconds).toBeLessThan(each * steps + a + b + 2 * LOOK * steps);
  },
);

test("whatever takes how long, all waits are those of plain arithmetic, and each block is made and read once", async () => {
  const seconds = fc.double({ min: 1, max: 20, noNaN: true });
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        make: fc.array(seconds, { minLength: 12, maxLength: 12 }),
        train: fc.array(seconds, { minLength: 12, maxLength: 12 }),
        makers: fc.integer({ min: 1, max: 3 }),
        ahead: fc.integer({ min: 1, max: 6 }),
        staleness: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
      }),
      async (times) => {
        rmSync(folder, { recursive: true, force: true });
        const naive = streamPlan(times);
        const found = await carriedOut(times);
        expect(found.made.map(({ block }) => block).toSorted((x, y) => x - y)).toEqual(
          times.make.map((_, i) => i + 1),
        );
        // Two makers that come free within one look may change places: then blocks have other makers, and waits are sums.
        const steps = times.make.length;
        expect(Math.abs(found.seconds - naive.seconds)).toBeLessThan(2 * LOOK * steps * times.makers + 0.5);
        for (const { staleness = 0, unread } of found.records) {
          expect(staleness).toBeGreaterThanOrEqual(0);
          expect(staleness).toBeLessThanOrEqual(times.staleness ?? 0);
          expect(unread).toBeLessThanOrEqual(times.ahead);
        }
        if (times.makers > 1) return;
        for (const [i, { waited, blockWaited }] of found.records.entries()) {
          expect(Math.abs(waited - naive.waited[i])).toBeLessThan(2 * LOOK * (i + 2));
          expect(Math.abs(blockWaited - naive.makerWaited[i])).toBeLessThan(2 * LOOK * (i + 2));
        }
      },
    ),
    { seed: 24, numRuns: 8 },
  );
});
