/** @file Small trainings by the built program, whole or killed again and again, and the comparison of two runs to the bit. */

import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Rng } from "../../src/core/rng.ts";
import { latestCheckpoint } from "../../src/storage/index.ts";
import { linesIn, startStatelab, succeed } from "./cli.ts";

/** 300 steps of a model of 3,288 parameters; stages change, checkpoints are written at 100, 200 and 300. */
export const small = `
seed: 3
task: { name: repl, variables: 3, commands: 4 }
model: { name: deltanet, layers: 1, width: 16, heads: 2 }
train: { steps: 300, batch: 8, learningRate: 0.005, warmupSteps: 5 }
curriculum: { stages: [[{ spacing: 1 }], [{ spacing: 1 }, { spacing: 2 }]], maxStepsPerStage: 60 }
evaluate: { examples: 30, settings: [{ spacing: 2 }, { commands: 8, spacing: 4 }] }
checkpointEvery: 100
`;

/** The same model; with a checkpoint every four steps much of the time goes into saving. */
export const smallSavedEvery = (steps: number, every: number, seed = 3) => `
seed: ${seed}
task: { name: repl, variables: 3, commands: 4 }
model: { name: deltanet, layers: 1, width: 16, heads: 2 }
train: { steps: ${steps}, batch: 4, learningRate: 0.005, warmupSteps: 5 }
curriculum: { stages: [[{ spacing: 1 }], [{ spacing: 1 }, { spacing: 2 }]], maxStepsPerStage: 60 }
evaluate: { examples: 5 }
checkpointEvery: ${every}
`;

/** Writes small.yaml and trains it without a stop into `whole`. */
export async function trainWhole(root: string, steps: number): Promise<void> {
  writeFileSync(join(root, "small.yaml"), smallSavedEvery(steps, 4));
  await succeed(root, "train small.yaml --out whole");
}

/** The result of a run as text: its records without the seconds, its weights, optimizer, state and exported models. */
export function remains(folder: string): Record<string, string> {
  const lines = readFileSync(join(folder, "metrics.jsonl"), "utf8").trimEnd().split("\n");
  const records = lines.map((line) => JSON.stringify({ ...JSON.parse(line), seconds: 0 }));
  const checkpoint = ["model.safetensors", "optimizer.safetensors", "state.json"].map((name) =>
    join("checkpoints", String(lines.length), name),
  );
  const files = [...checkpoint, "model.onnx", "step.onnx", "tokenizer.json"];
  return {
    "metrics.jsonl": records.join("\n"),
    ...Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name)).toString("base64")])),
  };
}

/** The command that continues a run, in whatever state a killed process left it. */
const goOn = (root: string, name: string) =>
  existsSync(join(root, name, "config.json")) ? `train --resume ${name}` : `train small.yaml --out ${name}`;

export interface Kills {
  /** How many processes were killed. */
  readonly killed: number;
  /** How many of these in the middle of a save: they left a half checkpoint. */
  readonly inSave: number;
}

/**
 * Trains into `name`, killing the process `times` times: one in five while it starts, two while it trains, two while it
 * saves. Throws when what was saved before is lost or damaged. Then lets it come to its end.
 */
export async function trainKilled(root: string, name: string, times: number, rng: Rng): Promise<Kills> {
  const folder = join(root, name);
  let [killed, inSave, before] = [0, 0, 0];
  for (let kill = 0; kill < times; kill++) {
    const running = startStatelab(root, goOn(root, name));
    let over = false;
    void running.ended.then(() => {
      over = true;
    });
    await moment(folder, kill % 5, rng, () => over);
    running.process.kill("SIGKILL");
    await running.ended;
    if (running.process.signalCode === "SIGKILL") killed++;
    if (halfSaved(folder)) inSave++;
    const found = await latestCheckpoint(folder);
    if (found !== undefined && found.passedOver.length > 0) throw new Error(found.passedOver.join("; "));
    if ((found?.step ?? 0) < before) throw new Error(`step ${before} was saved, ${found?.step} is left`);
    before = found?.step ?? 0;
  }
  await succeed(root, goOn(root, name));
  return { killed, inSave };
}

const halfSaved = (folder: string) =>
  existsSync(join(folder, "checkpoints")) &&
  readdirSync(join(folder, "checkpoints")).some((entry) => entry.startsWith("."));

/** Waits for a moment of one of the kinds; ends early when the process is over. */
async function moment(folder: string, kind: number, rng: Rng, over: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  const until = async (holds: () => boolean) => {
    while (!holds() && !over() && performance.now() < deadline) await pause(1);
  };
  if (kind === 0) return void (await pause(rng.next() * 400));
  const metrics = join(folder, "metrics.jsonl");
  const length = () => linesIn(metrics);
  // At its start a process cuts the log after its checkpoint; what it writes itself comes after that.
  const saved = (await latestCheckpoint(folder))?.step ?? 0;
  await until(() => length() <= saved);
  if (kind <= 2) {
    const more = 1 + rng.below(12);
    await until(() => length() >= saved + more);
    return void (await pause(rng.next() * 5));
  }
  await saveBegins(join(folder, "checkpoints"), over);
  if (rng.next() < 0.5) await pause(rng.next() * 6);
}

/** Resolves when a writer makes the folder of a new checkpoint. */
function saveBegins(checkpoints: string, over: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearInterval(timer);
      watcher?.close();
      resolve();
    };
    let watcher: ReturnType<typeof watch> | undefined;
    const timer = setInterval(() => {
      if (over()) return done();
      if (watcher !== undefined || !existsSync(checkpoints)) return;
      watcher = watch(checkpoints, (_, name) => {
        if (name !== null && /^\.\d+\.\w+\.tmp$/.test(name)) done();
      });
    }, 1);
  });
}
