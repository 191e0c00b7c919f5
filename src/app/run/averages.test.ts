import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { evaluateRun } from "./evaluate.ts";
import { type OpenOptions, openTrainedRun } from "./open.ts";
import { resumeRun } from "./resume.ts";
import { trainRun } from "./train.ts";

const root = tmpFolder("averages");
const at = (...parts: string[]) => join(root, ...parts);
const { signal } = new AbortController();

const configWith = (train: object, checkpointEvery: number) =>
  RunConfig.parse({
    task: { name: "parity", length: 6 },
    model: { name: "gru", layers: 1, width: 8 },
    train: { steps: 9, batch: 4, learningRate: 0.02, warmupSteps: 0, ...train },
    evaluate: { examples: 10 },
    checkpointEvery,
  });

const weightsAt = async (name: string, step: OpenOptions["step"]) => {
  const { weights } = await openTrainedRun(at(name), { step });
  return Object.entries(weights)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, numbers]) => [...numbers]);
};

test("the moving average and the mean of checkpoints are those of the weights of each step", async () => {
  await trainRun(at("all"), configWith({ averaging: { ema: 0.8, mean: 9 } }, 1), { signal });
  const [ema, mean] = [await weightsAt("all", "ema"), await weightsAt("all", "mean")];
  const each = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map((step) => weightsAt("all", step)));
  const moving = each.reduce((before, weights) => before.map((x, i) => 0.8 * x + 0.2 * weights[i]), each[0]);
  expect(ema).toHaveLength(moving.length);
  for (const [i, x] of ema.entries()) {
    expect(Math.abs(x - moving[i])).toBeLessThan(1e-6);
    expect(Math.abs(mean[i] - each.reduce((sum, weights) => sum + weights[i], 0) / 9)).toBeLessThan(1e-6);
  }
});

test("averages, with groups and shares, are kept and resumed to the bit, and are evaluated without a trace in the folder", async () => {
  const groups = [{ match: "embedding", learningRateRatio: 0.5, beta2: 0.9 }];
  const config = configWith({ averaging: { ema: 0.8, mean: 3 }, shares: 3, groups }, 2);
  await trainRun(at("whole"), config, { signal });
  await trainRun(at("halves"), config, { signal, until: 5 });
  await resumeRun(at("halves"), { signal });
  expect(readdirSync(at("whole", "checkpoints")).toSorted()).toEqual(["4", "6", "8", "9"]);
  for (const average of ["ema", "mean"] as const) {
    expect(await weightsAt("halves", average)).toEqual(await weightsAt("whole", average));
    const { document } = await evaluateRun({ folder: at("whole"), checkpoint: average, signal });
    expect(document.results[0].programs).toBe(10);
    expect(existsSync(at("whole", "evaluation.json"))).toBe(false);
  }
  await trainRun(at("plain"), configWith({}, 2), { signal });
  await expect(openTrainedRun(at("plain"), { step: "ema" })).rejects.toThrow(
    "Train it with train.averaging.ema",
  );
  await expect(openTrainedRun(at("plain"), { step: "mean" })).rejects.toThrow(
    "Train it with train.averaging.mean",
  );
});
