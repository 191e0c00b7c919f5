/**
 * @file The numbers of a step before the update: a batch is filled, the objectives ask, one graph answers.
 *
 *     whole      loss L,  gradient g
 *     in parts   L = sum_p s_p L_p,  g = sum_p s_p g_p,  s_p = what is asked in part p / what is asked in the batch
 *
 * Each size of a batch or part has a session of its own; sessions that a stage cannot use are released. How examples stand in rows is said by
 * layout.ts.
 */

import { type Batch, emptyBatch, freshOf, inUseOf } from "../tasks/batch.ts";
import { compile, type Compiled, type Runtime } from "../tensor/index.ts";
import { peakBytes } from "../tensor/peak-memory.ts";
import type { Feeds } from "../tensor/session.ts";
import type { BlockContent } from "./async-data/block.ts";
import { hitsOfExample } from "./evaluate.ts";
import type { FlatParameters } from "./optimizers/optimizer.ts";
import { gradientName, speakerOf, trainingGraph } from "./graph.ts";
import type { Part } from "./batch-layout.ts";
import type { Asking, Sheet } from "./objectives/objective.ts";
import type { Setup } from "./setup.ts";

/** The graph of one size, and memory for what goes in and comes out. */
interface Session {
  readonly run: Compiled<string>;
  /** T. */
  readonly length: number;
  /** The sizes that its objectives have besides. */
  readonly sizes: string;
  readonly losses: readonly string[];
  readonly records: readonly string[];
  readonly batch: Batch;
  readonly hits: Float32Array;
  /** Whether its model has penalties, which ask where there are examples. */
  readonly penalised: boolean;
}

/** Sessions are kept that have in all at most so many times the positions of a stage's longest batch. */
const KEPT = 4;

type Scalars = readonly (readonly [name: string, value: number])[];

export interface StepNumbers {
  /** Of each example, in order, 1 for what is asked and right, 0 for what is wrong. */
  readonly hits: readonly (readonly number[])[];
  /** Positions in use. */
  readonly tokens: number;
  /** Of the objectives, in their order. */
  readonly losses: Scalars;
  /** What they record besides. */
  readonly records: Scalars;
}

export interface StepComputer {
  /** Of the weighted sum of the losses, in the order of the parameters; `compute` overwrites it. */
  readonly gradient: Float32Array;
  /** `made`: the step's examples, where they were made ahead of it. */
  compute(stage: number, step: number, made?: BlockContent): Promise<StepNumbers>;
  /** Bytes that the graphs of a stage need. */
  memory(stage: number): number;
  release(): Promise<void>;
}

/** Examples of a part stand in the order of its rows, even where it is the whole batch. */
function inOrder<Found>(found: readonly (readonly [example: number, found: Found])[]): Found[] {
  return found.toSorted(([a], [b]) => a - b).map(([, each]) => each);
}

type Targets = Readonly<Record<string, Float32Array>>;

export function stepComputer(
  { model, data, objectives, trains }: Setup,
  flat: FlatParameters,
  /** Parameters that are read and not trained. */
  frozen: Readonly<Record<string, Float32Array>>,
  runtime: Runtime,
  /** All parameters as they were when the run began, for a signal that asks them. */
  beginning: Readonly<Record<string, Float32Array>> = {},
): StepComputer {
  const parameters = { ...frozen, ...flat.views(flat.values) };
  const gradient = new Float32Array(flat.values.length);
  const gradientTargets = Object.fromEntries(
    Object.entries(flat.views(gradient)).map(([path, view]) => [gradientName(path), view]),
  );
  const sessions = new Map<string, Session>();
  const speaker = speakerOf(model, runtime);
  /** What the objectives note on, of the stage that was computed last. */
  let paper: { readonly stage: number; readonly sheets: readonly Sheet[] } | undefined;

  const graphOf = (stage: number, rows: number, length: number) =>
    trainingGraph(model, rows, length, objectives[stage], trains, { packed: data.stages[stage].packed });
  const sizesIn = (stage: number) =>
    JSON.stringify(objectives[stage].map(({ staged }) => staged.sizes ?? null));

  async function sessionFor(stage: number, { rows, length }: Part): Promise<Session> {
    const examples = rows.flat().length;
    const size = `${examples} in ${rows.length} x ${length}`;
    const known = sessions.get(size);
    if (known !== undefined) {
      sessions.delete(size); // and set again: the one used longest ago stands first
      sessions.set(size, known);
      return known;
    }
    const { graph, outputs, ...written } = graphOf(stage, rows.length, length);
    const session = {
      ...written,
      run: await compile(graph, outputs, runtime),
      length,
      sizes: sizesIn(stage),
      batch: emptyBatch(rows.length, length, examples),
      hits: new Float32Array(rows.length * length),
    };
    sessions.set(size, session);
    await releaseOldest(data.stages[stage].rows * data.stages[stage].length * KEPT);
    return session;
  }

  /** Keeps what was used last, of so many positions in all. */
  async function releaseOldest(positions: number): Promise<void> {
    let held = 0;
    for (const [size, { run, batch }] of [...sessions].reverse()) {
      held += batch.rows * batch.length;
      if (held <= positions) continue;
      sessions.delete(size);
      await run.release();
    }
  }

  async function releaseUnusable(stage: number): Promise<void> {
    for (const [size, { run, length, sizes }] of sessions) {
      if (data.stages[stage].lengths.includes(length) && sizes === sizesIn(stage)) continue;
      sessions.delete(size);
      await run.release();
    }
  }

  function sheetsIn(stage: number): readonly Sheet[] {
    if (paper?.stage !== stage) {
      paper = { stage, sheets: objectives[stage].map(({ staged }) => staged.sheet()) };
    }
    return paper.sheets;
  }

  /** Fills and computes some examples of a step's batch; their gradient goes into `into`. */
  async function computePart(stage: number, step: number, part: Part, into: Targets, made?: BlockContent) {
    const { run, batch, hits, losses, records, penalised } = await sessionFor(stage, part);
    const sheets = sheetsIn(stage);
    data.stages[stage].fill(batch, step, {
      ...{ rows: part.rows, examples: made?.examples },
      readers: sheets.flatMap(({ read }) => read ?? []),
    });
    const { tokens, targets } = batch;
    const asking: Asking = {
      step,
      logProbabilities: (tokens, when = "now") =>
        speaker.logProbabilities(batch.rows, tokens, when === "now" ? parameters : beginning),
      weighed: made?.weighed,
    };
    for (const sheet of sheets) await sheet.prepare?.(batch, asking);
    const fed: Feeds = Object.assign({}, ...sheets.map((sheet) => sheet.feeds(batch)));
    const borders = data.stages[stage].packed && { fresh: freshOf(batch) };
    const places = penalised && { inUse: inUseOf(batch) };
    const found = await run.run(
      { tokens, targets, ...borders, ...places, ...fed, ...parameters },
      { ...into, hits },
    );
    const numbers = (names: readonly string[]): Scalars =>
      names.map((name) => [name, Number(found[name][0])]);
    return {
      // The next part may overwrite batch and hits.
      hits: part.rows.flat().map((example, i) => [example, hitsOfExample(batch, hits, i)] as const),
      tokens: batch.lengths.reduce((sum, length) => sum + length, 0),
      asked: sheets[0].asked?.(batch) ?? 1,
      losses: numbers(losses),
      records: numbers(records),
    };
  }

  /** Each objective's loss is a mean over what is asked: `padTo: rows` is refused where one is not. */
  async function computeParts(stage: number, step: number, parts: readonly Part[]): Promise<StepNumbers> {
    const sum = new Float64Array(gradient.length);
    let total = 0;
    const computed = [];
    for (const part of parts) {
      const found = await computePart(stage, step, part, gradientTargets);
      computed.push(found);
      if (found.asked === 0) continue; // its loss is 0 / 0
      total += found.asked;
      for (let i = 0; i < sum.length; i++) sum[i] += found.asked * gradient[i];
    }
    for (let i = 0; i < sum.length; i++) gradient[i] = total === 0 ? 0 : sum[i] / total;
    const asking = computed.filter(({ asked }) => asked > 0);
    const [{ losses }] = computed;
    const loss = asking.reduce((loss, part) => loss + (part.asked / total) * part.losses[0][1], 0);
    return {
      hits: inOrder(computed.flatMap((part) => part.hits)),
      tokens: computed.reduce((tokens, part) => tokens + part.tokens, 0),
      losses: [[losses[0][0], loss]],
      records: [],
    };
  }

  return {
    gradient,
    async compute(stage, step, made) {
      await releaseUnusable(stage);
      const parts = data.stages[stage].partsOf(step);
      if (parts.length > 1) return computeParts(stage, step, parts);
      const { hits, ...numbers } = await computePart(stage, step, parts[0], gradientTargets, made);
      return { ...numbers, hits: inOrder(hits) };
    },
    memory(stage) {
      const { lengths, length, rows, fewerRows } = data.stages[stage];
      const graphs = (fewerRows ? [length] : lengths).map((length) => graphOf(stage, rows, length));
      // What each graph holds at its fullest counts twice: ONNX Runtime keeps what its first run allocated beside the one
      // block that it plans for all others.
      const bytes = graphs.reduce(
        (bytes, { graph, outputs }) => bytes + 2 * peakBytes(graph, Object.values(outputs)),
        0,
      );
      return fewerRows ? KEPT * bytes : bytes;
    },
    async release() {
      for (const { run } of sessions.values()) await run.release();
      sessions.clear();
      await speaker.release();
    },
  };
}
