/** @file A tiny model with an objective on a batch of a task, weights far from the initial ones: for the tests of objectives. */

import { type Rng, rngFrom } from "../../core/rng.ts";
import { modelNamed } from "../../models/index.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { type CodeTrace, codeTracesTask } from "../../tasks/code-traces.ts";
import {
  batchWriter,
  emptyBatch,
  exampleStream,
  maximumLength,
  type Task,
  taskNamed,
} from "../../tasks/index.ts";
import {
  compile,
  flattenParameters,
  type Parameter,
  type Runtime,
  type TensorData,
  withData,
} from "../../tensor/index.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { trainingGraph } from "../graph.ts";
import { initialTrained, setUp } from "../setup.ts";
import { type ObjectiveName, objectives } from "./index.ts";
import type { ObjectiveForms, WeightedObjective } from "./objective.ts";

export const runtime: Runtime = nodeRuntime();
export const ROWS = 2;
/** Of the stream from which the batch is. */
export const SEED = 2;

/** Of one trace the states after both lines are asked for, of the other after the first. */
const traces: readonly CodeTrace[] = [
  {
    code: "a = 1\nb = a\nassert (b) == 1\n",
    literal: "1",
    lines: [
      { code: "a = 1", state: { a: 1 } },
      { code: "b = a", state: { a: 1, b: 1 } },
      { code: "assert (b) == 1", state: { a: 1, b: 1 } },
    ],
  },
  {
    code: "b = 2\na = [b, b, b]\nassert (b) == 2\n",
    literal: "2",
    lines: [
      { code: "b = 2", state: { b: 2 } },
      { code: "a = [b, b, b]", state: { b: 2, a: [2, 2, 2] } },
      { code: "assert (b) == 2", state: { b: 2, a: [2, 2, 2] } },
    ],
  },
];
export const folder = { folder: "traces", mostStateWords: 7 };

export interface Case {
  readonly mixer?: string;
  readonly task: string;
  readonly params: object;
  /** Of what `stateSupervision` names, its other fields; what has none is named by `train.loss`. */
  readonly form?: object;
}

/** The objective, behind another one on words. */
export function setupOf(name: ObjectiveName, { mixer = "transformer", task, params, form }: Case) {
  const config = RunConfig.parse({
    task: { name: task, ...params },
    model: { name: mixer, layers: 2, width: 8, heads: 2 },
    train: { batch: ROWS, loss: form === undefined ? name : "next-token" },
    ...(form !== undefined && { stateSupervision: { head: name, ...form } }),
  });
  // A task takes exactly what its own schema gives.
  const given =
    task === "code-traces" ? (codeTracesTask(traces) as unknown as Task) : (taskNamed(task) as Task);
  const setup = setUp(config, { task: given, architecture: modelNamed(mixer) });
  const { data, model } = setup;
  const { tokenizer, prepared } = data;
  const length = maximumLength(prepared, tokenizer);
  const batch = emptyBatch(ROWS, length);
  const made = (objectives[name] as ObjectiveForms).loss!({ config, model, prepared, tokenizer });
  const stage = { prepared, rows: ROWS, length };
  const staged = made.inStage(stage);
  const firstName: "revealed-values" | "next-token" =
    name === "next-token" ? "revealed-values" : "next-token";
  const objective = objectives[firstName].loss({ prepared });
  const first: WeightedObjective = { objective, staged: objective.inStage(stage), weight: 1 };
  const sheets = [first, { staged }].map((each) => each.staged.sheet());
  batchWriter(prepared, tokenizer)(
    batch,
    exampleStream(SEED, "train"),
    0,
    sheets.flatMap(({ read }) => read ?? []),
  );
  const weight = config.stateSupervision?.weight ?? made.usualWeight ?? 1;
  const own: WeightedObjective = { objective: made, staged, weight };
  const rng = rngFrom(5);
  const initial = initialTrained(setup);
  const parameters = Object.fromEntries(
    flattenParameters(initial).map(([path, parameter]) => [path, redrawn(parameter, rng.fork(path))]),
  );
  const { tokens, targets } = batch;
  const feeds: Record<string, TensorData> = Object.assign(
    { tokens, targets },
    ...sheets.map((each) => each.feeds(batch)),
  );
  const tree = withData(initial, parameters);
  return {
    ...{ config, model, prepared, tokenizer, batch, firstName, first, own },
    ...{ feeds, parameters, tree },
  } as const;
}
export type ObjectiveCase = ReturnType<typeof setupOf>;

function redrawn({ data }: Parameter, rng: Rng): Float32Array<ArrayBuffer> {
  return Float32Array.from(data, (x) => x + 0.3 * rng.normal());
}

/** Everything that the training graph of these objectives computes on the batch. */
export async function computed(
  { model, batch, parameters, feeds }: ObjectiveCase,
  asked: readonly WeightedObjective[],
) {
  const { graph, outputs } = trainingGraph(model, batch.rows, batch.length, asked);
  const run = await compile(graph, outputs, runtime);
  const given = { ...feeds, ...parameters };
  const found = await run.run(Object.fromEntries(run.inputs.map(({ name }) => [name, given[name]])));
  await run.release();
  return { found, inputs: run.inputs };
}
