/**
 * @file A worker that trains one model: the lab's own loop over the lab's own graphs, in WebAssembly.
 *
 *     <- { kind: "start", config: { task, model, train, ... }, wasm }
 *     -> { kind: "ready", parameters: 6785 }
 *     -> { kind: "steps", records: [{ step: 1, loss: 0.71, heldOut: .5, ... }, ...] }
 *     <- { kind: "pause" }, { kind: "go on" }, { kind: "weights" }
 *     -> { kind: "weights", file: the numbers as model.safetensors, step }
 */

import { config as zod } from "zod";
import { modelNamed, parameterCount, parameterShapes } from "../../src/models/index.ts";
import { parseWith } from "../../src/records/config.ts";
import { RunConfig, type StepRecord } from "../../src/records/run.ts";
import { encodeSafetensors, type StoredTensor } from "../../src/records/safetensors.ts";
import { taskNamed } from "../../src/tasks/index.ts";
import { createTrainer, type Trainer } from "../../src/train/trainer.ts";
import { pageRuntime } from "./runtime.ts";

zod({ jitless: true }); // the page's policy lets no code be made of text

export type ToTrain =
  | { readonly kind: "start"; readonly config: object; readonly wasm: ArrayBuffer }
  | { readonly kind: "pause" | "go on" | "weights" };

export type Trained =
  | { readonly kind: "ready"; readonly parameters: number }
  | { readonly kind: "steps"; readonly records: readonly StepRecord[] }
  | { readonly kind: "finished" }
  | { readonly kind: "weights"; readonly file: Uint8Array<ArrayBuffer>; readonly step: number }
  | { readonly kind: "failed"; readonly words: string };

/** The page is told so often. */
const TELL_MILLISECONDS = 100;

const say = (said: Trained) => postMessage(said);
let trainer: Trainer | undefined;
let isPaused = false;
let goOn: (() => void) | undefined;

async function train(given: object, wasm: ArrayBuffer): Promise<void> {
  const config = parseWith(RunConfig, given, "config");
  trainer = await createTrainer(config, {
    task: taskNamed(config.task.name),
    architecture: modelNamed(config.model.name),
    runtime: pageRuntime(wasm),
    now: () => performance.now(),
  });
  say({ kind: "ready", parameters: parameterCount(parameterShapes(trainer.model)) });
  let records: StepRecord[] = [];
  let told = performance.now();
  const tell = async () => {
    if (records.length > 0) say({ kind: "steps", records });
    records = [];
    await new Promise((next) => setTimeout(next)); // what the page says is heard here
    told = performance.now();
  };
  for await (const record of trainer.steps()) {
    if (record.gradientNorm === 0)
      throw new Error(
        `step ${record.step}: expected a gradient, got 0: this browser's engine does not compute it`,
      );
    records.push(record);
    if (performance.now() - told > TELL_MILLISECONDS) await tell();
    if (isPaused) {
      await tell();
      await new Promise<void>((next) => {
        goOn = next;
      });
    }
  }
  await tell();
  say({ kind: "finished" });
}

function weights(): void {
  if (trainer === undefined) return;
  const { parameters, shapes } = trainer;
  const tensors: Record<string, StoredTensor> = {};
  for (const [path, data] of Object.entries(parameters))
    tensors[path] = { dtype: "F32", shape: shapes[path], data };
  say({ kind: "weights", file: Uint8Array.from(encodeSafetensors(tensors)), step: trainer.state().step });
}

addEventListener("message", ({ data }: MessageEvent<ToTrain>) => {
  switch (data.kind) {
    case "start":
      train(data.config, data.wasm).catch((error) =>
        say({ kind: "failed", words: error instanceof Error ? error.message : String(error) }),
      );
      break;
    case "pause":
      isPaused = true;
      break;
    case "go on":
      isPaused = false;
      goOn?.();
      break;
    case "weights":
      weights();
      break;
    default:
      data satisfies never;
  }
});
