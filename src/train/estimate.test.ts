import { expect, test } from "vitest";
import { estimate } from "./estimate.ts";
import { tinyConfig, withTrainer } from "./fixture.test-helper.ts";

test("the time left is that of a step times the steps left", async () => {
  const config = tinyConfig({ steps: 10 });
  await withTrainer(config, async (trainer) => {
    expect(await estimate(trainer, config)).toMatchObject({ secondsPerStep: 0.005, seconds: 0.05 });
    let done = 0;
    for await (const _ of trainer.steps()) if (++done === 4) break;
    expect((await estimate(trainer, config)).seconds).toBeCloseTo(0.03, 10);
    for await (const _ of trainer.steps());
    expect(await estimate(trainer, config)).toMatchObject({ secondsPerStep: 0, seconds: 0 });
  });
});

test("memory is at least what the process has after the first steps", async () => {
  const config = tinyConfig({ steps: 10 });
  await withTrainer(config, async (trainer) => {
    const own = trainer.memory();
    expect((await estimate(trainer, config, () => 2 * own)).bytes).toBe(2 * own);
    expect((await estimate(trainer, config, () => own / 2)).bytes).toBe(own);
  });
});

test("a training that ended early, every held-out answer right, has nothing left", async () => {
  const config = tinyConfig({ steps: 10 });
  await withTrainer(config, async (trainer) => {
    const state = () => ({ ...trainer.state(), step: 4, perfectAt: 4 });
    expect(await estimate({ ...trainer, state }, config)).toMatchObject({ secondsPerStep: 0, seconds: 0 });
  });
});

test("memory holds parameters, gradient, moments and logits, and grows with the batch by what a row needs", async () => {
  const bytes = (batch: number) =>
    withTrainer(tinyConfig({ batch }), async (trainer) => {
      const numbers = Object.values(trainer.parameters).reduce((total, { length }) => total + length, 0);
      const logits = batch * trainer.data.stages[0].length * trainer.data.tokenizer.tokens.length;
      const memory = trainer.memory();
      expect(memory).toBeGreaterThan(4 * (4 * numbers + logits));
      return memory;
    });
  const [four, eight, twelve] = [await bytes(4), await bytes(8), await bytes(12)];
  expect(eight).toBeGreaterThan(four);
  // Constants and weights do not depend on the batch; what does is linear in it.
  expect(Math.abs(twelve - eight - (eight - four))).toBeLessThan(0.02 * (eight - four));
});
