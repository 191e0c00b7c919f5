/**
 * @file Trains with parameter groups, gradient accumulation and a moving average for 20 steps, and compares with PyTorch
 * (optimizer.py) on the same batches.
 *
 *     python3 -m pip install --target test/python/packages -r test/python/requirements.txt
 *     npm run soak -- test/python
 */

import { expect, test } from "vitest";
import { emptyBatch } from "../../src/tasks/index.ts";
import { recordsOf, tinyConfig, withTrainer } from "../../src/train/fixture.test-helper.ts";
import { here, isInstalled, python } from "./python.test-helper.ts";

const train = {
  ...{ steps: 20, batch: 8, shares: 4, learningRate: 0.01, warmupSteps: 5, weightDecay: 0.1 },
  averaging: { ema: 0.99 },
  groups: [
    { match: "embedding", learningRateRatio: 0.5, beta2: 0.99 },
    { match: "*.mixer.*", learningRateRatio: 2, weightDecay: 0.2, beta1: 0.8 },
  ],
};

test.skipIf(!isInstalled("torch"))(
  "AdamW with groups, accumulation 4 and EMA .99 are PyTorch's within 1e-5 over 20 steps",
  async () => {
    const config = tinyConfig(train, { stages: [[{ spacing: 2 }]] }, { name: "rnn", heads: 1 });
    await withTrainer(config, async (trainer) => {
      const { parameters, shapes, data, optimizer } = trainer;
      const start = Object.entries(parameters).map(([path, numbers]) => [path, [shapes[path], [...numbers]]]);
      const { fill, length } = data.stages[0];
      const batches = Array.from({ length: 20 }, (_, i) => {
        const batch = emptyBatch(8, length);
        fill(batch, i + 1);
        return [batch.tokens, batch.targets, batch.weights].map((numbers) =>
          Array.from({ length: 8 }, (_, row) => [...numbers.subarray(row * length, (row + 1) * length)]),
        );
      });
      const records = await recordsOf(trainer);
      const job = { parameters: Object.fromEntries(start), batches, train: config.train };
      const { stdout, stderr } = python([here("optimizer.py")], JSON.stringify(job));
      expect(stdout, stderr).not.toBe("");
      const found = JSON.parse(stdout);
      const largest = (own: Iterable<number>, theirs: readonly number[]) =>
        [...own].reduce((most, each, i) => Math.max(most, Math.abs(each - theirs[i])), 0);
      const differences = {
        losses: largest(
          records.map(({ loss }) => loss),
          found.losses,
        ),
        parameters: largest(
          Object.values(parameters).flatMap((each) => [...each]),
          Object.values<number[]>(found.parameters).flat(),
        ),
        average: largest(optimizer.state.average, Object.values<number[]>(found.average).flat()),
      };
      expect(found.losses).toHaveLength(20);
      expect(found.average).not.toEqual(found.parameters);
      for (const [name, difference] of Object.entries(differences))
        expect(difference, name).toBeLessThan(1e-5);
    });
  },
);
