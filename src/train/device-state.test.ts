import { expect, test } from "vitest";
import {
  onDevice,
  placed,
  quick,
  recordsOf,
  savedFrom,
  tinyConfig,
  withTrainer,
} from "./fixture.test-helper.ts";

const config = tinyConfig(
  { steps: 12, shares: 1, evaluateEvery: 4, validationExamples: 10, averaging: { ema: 0.9 } },
  quick,
);
const parts = { runtime: onDevice };

test("weights that stay on a device change as those on the host do; a step copies batch, loss and hits only", async () => {
  const host = await withTrainer(config, async (trainer) => ({
    records: await recordsOf(trainer),
    end: savedFrom(trainer),
  }));
  await withTrainer(
    config,
    async (trainer) => {
      const before = savedFrom(trainer);
      const records = await recordsOf(trainer);
      expect(savedFrom(trainer).parameters).toEqual(before.parameters); // not before `read`
      await trainer.read();
      const end = savedFrom(trainer);
      for (const [i, { loss, gradientNorm, transferBytes, heldOut, stage }] of records.entries()) {
        expect(loss).toBeCloseTo(host.records[i].loss, 4);
        expect(gradientNorm / host.records[i].gradientNorm).toBeCloseTo(1, 3);
        expect(heldOut).toBe(host.records[i].heldOut);
        // Of 6 rows tokens, targets, their weights and hits; the loss, the norm and four scalars; all are of 4 bytes.
        expect(transferBytes).toBe(4 * (4 * 6 * trainer.data.stages[stage].length + 6));
      }
      for (const [path, numbers] of Object.entries(host.end.parameters))
        for (const [i, each] of numbers.entries()) expect(end.parameters[path][i]).toBeCloseTo(each, 3);
      for (const [name, numbers] of Object.entries(host.end.optimizer))
        for (const [i, each] of numbers.entries()) expect(end.optimizer[name][i]).toBeCloseTo(each, 3);
    },
    undefined,
    parts,
  );
  expect(placed).toEqual([]);
});

test("a state that was read resumes with the same losses; trial steps change nothing", async () => {
  const records = await withTrainer(config, (trainer) => recordsOf(trainer), undefined, parts);
  const saved = await withTrainer(
    config,
    async (trainer) => {
      await trainer.tryStep();
      await recordsOf(trainer, 5);
      await trainer.verify();
      return savedFrom(trainer);
    },
    undefined,
    parts,
  );
  const rest = await withTrainer(config, (trainer) => recordsOf(trainer), saved, parts);
  expect(rest.map(({ loss }) => loss)).toEqual(records.slice(5).map(({ loss }) => loss));
});
