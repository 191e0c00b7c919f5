/** @file A small training for end-to-end tests, and what two that are the same have in common. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** 300 steps of a model of 3,288 parameters; stages change, checkpoints are written at 100, 200, 300. */
export const small = `
seed: 3
task: { name: repl, variables: 3, commands: 4 }
model: { name: deltanet, layers: 1, width: 16, heads: 2 }
train: { steps: 300, batch: 8, learningRate: 0.005, warmupSteps: 5 }
curriculum: { stages: [[{ spacing: 1 }], [{ spacing: 1 }, { spacing: 2 }]], maximumSteps: 60 }
evaluate: { programs: 30, tests: [{ spacing: 2 }, { commands: 8, spacing: 4 }] }
checkpointEvery: 100
`;

/** Everything in metrics.jsonl but the seconds, which no two runs share. */
export function metricsOf(folder: string): Record<string, unknown>[] {
  const lines = readFileSync(join(folder, "metrics.jsonl"), "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const { seconds, ...record } = JSON.parse(line);
    expect(seconds).toBeGreaterThan(0);
    return record;
  });
}

/** That a run ended as another that never stopped: records, weights, optimizer and exported model. */
export function expectSame(folder: string, whole: string): void {
  expect(metricsOf(folder)).toEqual(metricsOf(whole));
  const files = ["model.safetensors", "optimizer.safetensors"].map((name) =>
    join("checkpoints", "300", name),
  );
  for (const file of [...files, "model.onnx", "step.onnx", "tokenizer.json"]) {
    const same = readFileSync(join(folder, file)).equals(readFileSync(join(whole, file)));
    expect(same, `${file} is the same`).toBe(true);
  }
}
