/**
 * @file Computes a step without the update: fills a batch, feeds the objectives, runs the graph.
 *
 *     whole      loss L,  gradient g
 *     in parts   L = sum_p s_p L_p,  g = sum_p s_p g_p,  s_p = asked(part p) / asked(batch)
 *
 * Parts are those of batch-layout.ts, each divided into `train.shares`: gradient accumulation. Worker threads compute some of them at
 * the same time, in rounds of one for each thread, or of two by a single thread. After a round its gradients are added up, in the order
 * of the parts and in float64, so the number of workers changes no bit, and memory does not depend on the number of parts. Each thread
 * has a separate session for each size of a part; sessions that a stage cannot use are released.
 */

import { fail } from "../core/error.ts";
import { allocateBatch, type Batch, batchView, emptyBatch } from "../tasks/batch.ts";
import { type Compiled, compile, type Runtime } from "../tensor/index.ts";
import { peakBytes } from "../tensor/peak-memory.ts";
import type { Feeds, WorkerRuntime } from "../tensor/session.ts";
import type { BlockContent } from "./async-data/block.ts";
import { divided, largestOf, type Part } from "./batch-layout.ts";
import type { TrainingData } from "./data.ts";
import type { DeviceState } from "./device-state.ts";
import { hitsOfExample } from "./evaluate.ts";
import { gradientName, openLogProbs, trainingGraph } from "./graph.ts";
import type { Asking, Sheet } from "./objectives/objective.ts";
import type { FlatParameters } from "./optimizers/optimizer.ts";
import type { Setup } from "./setup.ts";
import { threadChoice } from "./thread-choice.ts";
import { runInPieces } from "./truncated.ts";

/** The compiled graph of one size. */
interface Session {
  readonly run: Compiled<string>;
  /** T. */
  readonly length: number;
  /** Further sizes of its objectives. */
  readonly sizes: string;
  /** B T. */
  readonly positions: number;
  readonly losses: readonly string[];
  readonly records: readonly string[];
  /** Whether its model has penalties, which need `inUse`. */
  readonly penalised: boolean;
}

/** A thread, with its sessions by size. */
interface Thread {
  readonly runtime: Runtime;
  readonly sessions: Map<string, Session>;
}

/** Memory of one part of a round. */
interface PartBuffers {
  readonly gradient: Float32Array<ArrayBuffer>;
  /** Views of `gradient` by output name. */
  readonly targets: Readonly<Record<string, Float32Array>>;
  /** By size. */
  readonly batches: Map<string, { readonly batch: Batch; readonly hits: Float32Array }>;
  /** For the gradient of a piece of its rows. */
  piece?: Pick<PartBuffers, "gradient" | "targets">;
  /** Of the objectives of the last computed stage. */
  sheets?: { readonly stage: number; readonly sheets: readonly Sheet[] };
}

/** Parts of a round by this number of threads. */
const roundOf = (threads: number) => Math.max(2, threads);

/** Bound on the positions of all kept sessions of a thread, in multiples of the longest part of a stage. */
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
  /** With weights on a device, the norm of the gradient before clipping. */
  readonly gradientNorm?: number;
}

interface StepComputer {
  /** Gradient of the weighted sum of the losses, in the order of the parameters; `compute` overwrites it, unless they are on a device. */
  readonly gradient: Float32Array;
  /** `made`: the examples of the step from a data worker. */
  compute(stage: number, step: number, made?: BlockContent): Promise<StepNumbers>;
  /** Bytes that the graphs of a stage need. */
  memory(stage: number): number;
  release(): Promise<void>;
}

function sizeOf({ rows, length }: Part): string {
  return `${rows.flat().length} in ${rows.length} x ${length}`;
}

/** Sorts results by example: a part has them in the order of its rows, even if it is the whole batch. */
function inOrder<Found>(found: readonly (readonly [example: number, found: Found])[]): Found[] {
  return found.toSorted(([a], [b]) => a - b).map(([, each]) => each);
}

export function stepComputer(
  { model, objectives, trains, shares }: Setup,
  data: TrainingData,
  flat: FlatParameters,
  /** Parameters that are not trained. */
  frozen: Readonly<Record<string, Float32Array>>,
  runtime: Runtime,
  /** All parameters at the beginning of the run, for a signal that needs them. */
  beginning: Readonly<Record<string, Float32Array>> = {},
  /** If the weights stay on a device. */
  device?: DeviceState,
): StepComputer {
  const parameters = { ...frozen, ...flat.views(flat.values) };
  const workers: WorkerRuntime[] = [];
  const threads: Thread[] = [{ runtime, sessions: new Map() }];
  const buffers: PartBuffers[] = [buffersOf(new Float32Array(flat.values.length))];
  const { gradient } = buffers[0];
  /** The sum of several rounds. */
  let sum: Float64Array | undefined;
  const choice = threadChoice();
  const speaker = openLogProbs(model, runtime);

  function buffersOf(gradient: Float32Array<ArrayBuffer>): PartBuffers {
    const views = Object.entries(flat.views(gradient));
    const targets = Object.fromEntries(views.map(([path, view]) => [gradientName(path), view]));
    return { gradient, targets, batches: new Map() };
  }

  /** Opens what so many parts need: threads, and memory for a round. */
  function prepare(parts: number): void {
    const { openWorker, workers: most = 1 } = runtime;
    while (openWorker !== undefined && threads.length < Math.min(parts, most)) {
      const worker = openWorker(runtime);
      workers.push(worker);
      threads.push({ runtime: worker, sessions: new Map() });
    }
    while (buffers.length < Math.min(parts, roundOf(threads.length)))
      buffers.push(buffersOf(new Float32Array(flat.values.length)));
  }

  /** The last graph: each thread compiles it. */
  let built: { readonly of: string; readonly graph: ReturnType<typeof trainingGraph> } | undefined;
  function graphOf(stage: number, rows: number, length: number) {
    const of = `stage ${stage}: ${rows} x ${length}`;
    if (built?.of !== of) {
      const graph = trainingGraph(model, rows, length, objectives[stage], trains, data.stages[stage]);
      built = { of, graph };
    }
    return built.graph;
  }
  const sizesIn = (stage: number) =>
    JSON.stringify(objectives[stage].map(({ staged }) => staged.sizes ?? null));

  async function sessionFor({ sessions, runtime }: Thread, stage: number, part: Part) {
    const { rows, length } = part;
    const size = sizeOf(part);
    const known = sessions.get(size);
    if (known !== undefined) {
      sessions.delete(size); // and reinserted: the least recently used session is first
      sessions.set(size, known);
      return known;
    }
    const { graph, outputs, ...written } = graphOf(stage, rows.length, length);
    if (written.penalised && shares > 1)
      fail(
        "train.shares",
        "1 with a model that adds to its loss",
        shares,
        "Name its terms in `penalties` of its traits",
      );
    const session: Session = {
      ...written,
      run: await compile(graph, device?.withUpdate(graph, outputs) ?? outputs, runtime),
      length,
      sizes: sizesIn(stage),
      positions: rows.length * length,
    };
    sessions.set(size, session);
    const longest = largestOf(data.stages[stage].rows, shares) * data.stages[stage].length;
    await releaseOldest(sessions, longest * KEPT);
    return session;
  }

  /** Releases the least recently used sessions beyond this number of positions. */
  async function releaseOldest(sessions: Thread["sessions"], most: number): Promise<void> {
    let held = 0;
    for (const [size, { run, positions }] of [...sessions].reverse()) {
      held += positions;
      if (held <= most) continue;
      sessions.delete(size);
      await run.release();
    }
  }

  async function releaseUnusable(stage: number): Promise<void> {
    for (const { sessions } of threads) {
      for (const [size, { run, length, sizes }] of sessions) {
        if (data.stages[stage].lengths.includes(length) && sizes === sizesIn(stage)) continue;
        sessions.delete(size);
        for (const { batches } of buffers) batches.delete(size);
        await run.release();
      }
    }
  }

  function sheetsIn(stage: number, own: PartBuffers): readonly Sheet[] {
    if (own.sheets?.stage !== stage) {
      own.sheets = { stage, sheets: objectives[stage].map(({ staged }) => staged.sheet()) };
    }
    return own.sheets.sheets;
  }

  /** Memory for the examples of a part; it is small and kept for each size. */
  function batchOf({ batches }: PartBuffers, part: Part) {
    const { rows, length } = part;
    const size = sizeOf(part);
    const known = batches.get(size);
    if (known !== undefined) return known;
    const batch = emptyBatch(rows.length, length, rows.flat().length);
    const made = { batch, hits: new Float32Array(batch.tokens.length) };
    batches.set(size, made);
    return made;
  }

  /** Fills a part with its examples and starts its computation, which writes the gradient into its buffers. */
  async function startPart(
    thread: Thread,
    own: PartBuffers,
    stage: number,
    step: number,
    part: Part,
    made?: BlockContent,
  ) {
    const { run, losses, records, penalised } = await sessionFor(thread, stage, part);
    const { batch, hits } = batchOf(own, part);
    const sheets = sheetsIn(stage, own);
    data.stages[stage].fill(batch, step, {
      ...{ rows: part.rows, examples: made?.examples },
      readers: sheets.flatMap(({ read }) => read ?? []),
    });
    const { tokens, targets } = batch;
    const asking: Asking = {
      step,
      logProbabilities: (tokens, when = "now") =>
        speaker.logProbabilities(
          batch.rows,
          tokens,
          when === "now" ? (device?.parameters() ?? parameters) : beginning,
        ),
      weighed: made?.weighed,
    };
    for (const sheet of sheets) await sheet.prepare?.(batch, asking);
    const fed: Feeds = Object.assign({}, ...sheets.map((sheet) => sheet.feeds(batch)));
    const { packed, pieceLength } = data.stages[stage];
    const borders = packed && { fresh: allocateBatch(batch) };
    const places = penalised && { inUse: batchView(batch) };
    const whole = () =>
      run.run(
        { tokens, targets, ...borders, ...places, ...fed, ...(device?.feeds(step) ?? parameters) },
        { ...(device?.into() ?? own.targets), hits },
      );
    const inPieces = (length: number) => {
      own.piece ??= buffersOf(new Float32Array(flat.values.length));
      const into = { gradient: own.gradient, piece: own.piece, hits };
      return runInPieces(run, length, batch, sheets[0], parameters, into);
    };
    const running = pieceLength < part.length ? inPieces(pieceLength) : whole();
    const done = running.then((found) => {
      const asked = sheets[0].asked?.(batch) ?? 1;
      if (asked === 0) own.gradient.fill(0); // without questions the loss is 0 / 0
      const numbers = (names: readonly string[]): Scalars =>
        names.map((name) => [name, asked === 0 ? 0 : Number(found[name][0])]);
      return {
        hits: part.rows.flat().map((example, i) => [example, hitsOfExample(batch, hits, i)] as const),
        tokens: batch.lengths.reduce((sum, length) => sum + length, 0),
        asked,
        losses: numbers(losses),
        records: numbers(records),
        ...(device && { gradientNorm: asked === 0 ? 0 : Number(found.gradientNorm[0]) }),
      };
    });
    done.catch(() => {}); // the caller waits for it, but perhaps for another one first
    return { done };
  }

  /** Computes all parts, and the sum of their gradients if there are several. */
  async function computeParts(stage: number, step: number, parts: readonly Part[], made?: BlockContent) {
    prepare(parts.length);
    const used = parts.length > 1 && choice.useWorkers() ? threads.length : 1;
    // The threads compile at the same time.
    await Promise.all(
      threads.slice(0, used).map(async (thread, at) => {
        for (const [i, part] of parts.entries()) if (i % used === at) await sessionFor(thread, stage, part);
      }),
    );
    const before = performance.now();
    const rounds = Math.ceil(parts.length / buffers.length);
    const computed: Awaited<ReturnType<typeof computeRound>> = [];
    for (let first = 0; first < parts.length; first += buffers.length) {
      const round = parts.slice(first, first + buffers.length);
      const found = await computeRound(used, stage, step, round, made);
      computed.push(...found);
      if (rounds === 1) break;
      if (first === 0) sum = (sum ?? new Float64Array(gradient.length)).fill(0);
      addWeighted(weighted(found), 0, sum!); // set above
    }
    if (parts.length > 1) {
      const total = computed.reduce((sum, { asked }) => sum + asked, 0);
      if (total === 0) gradient.fill(0);
      else if (rounds > 1) for (let i = 0; i < gradient.length; i++) gradient[i] = sum![i] / total;
      else weightedMean(weighted(computed), total, gradient);
      choice.took(performance.now() - before);
    }
    return computed;
  }

  const weighted = (round: Awaited<ReturnType<typeof computeRound>>) =>
    round.map(({ asked }, i) => [asked, buffers[i].gradient] as const);

  /** Parts of worker threads are started first, then this thread computes its own one by one. */
  async function computeRound(
    used: number,
    stage: number,
    step: number,
    parts: readonly Part[],
    made?: BlockContent,
  ) {
    const started: Awaited<ReturnType<typeof startPart>>[] = [];
    const start = async (i: number) => {
      started[i] = await startPart(threads[i % used], buffers[i], stage, step, parts[i], made);
    };
    try {
      for (const i of parts.keys()) if (i % used > 0) await start(i);
      for (let i = 0; i < parts.length; i += used) {
        await start(i);
        await started[i].done;
      }
      return await Promise.all(started.map(({ done }) => done));
    } finally {
      await Promise.allSettled(started.map((each) => each?.done)); // after an error none still writes its gradient
    }
  }

  /** Requires that each loss is a mean over what is asked: otherwise parts are refused. */
  function summed(computed: Awaited<ReturnType<typeof computeParts>>): StepNumbers {
    const total = computed.reduce((sum, { asked }) => sum + asked, 0);
    const [{ losses }] = computed;
    const loss = computed.reduce(
      (loss, { asked, losses: [[, own]] }) => (asked === 0 ? loss : loss + (asked / total) * own),
      0,
    );
    return {
      hits: inOrder(computed.flatMap(({ hits }) => hits)),
      tokens: computed.reduce((tokens, part) => tokens + part.tokens, 0),
      losses: [[losses[0][0], loss]],
      records: [],
    };
  }

  return {
    gradient,
    async compute(stage, step, made) {
      await releaseUnusable(stage);
      const parts = data.stages[stage].partsOf(step).flatMap((part) => divided(part, shares));
      const computed = await computeParts(stage, step, parts, made);
      if (computed.length > 1) return summed(computed);
      const [{ hits, asked: _, ...numbers }] = computed;
      return { ...numbers, hits: inOrder(hits) };
    },
    memory(stage) {
      const { lengths, length, rows, fewerRows, packed } = data.stages[stage];
      const largest = largestOf(rows, shares);
      const graphs = (fewerRows ? [length] : lengths).map((length) => graphOf(stage, largest, length));
      // Peak memory counts twice: ONNX Runtime keeps the allocations of its first run in addition to the block planned for
      // later runs.
      const bytes = graphs.reduce(
        (bytes, { graph, outputs }) => bytes + 2 * peakBytes(graph, Object.values(outputs)),
        0,
      );
      const parts = fewerRows && !packed ? rows : shares;
      const most = Math.min(runtime.workers ?? 1, parts);
      const round = Math.min(parts, roundOf(most));
      const gradients = (round - 1 + (parts > round ? 2 : 0)) * gradient.byteLength; // the sum is float64
      return most * (fewerRows ? KEPT * bytes : bytes) + gradients;
    },
    async release() {
      for (const { sessions } of threads) {
        for (const { run } of sessions.values()) await run.release();
        sessions.clear();
      }
      for (const worker of workers) await worker.close();
      workers.length = 0;
      threads.length = 1;
      await speaker.release();
    },
  };
}

type Weighted = readonly (readonly [weight: number, gradient: Float32Array])[];

/** sum_p w_p g_p / total into `into`, which may be one of the g_p, as many numbers as fit a fast cache at a time. */
function weightedMean(parts: Weighted, total: number, into: Float32Array): void {
  if (parts.length === 2) {
    const [[v, g], [w, h]] = parts; // the usual number, in half of the time
    for (let i = 0; i < into.length; i++) into[i] = (v * g[i] + w * h[i]) / total;
    return;
  }
  const block = new Float64Array(1024);
  for (let start = 0; start < into.length; start += block.length) {
    const sum = block.subarray(0, into.length - start).fill(0);
    addWeighted(parts, start, sum);
    for (let i = 0; i < sum.length; i++) into[start + i] = sum[i] / total;
  }
}

/** Adds sum_p w_p g_p, from `start` on, in the order of the parts, two of them at a time. */
function addWeighted(parts: Weighted, start: number, sum: Float64Array): void {
  for (let p = 0; p < parts.length; p += 2) {
    const [v, g] = parts[p];
    const [w, h] = parts[p + 1] ?? [0, g];
    for (let i = 0; i < sum.length; i++) sum[i] = sum[i] + v * g[start + i] + w * h[start + i];
  }
}
