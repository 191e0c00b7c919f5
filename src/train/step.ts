/**
 * @file Computes a step without the update: fills a batch, feeds the objectives, runs the graph.
 *
 *     whole      loss L,  gradient g
 *     in parts   L = sum_p s_p L_p,  g = sum_p s_p g_p,  s_p = asked(part p) / asked(batch)
 *
 * Each size of a batch or part has a separate session; sessions that a stage cannot use are released. batch-layout.ts defines the rows.
 */

import { allocateBatch, type Batch, batchView, emptyBatch } from "../tasks/batch.ts";
import { type Compiled, compile, type Runtime } from "../tensor/index.ts";
import { peakBytes } from "../tensor/peak-memory.ts";
import type { Feeds } from "../tensor/session.ts";
import type { BlockContent } from "./async-data/block.ts";
import type { Part } from "./batch-layout.ts";
import { hitsOfExample } from "./evaluate.ts";
import { gradientName, openLogProbs, trainingGraph } from "./graph.ts";
import type { Asking, Sheet } from "./objectives/objective.ts";
import type { FlatParameters } from "./optimizers/optimizer.ts";
import type { Setup } from "./setup.ts";

/** The compiled graph of one size, with its input and output buffers. */
interface Session {
  readonly run: Compiled<string>;
  /** T. */
  readonly length: number;
  /** Further sizes of its objectives. */
  readonly sizes: string;
  readonly losses: readonly string[];
  readonly records: readonly string[];
  readonly batch: Batch;
  readonly hits: Float32Array;
  /** Whether its model has penalties, which need `inUse`. */
  readonly penalised: boolean;
}

/** Bound on the positions of all kept sessions, in multiples of the longest batch of a stage. */
const KEPT = 4;

type Scalars = readonly (readonly [name: string, value: number])[];

export interface StepNumbers {
  /** For each example, in order, 1 for each right answer and 0 for each wrong one. */
  readonly hits: readonly (readonly number[])[];
  /** Positions in use. */
  readonly tokens: number;
  /** Losses of the objectives, in order. */
  readonly losses: Scalars;
  /** Further records of the objectives. */
  readonly records: Scalars;
}

interface StepComputer {
  /** Gradient of the weighted sum of the losses, in the order of the parameters; `compute` overwrites it. */
  readonly gradient: Float32Array;
  /** `made`: the examples of the step from a data worker. */
  compute(stage: number, step: number, made?: BlockContent): Promise<StepNumbers>;
  /** Bytes that the graphs of a stage need. */
  memory(stage: number): number;
  release(): Promise<void>;
}

/** Sorts results by example: a part has them in the order of its rows, even if it is the whole batch. */
function inOrder<Found>(found: readonly (readonly [example: number, found: Found])[]): Found[] {
  return found.toSorted(([a], [b]) => a - b).map(([, each]) => each);
}

export function stepComputer(
  { model, data, objectives, trains }: Setup,
  flat: FlatParameters,
  /** Parameters that are not trained. */
  frozen: Readonly<Record<string, Float32Array>>,
  runtime: Runtime,
  /** All parameters at the beginning of the run, for a signal that needs them. */
  beginning: Readonly<Record<string, Float32Array>> = {},
): StepComputer {
  const parameters = { ...frozen, ...flat.views(flat.values) };
  const gradient = new Float32Array(flat.values.length);
  const gradientTargets = Object.fromEntries(
    Object.entries(flat.views(gradient)).map(([path, view]) => [gradientName(path), view]),
  );
  const sessions = new Map<string, Session>();
  const speaker = openLogProbs(model, runtime);
  /** Sheets of the objectives for the last computed stage. */
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
      sessions.delete(size); // and reinserted: the least recently used session is first
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

  /** Releases the least recently used sessions beyond this number of positions. */
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

  /** Computes some examples of a step and writes their gradient to `gradient`. */
  async function computePart(stage: number, step: number, part: Part, made?: BlockContent) {
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
    const borders = data.stages[stage].packed && { fresh: allocateBatch(batch) };
    const places = penalised && { inUse: batchView(batch) };
    const found = await run.run(
      { tokens, targets, ...borders, ...places, ...fed, ...parameters },
      { ...gradientTargets, hits },
    );
    const asked = sheets[0].asked?.(batch) ?? 1;
    if (asked === 0) gradient.fill(0); // without questions the loss is 0 / 0
    const numbers = (names: readonly string[]): Scalars =>
      names.map((name) => [name, asked === 0 ? 0 : Number(found[name][0])]);
    return {
      // The next part may overwrite batch and hits.
      hits: part.rows.flat().map((example, i) => [example, hitsOfExample(batch, hits, i)] as const),
      tokens: batch.lengths.reduce((sum, length) => sum + length, 0),
      asked,
      losses: numbers(losses),
      records: numbers(records),
    };
  }

  /** Requires that each loss is a mean over what is asked: otherwise `padding: bucket` is refused. */
  async function computeParts(stage: number, step: number, parts: readonly Part[]): Promise<StepNumbers> {
    const sum = new Float64Array(gradient.length);
    let total = 0;
    const computed = [];
    for (const part of parts) {
      const found = await computePart(stage, step, part);
      computed.push(found);
      total += found.asked;
      for (let i = 0; i < sum.length; i++) sum[i] += found.asked * gradient[i];
    }
    for (let i = 0; i < sum.length; i++) gradient[i] = total === 0 ? 0 : sum[i] / total;
    const [{ losses }] = computed;
    const loss = computed.reduce(
      (loss, { asked, losses: [[, own]] }) => (asked === 0 ? loss : loss + (asked / total) * own),
      0,
    );
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
      const { hits, ...numbers } = await computePart(stage, step, parts[0], made);
      return { ...numbers, hits: inOrder(hits) };
    },
    memory(stage) {
      const { lengths, length, rows, fewerRows } = data.stages[stage];
      const graphs = (fewerRows ? [length] : lengths).map((length) => graphOf(stage, rows, length));
      // Peak memory counts twice: ONNX Runtime keeps the allocations of its first run in addition to the block planned for
      // later runs.
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
