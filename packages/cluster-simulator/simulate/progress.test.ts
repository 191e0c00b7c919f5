import fc from "fast-check";
import { expect, test } from "vitest";
import { reachedAfter, type Stretch, secondsFor } from "./progress.ts";

/** The same in ticks of a quarter of a second, at speed 1: one second of work is four ticks. */
function naive(seconds: number, { from, length, every, save }: Stretch) {
  let [computed, saved, saving, left, dirty] = [from, from, 0, 0, from < length];
  for (let tick = 0; tick < seconds * 4; tick++) {
    if (!dirty) break;
    if (left === 0) {
      computed += 0.25;
      const due = computed === length || (every !== undefined && computed % every === 0);
      if (!due) continue;
      if (save > 0) left = save * 4;
      else {
        saved = computed;
        dirty = computed < length;
      }
    } else if (--left === 0) {
      saved = computed;
      saving += save;
      dirty = computed < length;
    }
  }
  return { computed, saved, saving };
}

const quarters = (most: number, least = 0) => fc.integer({ min: least, max: most * 4 }).map((n) => n / 4);

test("what is computed and saved after any time is that of a training that counts quarters of seconds", () => {
  const stretch = fc
    .record({
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      length: quarters(20, 1),
      every: fc.option(quarters(8, 1), { nil: undefined }),
      save: fc.nat(3),
      seconds: quarters(60),
    })
    .map(({ part, length, ...rest }) => ({ ...rest, length, from: Math.floor(part * length * 4) / 4 }));
  fc.assert(
    fc.property(stretch, ({ seconds, ...rest }) => {
      const own = { ...rest, speed: 1 };
      expect(reachedAfter(seconds, own)).toEqual(naive(seconds, own));
      // Twice as fast with checkpoints that take half as long: everything in half the time.
      const fast = reachedAfter(seconds / 2, { ...own, speed: 2, save: own.save / 2 });
      expect(fast).toEqual({ ...reachedAfter(seconds, own), saving: reachedAfter(seconds, own).saving / 2 });
      const end = secondsFor(own);
      expect(naive(end, own).saved).toBe(own.length);
      if (own.from < own.length) expect(naive(end - 0.25, own).saved).toBeLessThan(own.length);
    }),
    { seed: 5, numRuns: 400 },
  );
});
