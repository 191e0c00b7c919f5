/**
 * @file A process that writes a run as fast as it can, to be killed, and the check of its leftovers.
 *
 * Everything that is written follows from the step (weights = step, log records 1, 2, 3, ...), so a reader that knows
 * nothing else can tell a right checkpoint from a wrong one. Each finished save is reported on stdout.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { latestCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { readLog } from "./log.ts";
import { createRun, openRun } from "./run-folder.ts";

const file = fileURLToPath(import.meta.url);

/** Weights of a step: sizes vary so that the kill falls into different phases of a save. */
const weightsAt = (step: number) => new Float32Array(1 + ((step * 7919) % 40_000)).fill(step);

async function writeUntilKilled(folder: string): Promise<never> {
  const last = await latestCheckpoint(folder);
  const first = (last?.step ?? 0) + 1;
  const run =
    last === undefined
      ? await createRun(folder, { seed: 1 }, { overwrite: true })
      : await openRun(folder, { dropFrom: (record) => (record as { step: number }).step >= first });
  for (let step = first; ; step++) {
    run.metrics.append({ step, padding: "x".repeat(step % 300) });
    const data = weightsAt(step);
    const tensor = { dtype: "F32", shape: [data.length], data } as const;
    const optimizer = { tensors: { m: tensor }, metadata: {} };
    await saveCheckpoint(
      folder,
      step,
      { model: { w: tensor }, optimizer, state: { twice: 2 * step } },
      run.lock,
    );
    process.stdout.write(`${step}\n`);
  }
}

/** Starts the writer, kills it `milliseconds` after its first finished save, and returns the last step it reported. */
export async function killWriter(folder: string, milliseconds: number): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, ["--import", "tsx", file, folder], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  let complaints = "";
  child.stderr?.on("data", (bytes) => {
    complaints += bytes;
  });
  const closed = new Promise((resolve) => child.on("close", resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (bytes) => {
      printed += bytes;
      resolve();
    });
    child.on("close", () => reject(new Error(`the writer ended by itself: ${complaints}`)));
  });
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  child.kill("SIGKILL");
  await closed;
  return Number(printed.split("\n").at(-2)); // after the last newline there is a partial line or nothing
}

/** Reads what a killed writer left; throws when anything that it had reported is lost or wrong. Returns the step. */
export async function checkRemains(folder: string, reported: number): Promise<number> {
  const checkpoint = await latestCheckpoint(folder);
  if (checkpoint === undefined) throw new Error("no checkpoint at all");
  const { step, model, optimizer, state, passedOver } = checkpoint;
  if (passedOver.length > 0) throw new Error(`damaged: ${passedOver}`);
  if (step < reported)
    throw new Error(`step ${reported} was reported as saved, the newest good one is ${step}`);
  const expected = weightsAt(step);
  for (const tensor of [model.w, optimizer?.tensors.m]) {
    const right = tensor?.data.length === expected.length && tensor.data.every((weight) => weight === step);
    if (!right) throw new Error(`wrong weights at step ${step}`);
  }
  if ((state as { twice: number }).twice !== 2 * step) throw new Error(`wrong state at step ${step}`);
  const steps = readLog(`${folder}/metrics.jsonl`).map((record) => (record as { step: number }).step);
  if (steps.some((logged, i) => logged !== i + 1)) throw new Error(`the log has holes: ${steps}`);
  if (steps.length < step) throw new Error(`the log ends at ${steps.length}, the checkpoint is of ${step}`);
  return step;
}

if (process.argv[1] === file) await writeUntilKilled(process.argv[2]);
