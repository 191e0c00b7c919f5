/**
 * @file Training: a generator of steps. It yields what happened and decides nothing: the command line prints it, the page
 * draws it, a test reads it, an early stop is `break`.
 *
 *     const trainer = await createTrainer(config, { task, mixer, runtime });
 *     for await (const record of trainer.steps()) console.log(record.step, record.loss);
 *
 * One ONNX graph computes loss, hits and all gradients; AdamW runs over one flat array of which the graph's parameters
 * are views. Each length of a batch has a session of its own; sessions that a stage cannot use are released.
 */

import { rngFrom } from "../math/rng.ts";
import {
  type Architecture,
  configureModel,
  initialParameters,
  type Model,
  withData,
} from "../models/index.ts";
import { fail } from "../records/error.ts";
import type { RunConfig, StepRecord } from "../records/run.ts";
import { type Batch, emptyBatch } from "../tasks/batch.ts";
import type { StateSizes } from "../tasks/index.ts";
import type { Task } from "../tasks/task.ts";
import { type Compiled, compile, flattenParameters, peakBytes, type Runtime, size } from "../tensor/index.ts";
import { adamW, emptyMoments, type Moments } from "./adamw.ts";
import { advance, beginning, type Progress, runningAccuracy } from "./curriculum.ts";
import { type StageData, type TrainingData, trainedHashes, trainingData } from "./data.ts";
import { gradientName, type TrainedParameters, trainingGraph } from "./graph.ts";
import { type Examiner, examiner } from "./held-out.ts";
import { hitsOfRow } from "./hits.ts";
import { learningRateAt } from "./schedule.ts";
import { STATE_HEAD, type Supervision, stateSupervision } from "./state/index.ts";

/** What a run is made of besides its configuration. */
export interface Parts {
  readonly task: Task;
  readonly mixer: Architecture;
  readonly runtime: Runtime;
  /** Milliseconds, for the speed in the records; the only use of time. */
  readonly now: () => number;
}

/** Everything that a run needs to go on as if it had never stopped, besides the numbers in `parameters` and `moments`. */
export interface TrainerState {
  /** Steps done; with the batch size, also the position in the data. */
  readonly step: number;
  readonly progress: Progress;
  /** The first step of each stage so far. */
  readonly stageStarts: readonly number[];
  /** With `train.untilPerfect`: the step after which every held-out answer was right. */
  readonly perfectAt?: number;
}

/** Whether nothing is left to train. */
export function isFinished({ step, perfectAt }: TrainerState, { train }: RunConfig): boolean {
  return step >= train.steps || perfectAt !== undefined;
}

export const freshState: TrainerState = { step: 0, progress: beginning, stageStarts: [1] };

export interface Trainer {
  readonly model: Model;
  readonly data: TrainingData;
  /** Path -> numbers; the arrays are live views that every step changes. */
  readonly parameters: Readonly<Record<string, Float32Array<ArrayBuffer>>>;
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly moments: Moments;
  /** Bytes that a step of the current stage needs, parameters and optimizer included. */
  memory(): number;
  state(): TrainerState;
  /** Trains up to the configured number of steps, one record per step. */
  steps(): AsyncGenerator<StepRecord, void>;
  /** Seconds of a step of the current stage, measured on steps that change nothing. */
  trialSeconds(): Promise<number>;
  /** Content hashes of all programs that were trained on so far. */
  trained(): Set<number>;
  release(): Promise<void>;
}

/** What `resume` puts in place of a fresh start. Arrays are copied. */
export interface Saved {
  readonly state: TrainerState;
  readonly parameters: Readonly<Record<string, Float32Array>>;
  /** The optimizer's moments, over all parameters in the order of the tree. */
  readonly first: Float32Array;
  readonly second: Float32Array;
}

/** The graph of one length, and memory for what goes in and comes out. */
interface Session {
  readonly run: Compiled<string>;
  readonly batch: Batch;
  readonly hits: Float32Array;
}

export async function createTrainer(config: RunConfig, parts: Parts, saved?: Saved): Promise<Trainer> {
  const { train, curriculum } = config;
  const data = trainingData(parts.task, config);
  const model = configureModel(parts.mixer, config.model, data.tokenizer.tokens.length, "model");
  const supervision =
    config.stateSupervision &&
    stateSupervision(config.stateSupervision, model, data.prepared, data.tokenizer);
  const flat = flatten(initialTrained(config, model, supervision));
  const gradient = new Float32Array(flat.values.length);
  const moments = emptyMoments(flat.values.length);
  if (saved !== undefined) {
    moments.step = saved.state.step;
    flat.load(flat.parameters, saved.parameters);
    flat.load({ "first moments": moments.first }, { "first moments": saved.first });
    flat.load({ "second moments": moments.second }, { "second moments": saved.second });
  }
  let state = saved?.state ?? freshState;
  const sessions = new Map<number, Session>();
  let held: Examiner | undefined;

  const graphOf = ({ states: sizes }: StageData, length: number) =>
    trainingGraph(model, flat.tree, train.batch, length, supervision && sizes && { supervision, sizes });

  /** What computes a step of the current stage, with a batch that holds its examples. */
  async function sessionFor(step: number): Promise<Session> {
    const stage = data.stages[state.progress.stage];
    for (const [length, { run, batch }] of sessions) {
      if (stage.lengths.includes(length) && isSame(batch.states?.sizes, stage.states)) continue;
      sessions.delete(length);
      await run.release();
    }
    const length = stage.lengthOf(step);
    const known = sessions.get(length);
    if (known !== undefined) return known;
    const { graph, outputs } = graphOf(stage, length);
    const run = await compile(graph, outputs, parts.runtime);
    const batch = emptyBatch(train.batch, length, stage.states);
    const session = { run, batch, hits: new Float32Array(train.batch * length) };
    sessions.set(length, session);
    return session;
  }

  const gradientTargets = Object.fromEntries(
    Object.entries(flat.views(gradient)).map(([path, view]) => [gradientName(path), view]),
  );

  async function forwardBackward(step: number) {
    const { run, batch, hits } = await sessionFor(step);
    data.stages[state.progress.stage].fill(batch, step);
    const { tokens, targets, weights } = batch;
    const questions = batch.states && supervision?.feeds(batch.states);
    const { loss, stateLoss, stateAccuracy } = await run.run(
      { tokens, targets, weights, ...questions, ...flat.parameters },
      { ...gradientTargets, hits },
    );
    const states = stateLoss && {
      stateLoss: Number(stateLoss[0]),
      stateAccuracy: Number(stateAccuracy[0]),
    };
    return { batch, hits, loss: Number(loss[0]), states };
  }

  /** The share of held-out answers that are right, after the steps at which it is asked for. */
  async function heldOutAfter(step: number): Promise<number | undefined> {
    const { untilPerfect } = train;
    if (untilPerfect === undefined || data.heldOut === undefined) return undefined;
    if (step % untilPerfect.every !== 0 && step !== train.steps) return undefined;
    held ??= await examiner(data.heldOut, model, flat.tree, parts.runtime);
    return held.accuracy(flat.parameters);
  }

  async function* steps(): AsyncGenerator<StepRecord, void> {
    while (!isFinished(state, config)) {
      const started = parts.now();
      const step = state.step + 1;
      const { stage } = state.progress;
      const { batch, hits, loss, states } = await forwardBackward(step);
      const finite = (name: string, value: number) => {
        if (Number.isFinite(value)) return;
        fail(
          `train, step ${step}`,
          `a finite ${name}`,
          String(value),
          "Lower train.learningRate or train.clip",
        );
      };
      finite("loss", loss);
      if (states !== undefined) finite("stateLoss", states.stateLoss);
      const learningRate = learningRateAt(step, train);
      const gradientNorm = adamW(flat.values, gradient, moments, learningRate, train, flat.decays);
      finite("gradient", gradientNorm);
      const all = countHits(batch, hits, () => true);
      const hardest = countHits(batch, hits, (row) => data.stages[stage].isHardest(step, row));
      const progress = advance(state.progress, hardest.right, hardest.asked, curriculum);
      const moved = progress.stage !== stage;
      const shown = runningAccuracy(moved ? state.progress : progress);
      const seconds = (parts.now() - started) / 1000;
      const heldOut = await heldOutAfter(step);
      state = {
        step,
        progress,
        stageStarts: moved ? [...state.stageStarts, step + 1] : state.stageStarts,
        ...(heldOut === 1 && { perfectAt: step }),
      };
      yield {
        step,
        loss,
        accuracy: all.asked === 0 ? 0 : all.right / all.asked,
        runningAccuracy: shown,
        stage,
        learningRate,
        gradientNorm,
        tokens: batch.lengths.reduce((sum, length) => sum + length, 0),
        seconds,
        ...states,
        ...(heldOut !== undefined && { heldOut }),
      };
    }
  }

  return {
    model,
    data,
    parameters: flat.parameters,
    shapes: flat.shapes,
    moments,
    memory() {
      const stage = data.stages[state.progress.stage];
      const graphs = stage.lengths.map((length) => graphOf(stage, length));
      const peak = graphs.reduce(
        (bytes, { graph, outputs }) => bytes + peakBytes(graph, Object.values(outputs)),
        0,
      );
      // Parameters, gradient and two moments; then what each graph holds at its fullest, twice: ONNX Runtime keeps what its
      // first run allocated beside the one block that it plans for all others.
      return 16 * flat.values.length + 2 * peak;
    },
    state: () => state,
    steps,
    async trialSeconds() {
      const times: number[] = [];
      for (let i = 0; i < 3; i++) {
        const started = parts.now();
        await forwardBackward(state.step + 1);
        times.push((parts.now() - started) / 1000);
      }
      return Math.min(...times.slice(1));
    },
    trained: () => trainedHashes(data, train.batch, state.step, (step) => stageAt(state.stageStarts, step)),
    async release() {
      for (const { run } of sessions.values()) await run.release();
      await held?.release();
      sessions.clear();
      held = undefined;
    },
  };
}

/** Fresh parameters of the model, the same with and without a head, and of the head. */
function initialTrained(
  config: RunConfig,
  model: Model,
  supervision: Supervision | undefined,
): TrainedParameters {
  const rng = rngFrom(config.seed);
  const tree = initialParameters(model, rng.fork("parameters"));
  return supervision === undefined ? tree : { ...tree, [STATE_HEAD]: supervision.init(rng.fork(STATE_HEAD)) };
}

function isSame(one: StateSizes | undefined, other: StateSizes | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The stage that a step was in, given the first step of each stage. */
export function stageAt(starts: readonly number[], step: number): number {
  return starts.findLastIndex((start) => start <= step);
}

/** Revealed values that were asked and right, over the rows of a batch for which `counts` holds. */
function countHits(batch: Batch, hits: Float32Array, counts: (row: number) => boolean) {
  let right = 0;
  let asked = 0;
  for (let row = 0; row < batch.rows; row++) {
    if (!counts(row)) continue;
    for (const hit of hitsOfRow(batch, hits, row)) {
      right += hit;
      asked++;
    }
  }
  return { right, asked };
}

/** All parameters in one array, with a view for each path. Only matrices decay; scales and biases do not. */
function flatten(tree: TrainedParameters) {
  const entries = flattenParameters(tree);
  const values = new Float32Array(entries.reduce((total, [, { shape }]) => total + size(shape), 0));
  const ranges = new Map<string, readonly [number, number]>();
  const decays: (readonly [number, number])[] = [];
  let next = 0;
  for (const [path, { shape, data }] of entries) {
    const range = [next, next + data.length] as const;
    values.set(data, next);
    ranges.set(path, range);
    if (shape.length >= 2) decays.push(range);
    next = range[1];
  }
  const views = (array: Float32Array<ArrayBuffer>) =>
    Object.fromEntries([...ranges].map(([path, [start, end]]) => [path, array.subarray(start, end)]));
  const parameters = views(values);
  return {
    values,
    decays,
    views,
    parameters,
    tree: withData(tree, parameters),
    shapes: Object.fromEntries(entries.map(([path, { shape }]) => [path, shape])),
    load(target: Record<string, Float32Array>, from: Readonly<Record<string, Float32Array>>) {
      for (const [path, view] of Object.entries(target)) {
        if (from[path]?.length !== view.length) {
          fail(
            "checkpoint",
            `${view.length} numbers for ${path}`,
            from[path]?.length ?? "nothing",
            undefined,
            "corrupt",
          );
        }
        view.set(from[path]);
      }
    },
  };
}
