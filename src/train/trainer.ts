/**
 * @file Training as a generator of steps. It yields records and makes no decisions: the command line prints them, the page
 * draws them, a test reads them, an early stop is `break`.
 *
 *     const trainer = await createTrainer(config, { task, architecture, runtime });
 *     for await (const record of trainer.steps()) console.log(record.step, record.loss);
 *
 * One ONNX graph computes the losses of all objectives, hits and gradients; the optimizer updates one flat array, and the
 * parameters of the graph are views of it.
 */

import { crc32 } from "../core/checksum.ts";
import { fail } from "../core/error.ts";
import { notFinite } from "../core/json.ts";
import { type Architecture, type Model, parameterShapes } from "../models/index.ts";
import type { RunConfig, StepRecord } from "../schemas/run-config.ts";
import type { Task } from "../tasks/task.ts";
import type { Runtime } from "../tensor/index.ts";
import type { BlockContent, BlockSource } from "./async-data/block.ts";
import { needsModel } from "./async-data/staleness.ts";
import { advance, beginning, runningAccuracy, type StageProgress } from "./curriculum.ts";
import { type TrainingData, trainedHashes, trainingData } from "./data.ts";
import { deviceState } from "./device-state.ts";
import { diverged, unusable } from "./diverged.ts";
import { mixtureTrainer } from "./mixture/mixture-trainer.ts";
import type { Window } from "./mixture/samplers/policy.ts";
import { withMovingAverage } from "./optimizers/moving-average.ts";
import { flatten, load, type Optimizer } from "./optimizers/optimizer.ts";
import { learningRateAt } from "./schedule.ts";
import { beginWith, initialTrained, type Setup, setUp } from "./setup.ts";
import { type StepNumbers, stepComputer } from "./step.ts";
import { type Examiner, examiner, type HeldOut } from "./validation.ts";

/** Inputs of a training besides its configuration. */
export interface Parts {
  readonly task: Task;
  readonly architecture: Architecture;
  readonly runtime: Runtime;
  /** Milliseconds, only for the speed in the records. */
  readonly now: () => number;
  /** Initial weights by path; fresh ones by default. */
  readonly base?: Readonly<Record<string, Float32Array>> | undefined;
  /** Held-out programs, if they are drawn already. */
  readonly heldOut?: HeldOut | undefined;
}

/** The state that a resumed run needs to continue bit for bit, in addition to `parameters` and `optimizer`. */
export interface TrainerState {
  /** Steps done; with the batch size, also the position in the data. */
  readonly step: number;
  readonly progress: StageProgress;
  /** The first step of each stage so far. */
  readonly stageStarts: readonly number[];
  /** With `train.stopWhenSolved`: the first step after which every held-out answer was right. */
  readonly perfectAt?: number;
  /** With `train.evaluateEvery`: the best held-out evaluation, and the number of evaluations since. */
  readonly best?: Best;
  /** Checksum of the weights at the beginning of the run, if a signal needs them. */
  readonly beginning?: number;
  /** With `data.mixture`: its windows so far. */
  readonly windows?: readonly Window[];
}

export interface Best {
  readonly step: number;
  readonly heldOut: number;
  readonly since: number;
}

/** Whether the training is complete. */
export function isFinished({ step, perfectAt, best }: TrainerState, { train }: RunConfig): boolean {
  const lost = best !== undefined && best.since >= (train.patience ?? Number.POSITIVE_INFINITY);
  return step >= train.steps || perfectAt !== undefined || lost;
}

/** Of equal evaluations, the first remains the best. */
function bestOf(before: Best | undefined, step: number, heldOut: number): Best {
  const better = before === undefined || heldOut > before.heldOut;
  return better ? { step, heldOut, since: 0 } : { ...before, since: before.since + 1 };
}

export const freshState: TrainerState = { step: 0, progress: beginning, stageStarts: [1] };

export interface Trainer {
  readonly model: Model;
  readonly data: TrainingData;
  /** Path -> values; the arrays are live views that every step, or `read`, changes. */
  readonly parameters: Readonly<Record<string, Float32Array<ArrayBuffer>>>;
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  /** Paths of parameters that are not trained. */
  readonly frozen: readonly string[];
  readonly optimizer: Optimizer;
  /** Copies weights and optimizer state that stay on a device to `parameters` and `optimizer.state`. */
  read(): Promise<void>;
  /** Whether the targets of a step are made from the predictions of the model. */
  readonly asksModel: boolean;
  /** Warnings before a training. */
  readonly notes: readonly string[];
  /** Bytes that a step of the current stage needs, parameters and optimizer included. */
  memory(): number;
  state(): TrainerState;
  /**
   * Trains up to the configured number of steps, with one record per step. With a source, its examples are read from there, and it ends
   * early if the source has no more.
   */
  steps(source?: BlockSource): AsyncGenerator<StepRecord, void>;
  /** Computes the next step without an update; `steps` uses the result if its examples are the same. Errors of the device appear here. */
  tryStep(): Promise<void>;
  /** Throws `Diverged` if weights, the state of the optimizer, or loss and gradient of the next batch are not finite. */
  verify(): Promise<void>;
  /** Seconds per step of the current stage, measured on trial steps without an update. */
  trialSeconds(): Promise<number>;
  /** Content hashes of all programs trained on so far. */
  trained(): Set<number>;
  release(): Promise<void>;
}

/** The state of a checkpoint. Arrays are copied. */
export interface Saved {
  readonly state: TrainerState;
  readonly parameters: Readonly<Record<string, Float32Array>>;
  /** State of the optimizer, by name. */
  readonly optimizer: Readonly<Record<string, Float32Array>>;
}

export async function createTrainer(config: RunConfig, parts: Parts, saved?: Saved): Promise<Trainer> {
  return makeTrainer(setUp(config, parts), parts, saved);
}

export function makeTrainer(
  setup: Setup,
  parts: Pick<Parts, "runtime" | "now" | "base" | "heldOut">,
  saved?: Saved,
): Trainer {
  const { config, model, signal, trains } = setup;
  const data = trainingData(setup.data, parts.heldOut);
  const { train, curriculum } = config;
  const initial = initialTrained(setup);
  const flat = flatten(initial, trains);
  const still = flatten(initial, (path) => !trains(path));
  const frozen = still.views(still.values);
  const parameters = { ...frozen, ...flat.views(flat.values) };
  if (parts.base !== undefined) beginWith(parameters, parts.base, config.init?.from ?? "base");
  const plain = setup.optimizer(flat, train, model.mixers);
  const ema = train.averaging?.ema;
  const optimizer = ema === undefined ? plain : withMovingAverage(plain, flat, ema);
  const beginning = signal?.keepsBeginning ? copyOf(parameters) : undefined;
  const began = beginning && crcOf(beginning);
  if (saved !== undefined) {
    if (saved.state.beginning !== began)
      fail(
        "init.from",
        "the weights that the run began with",
        config.init?.from ?? "others",
        undefined,
        "corrupt",
      );
    load(parameters, saved.parameters);
    load(optimizer.state, saved.optimizer);
  }
  const { place, transfers } = parts.runtime;
  // Gradients of parts are summed on the host.
  const isWhole = setup.shares === 1 && train.padding !== "bucket";
  const device = place && isWhole ? deviceState(place, flat, still, optimizer, train) : undefined;
  const weights = () => device?.parameters() ?? parameters;
  const computer = stepComputer(setup, data, flat, frozen, parts.runtime, beginning, device);
  const mixer = mixtureTrainer(setup, data, parts.runtime);
  data.shares.load(saved?.state.windows ?? []);
  let state = saved?.state ?? { ...freshState, ...(began !== undefined && { beginning: began }) };
  let held: Examiner | undefined;

  /** Held-out accuracy after a step; undefined if it is not due. */
  async function heldOutAfter(step: number): Promise<number | undefined> {
    const every = train.evaluateEvery ?? train.stopWhenSolved?.every;
    if (every === undefined || data.heldOut === undefined) return undefined;
    if (step % every !== 0 && step !== train.steps) return undefined;
    held ??= await examiner(data.heldOut, model, parameterShapes(model), parts.runtime);
    return held.accuracy(weights());
  }

  /** The block of the last step: a trial reuses it instead of taking another one. */
  let read: { readonly step: number; readonly content: BlockContent } | undefined;
  /** The next step as a trial computed it: its gradient is in `computer.gradient`. */
  let tried: { readonly step: number; readonly numbers: StepNumbers; readonly seconds: number } | undefined;
  async function trial(): Promise<StepNumbers> {
    const started = parts.now();
    const step = read?.step ?? state.step + 1;
    const numbers = await computer.compute(state.progress.stage, step, read?.content);
    tried = { step, numbers, seconds: (parts.now() - started) / 1000 };
    return numbers;
  }

  async function* steps(source?: BlockSource): AsyncGenerator<StepRecord, void> {
    while (!isFinished(state, config)) {
      const started = parts.now();
      const step = state.step + 1;
      const { stage } = state.progress;
      const block = await source?.take(step);
      if (source !== undefined && block === undefined) return;
      read = block && { step, content: block.content };
      const shares = await mixer?.before(step, stage, weights());
      const transferred = transfers?.bytes ?? 0;
      // A mixture and a source may give the step other examples than the trial had.
      const known = mixer === undefined && source === undefined && tried?.step === step ? tried : undefined;
      tried = undefined;
      const computed = known?.numbers ?? (await computer.compute(stage, step, block?.content));
      const { hits, tokens, losses, records } = computed;
      const copied = transfers && { transferBytes: transfers.bytes - transferred };
      const finite = (name: string, value: number) => {
        if (!Number.isFinite(value)) diverged(step, name, value);
      };
      for (const [name, value] of [...losses, ...records]) finite(name, value);
      const learningRate = learningRateAt(step, train);
      const gradientNorm = computed.gradientNorm ?? optimizer.update(computer.gradient, learningRate, step);
      finite("gradient", gradientNorm);
      if (gradientNorm > 0) device?.commit(); // without questions the device computed 0 / 0
      await source?.done(step, parameters);
      const all = countHits(hits);
      const hardest = countHits(hits.filter((_, row) => data.stages[stage].isHardest(step, row)));
      const progress = advance(state.progress, hardest.right, hardest.asked, curriculum);
      const moved = progress.stage !== stage;
      const shown = runningAccuracy(moved ? state.progress : progress);
      const seconds = (known?.seconds ?? 0) + (parts.now() - started) / 1000;
      const heldOut = await heldOutAfter(step);
      state = {
        step,
        progress,
        stageStarts: moved ? [...state.stageStarts, step + 1] : state.stageStarts,
        ...(heldOut === 1 && train.stopWhenSolved !== undefined && { perfectAt: step }),
        ...(state.best && { best: state.best }),
        ...(began !== undefined && { beginning: began }),
        ...(mixer !== undefined && { windows: data.shares.windows }),
        ...(heldOut !== undefined &&
          train.evaluateEvery !== undefined && { best: bestOf(state.best, step, heldOut) }),
      };
      const [[, loss], ...others] = losses;
      yield {
        step,
        loss,
        accuracy: all.asked === 0 ? 0 : all.right / all.asked,
        runningAccuracy: shown,
        stage,
        learningRate,
        gradientNorm,
        tokens,
        seconds,
        ...copied,
        ...Object.fromEntries([...others, ...records]),
        ...shares,
        ...block?.records,
        ...(heldOut !== undefined && { heldOut }),
      };
    }
  }

  return {
    model,
    data,
    asksModel: needsModel(signal),
    notes: setup.notes,
    parameters,
    frozen: still.ranges.map(({ path }) => path),
    shapes: Object.fromEntries([...still.ranges, ...flat.ranges].map(({ path, shape }) => [path, shape])),
    optimizer,
    read: async () => device?.read(),
    memory() {
      const arrays = [flat.values, still.values, computer.gradient, ...Object.values(optimizer.state)];
      const kept = arrays.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
      return kept + computer.memory(state.progress.stage);
    },
    state: () => state,
    steps,
    async tryStep() {
      await trial();
    },
    async verify() {
      const { step } = state;
      await device?.read();
      for (const [path, numbers] of Object.entries(parameters)) {
        const bad = unusable(numbers);
        if (bad !== undefined) diverged(step, `weight in ${path}`, bad);
      }
      for (const [name, numbers] of Object.entries(optimizer.state)) {
        const bad = notFinite(numbers);
        if (bad !== undefined) diverged(step, `${name} of the optimizer`, bad);
      }
      // Finite weights may be so large that the next step overflows.
      const { losses, gradientNorm } = await trial();
      for (const [name, value] of losses) {
        if (!Number.isFinite(value)) diverged(step, `${name} with these weights`, value);
      }
      const bad = notFinite(gradientNorm === undefined ? computer.gradient : [gradientNorm]);
      if (bad !== undefined) diverged(step, "gradient with these weights", bad);
    },
    async trialSeconds() {
      const times: number[] = [];
      for (let i = 0; i < timedSteps; i++) {
        await trial();
        times.push(tried!.seconds); // set by the trial
      }
      return fastest(times);
    },
    trained: () => trainedHashes(data, train.batch, state.step, (step) => stageAt(state.stageStarts, step)),
    async release() {
      await computer.release();
      device?.release();
      await mixer?.release();
      await held?.release();
      held = undefined;
    },
  };
}

type Weights = Readonly<Record<string, Float32Array>>;

function copyOf(weights: Weights): Weights {
  return Object.fromEntries(Object.entries(weights).map(([path, numbers]) => [path, numbers.slice()]));
}

/** CRC-32 of the CRC-32s of the tensors, in order. */
function crcOf(weights: Weights): number {
  const sums = Object.values(weights).map(({ buffer, byteOffset, byteLength }) =>
    crc32(new Uint8Array(buffer, byteOffset, byteLength)),
  );
  return crc32(new Uint8Array(Uint32Array.from(sums).buffer));
}

/** The stage of a step, given the first step of each stage. */
export function stageAt(starts: readonly number[], step: number): number {
  return starts.findLastIndex((start) => start <= step);
}

/** Reveals asked and answered right in some rows of a batch. */
function countHits(rows: readonly (readonly number[])[]) {
  const answers = rows.flat();
  return { right: answers.reduce((sum, hit) => sum + hit, 0), asked: answers.length };
}

export interface Estimate {
  /** Memory of the process. */
  readonly bytes: number;
  readonly secondsPerStep: number;
  /** For the remaining steps, at the speed of the current stage. */
  readonly seconds: number;
}

/** The number of steps that an estimate is made from. */
export const timedSteps = 3;

/** The first step is left out if there are others: it allocates memory. */
function fastest([first, ...others]: readonly number[]): number {
  return others.length === 0 ? first : Math.min(...others);
}

/**
 * Estimates the cost of the rest of a training. @param seconds of its first steps in this process, at least one.
 * @param resident memory of the process.
 */
export function estimate(
  trainer: Pick<Trainer, "state" | "memory">,
  config: RunConfig,
  seconds: readonly number[],
  resident = 0,
): Estimate {
  const state = trainer.state();
  const left = isFinished(state, config) ? 0 : config.train.steps - state.step;
  const secondsPerStep = fastest(seconds);
  return { bytes: Math.max(trainer.memory(), resident), secondsPerStep, seconds: left * secondsPerStep };
}
