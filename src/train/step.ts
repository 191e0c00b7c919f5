/**
 * @file The numbers of a step before the update: a batch is filled, the objectives ask, one graph answers.
 *
 * Each length of a batch has a session of its own; sessions that a stage cannot use are released.
 */

import { type Batch, emptyBatch } from "../tasks/batch.ts";
import { type Compiled, compile, type Feeds, peakBytes, type Runtime } from "../tensor/index.ts";
import type { FlatParameters } from "./flat.ts";
import { gradientName, trainingGraph } from "./graph.ts";
import type { Sheet } from "./objectives/objective.ts";
import type { Setup } from "./setup.ts";

/** The graph of one length, and memory for what goes in and comes out. */
interface Session {
  readonly run: Compiled<string>;
  /** The sizes that its objectives have besides the length. */
  readonly sizes: string;
  readonly losses: readonly string[];
  readonly records: readonly string[];
  readonly batch: Batch;
  readonly hits: Float32Array;
}

type Scalars = readonly (readonly [name: string, value: number])[];

export interface StepNumbers {
  readonly batch: Batch;
  readonly hits: Float32Array;
  /** Of the objectives, in their order. */
  readonly losses: Scalars;
  /** What they record besides. */
  readonly records: Scalars;
}

export interface StepComputer {
  /** Of the weighted sum of the losses, in the order of the parameters; `compute` overwrites it. */
  readonly gradient: Float32Array;
  compute(stage: number, step: number): Promise<StepNumbers>;
  /** Bytes that the graphs of a stage need. */
  memory(stage: number): number;
  release(): Promise<void>;
}

export function stepComputer(
  { config, model, data, objectives }: Setup,
  flat: FlatParameters,
  runtime: Runtime,
): StepComputer {
  const rows = config.train.batch;
  const parameters = flat.views(flat.values);
  const gradient = new Float32Array(flat.values.length);
  const gradientTargets = Object.fromEntries(
    Object.entries(flat.views(gradient)).map(([path, view]) => [gradientName(path), view]),
  );
  const sessions = new Map<number, Session>();
  /** What the objectives note on, of the stage that was computed last. */
  let paper: { readonly stage: number; readonly sheets: readonly Sheet[] } | undefined;

  const graphOf = (stage: number, length: number) => trainingGraph(model, rows, length, objectives[stage]);
  const sizesIn = (stage: number) =>
    JSON.stringify(objectives[stage].map(({ staged }) => staged.sizes ?? null));

  async function sessionFor(stage: number, step: number): Promise<Session> {
    const { lengths, lengthOf } = data.stages[stage];
    for (const [length, { run, sizes }] of sessions) {
      if (lengths.includes(length) && sizes === sizesIn(stage)) continue;
      sessions.delete(length);
      await run.release();
    }
    const length = lengthOf(step);
    const known = sessions.get(length);
    if (known !== undefined) return known;
    const { graph, outputs, ...written } = graphOf(stage, length);
    const session = {
      ...written,
      run: await compile(graph, outputs, runtime),
      sizes: sizesIn(stage),
      batch: emptyBatch(rows, length),
      hits: new Float32Array(rows * length),
    };
    sessions.set(length, session);
    return session;
  }

  function sheetsIn(stage: number): readonly Sheet[] {
    if (paper?.stage !== stage) {
      paper = { stage, sheets: objectives[stage].map(({ staged }) => staged.sheet()) };
    }
    return paper.sheets;
  }

  return {
    gradient,
    async compute(stage, step) {
      const { run, batch, hits, losses, records } = await sessionFor(stage, step);
      const sheets = sheetsIn(stage);
      const readers = sheets.flatMap(({ read }) => read ?? []);
      data.stages[stage].fill(batch, step, readers);
      const { tokens, targets } = batch;
      const asked: Feeds = Object.assign({}, ...sheets.map((sheet) => sheet.feeds(batch)));
      const found = await run.run({ tokens, targets, ...asked, ...parameters }, { ...gradientTargets, hits });
      const numbers = (names: readonly string[]): Scalars =>
        names.map((name) => [name, Number(found[name][0])]);
      return { batch, hits, losses: numbers(losses), records: numbers(records) };
    },
    memory(stage) {
      const graphs = data.stages[stage].lengths.map((length) => graphOf(stage, length));
      // What each graph holds at its fullest counts twice: ONNX Runtime keeps what its first run allocated beside the one
      // block that it plans for all others.
      return graphs.reduce(
        (bytes, { graph, outputs }) => bytes + 2 * peakBytes(graph, Object.values(outputs)),
        0,
      );
    },
    async release() {
      for (const { run } of sessions.values()) await run.release();
      sessions.clear();
    },
  };
}
