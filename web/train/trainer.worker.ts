/**
 * @file A worker that trains one model: the lab's own loop over the lab's own graphs, in WebAssembly.
 *
 *     <- { kind: "start", from: { kind: "choice", choice, model } or { kind: "folder", files }, engine: { device: "cpu", wasm } }
 *     -> { kind: "ready", parameters: 6785, config, records: those of a folder's log }
 *     -> { kind: "steps", records: [{ step: 1, loss: 0.71, heldOut: .5, ... }, ...] }
 *     <- { kind: "pause" }, { kind: "go on", rate: 0.001, steps: 900 }
 *     <- { kind: "ask", id: 1, about: "folder" }              -> { kind: "answer", id: 1, folder: its files, step }
 *
 * Questions are answered between two steps, so that weights and the state of the optimizer are of one step.
 */

import { config as zod } from "zod";
import { exportedFiles } from "../../src/app/run/exported-files.ts";
import { errorText } from "../../src/core/error.ts";
import { parseWith } from "../../src/core/settings.ts";
import { describeModel, modelNamed, parameterCount, parameterShapes } from "../../src/models/index.ts";
import { RunConfig, type StepRecord } from "../../src/schemas/run-config.ts";
import { taskNamed } from "../../src/tasks/index.ts";
import type { Runtime } from "../../src/tensor/index.ts";
import { createTrainer, type Saved, type Trainer } from "../../src/train/trainer.ts";
import { folderOf, runIn } from "./run-folder.ts";
import { type Beyond, chosenConfig, type Engine, longerTests, pageRuntime } from "./runtime.ts";
import type { Choice } from "./settings.ts";

zod({ jitless: true }); // the page's policy lets no code be made of text

export type Origin =
  | { readonly kind: "choice"; readonly choice: Choice; readonly model: string }
  | { readonly kind: "folder"; readonly files: ReadonlyMap<string, Uint8Array> };

export interface Change {
  readonly rate: number;
  readonly steps: number;
}

export type ToTrain =
  | { readonly kind: "start"; readonly from: Origin; readonly engine: Engine }
  | { readonly kind: "pause" }
  | ({ readonly kind: "go on" } & Partial<Change>)
  | { readonly kind: "ask"; readonly id: number; readonly about: keyof Answers };

/** Questions and their answers. */
export interface Answers {
  readonly folder: { readonly files: Readonly<Record<string, Uint8Array>>; readonly step: number };
  /** Without checkpoint and checksums. */
  readonly exported: { readonly files: Readonly<Record<string, string | Uint8Array>>; readonly step: number };
  readonly beyond: { readonly beyond: readonly Beyond[]; readonly step: number };
  /** The data that another view needs to run the model. */
  readonly weights: {
    readonly model: object;
    readonly tokens: readonly string[];
    readonly numbers: Readonly<
      Record<string, { readonly shape: readonly number[]; readonly data: Float32Array }>
    >;
    readonly step: number;
  };
}

export type Trained =
  | {
      readonly kind: "ready";
      readonly parameters: number;
      readonly config: RunConfig;
      readonly records: readonly StepRecord[];
    }
  | { readonly kind: "steps"; readonly records: readonly StepRecord[] }
  | { readonly kind: "finished" }
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly answer?: Answers[keyof Answers];
      readonly refusal?: string;
    }
  | { readonly kind: "failed"; readonly words: string };

/** Interval of messages to the page. */
const TELL_MILLISECONDS = 100;

const say = (said: Trained) => postMessage(said);

interface Training {
  config: RunConfig;
  readonly changes: object[];
  readonly records: StepRecord[];
  trainer: Trainer;
  readonly runtime: Runtime;
}

let training: Training | undefined;
let isPaused = false;
/** Paused, finished: what is asked then is answered at once. */
let isIdle = false;
let goOn: ((change: Partial<Change>) => void) | undefined;
const asked: Extract<ToTrain, { kind: "ask" }>[] = [];

const trainerOf = (config: RunConfig, runtime: Runtime, saved?: Saved) =>
  createTrainer(
    config,
    {
      ...{ task: taskNamed(config.task.name), architecture: modelNamed(config.model.name) },
      ...{ runtime, now: () => performance.now() },
    },
    saved,
  );

async function start(from: Origin, engine: Engine): Promise<Training> {
  const runtime = await pageRuntime(engine);
  if (from.kind === "choice") {
    const config = chosenConfig(from.choice, from.model);
    return { config, changes: [], records: [], runtime, trainer: await trainerOf(config, runtime) };
  }
  const { config, changes, records, saved } = await runIn(from.files);
  const trainer = await trainerOf(config, runtime, saved);
  isPaused = true; // an opened run is shown before it continues
  return { config, changes: [...changes], records: [...records], runtime, trainer };
}

function sayReady({ trainer, config, records }: Training): void {
  const parameters = parameterCount(parameterShapes(trainer.model));
  say({ kind: "ready", parameters, config, records: records.slice() });
}

async function train(own: Training): Promise<void> {
  const { records: all } = own;
  sayReady(own);
  let records: StepRecord[] = [];
  let told = performance.now();
  const tell = async () => {
    if (records.length > 0) say({ kind: "steps", records });
    records = [];
    await new Promise((next) => setTimeout(next)); // what the page says is heard here
    await attend(own);
    told = performance.now();
  };
  for (let isOver = false; !isOver; ) {
    let change: Partial<Change> = {};
    if (isPaused) change = await pause(own, tell);
    if (await changed(own, change)) sayReady(own);
    isOver = true;
    for await (const record of own.trainer.steps()) {
      if (record.gradientNorm === 0)
        throw new Error(
          `step ${record.step}: expected a gradient, got 0: this browser's engine does not compute it`,
        );
      records.push(record);
      all.push(record);
      if (performance.now() - told > TELL_MILLISECONDS) await tell();
      if (isPaused) {
        isOver = false;
        break;
      }
    }
  }
  await tell();
  say({ kind: "finished" });
  isIdle = true;
  await attend(own);
}

/** Resolves when the page continues, with its changes. */
async function pause(own: Training, tell: () => Promise<void>): Promise<Partial<Change>> {
  await tell();
  const change = new Promise<Partial<Change>>((next) => {
    goOn = next;
  });
  isIdle = true;
  await attend(own);
  const given = await change;
  isIdle = false;
  return given;
}

/** The same weights, and what the optimizer remembers, under another rate or budget; config.json tells of it. */
async function changed(own: Training, { rate, steps }: Partial<Change>): Promise<boolean> {
  const { train: before } = own.config;
  const { step } = own.trainer.state();
  const set = {
    ...(rate !== undefined && rate !== before.learningRate && { learningRate: rate }),
    ...(steps !== undefined && steps !== before.steps && { steps: Math.max(steps, step) }),
  };
  if (Object.keys(set).length === 0) return false;
  const { parameters, optimizer } = own.trainer;
  await own.trainer.read();
  const saved = { state: own.trainer.state(), parameters, optimizer: optimizer.state };
  const config = parseWith(RunConfig, { ...own.config, train: { ...before, ...set } }, "config");
  const trainer = await trainerOf(config, own.runtime, saved);
  await own.trainer.release();
  own.trainer = trainer;
  own.config = config;
  const told = Object.entries(set).map(([name, to]) => [
    `train.${name}`,
    { from: before[name as keyof typeof before], to },
  ]);
  own.changes.push({ step, set: Object.fromEntries(told) });
  return true;
}

const answers: { readonly [About in keyof Answers]: (own: Training) => Promise<Answers[About]> } = {
  folder: async (own) => ({ files: await folderOf(own.trainer, own), step: own.trainer.state().step }),
  exported: async ({ trainer: { model, data, parameters, state } }) => ({
    files: exportedFiles({ model, data, tree: parameterShapes(model), weights: parameters }),
    step: state().step,
  }),
  beyond: async ({ trainer, config, runtime }) => ({
    beyond: await longerTests(trainer, config, runtime),
    step: trainer.state().step,
  }),
  weights: async ({ trainer: { model, data, parameters, shapes, state }, config }) => ({
    model: { ...describeModel(model), name: config.model.name },
    tokens: data.tokenizer.tokens,
    numbers: Object.fromEntries(
      Object.entries(parameters).map(([path, numbers]) => [
        path,
        { shape: shapes[path], data: numbers.slice() },
      ]),
    ),
    step: state().step,
  }),
};

async function attend(own: Training): Promise<void> {
  if (asked.length > 0) await own.trainer.read();
  for (let next = asked.shift(); next !== undefined; next = asked.shift()) {
    const { id, about } = next;
    try {
      say({ kind: "answer", id, answer: await answers[about](own) });
    } catch (error) {
      say({ kind: "answer", id, refusal: errorText(error) });
    }
  }
}

addEventListener("message", ({ data }: MessageEvent<ToTrain>) => {
  switch (data.kind) {
    case "start":
      start(data.from, data.engine)
        .then((own) => {
          training = own;
          return train(own);
        })
        .catch((error) => say({ kind: "failed", words: errorText(error) }));
      break;
    case "pause":
      isPaused = true;
      break;
    case "go on":
      isPaused = false;
      goOn?.(data);
      break;
    case "ask":
      asked.push(data);
      if (isIdle && training !== undefined) attend(training);
      break;
    default:
      data satisfies never;
  }
});
