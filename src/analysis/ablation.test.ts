import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { ablateHeads, meanReading } from "./ablation.ts";
import { parityPrograms, tapOf } from "./recording.test-helper.ts";
import type { AblatedForward } from "./recording.ts";

test("only the head that is needed costs accuracy, and by how much is known", async () => {
  // 100 programs of 4 questions; without head (1, 0) the model names one of 4 values blindly.
  const rng = rngFrom(1);
  const ask: AblatedForward = async (silenced) =>
    Array.from({ length: 100 }, () => ({
      asked: 4,
      right:
        silenced?.layer === 1 && silenced.head === 0
          ? [0, 1, 2, 3].filter(() => rng.below(4) === 0).length
          : 4,
    }));
  const heads = [0, 1].flatMap((layer) => [0, 1].map((head) => ({ layer, head })));
  const { accuracy, questions, silenced } = await ablateHeads(heads, ask);
  expect([accuracy, questions]).toEqual([1, 400]);
  expect(silenced).toHaveLength(8);
  for (const { layer, head, drop, dropInterval, interval } of silenced) {
    if (layer !== 1 || head !== 0) {
      // Of none of 100 programs the answers change: of more than 3.7 % they would have, 39 times of 40.
      expect(drop).toBe(0);
      expect(dropInterval[0]).toBeCloseTo(-dropInterval[1], 12);
      expect(dropInterval[1]).toBeCloseTo(0.037, 3);
    } else {
      const standardError = Math.sqrt((0.25 * 0.75) / 400);
      expect(Math.abs(drop - 0.75)).toBeLessThan(4 * standardError);
      expect(dropInterval[0]).toBeLessThan(drop);
      expect((dropInterval[1] - dropInterval[0]) / (2 * 1.96 * standardError)).toBeCloseTo(1, 0);
      expect(interval[0]).toBeLessThan(0.25 + 4 * standardError);
    }
  }
});

test("the mean reading of a head leaves out what stands behind the end of a program", () => {
  const [long, other] = parityPrograms(2, 6, rngFrom(1));
  const short = { ...other, tokens: other.tokens.slice(0, 2) };
  const tap = tapOf([long, short], [2, 1], (i, t) => [i, 10 * t]);
  tap.data.fill(1000, (6 + 2) * 2);
  expect(meanReading(tap, [long, short], 0)).toEqual(Float32Array.of(2 / 8));
  expect(meanReading(tap, [long, short], 1)).toEqual(Float32Array.of((150 + 10) / 8));
});
