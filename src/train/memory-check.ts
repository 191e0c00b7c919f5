/**
 * @file Whether a training fits the memory of the machine, from its shapes alone: nothing is drawn, allocated or compiled.
 *
 *     memory >= 4 (values + gradients) + 4 rows T (width layers + vocabulary)     and, if that fits,
 *     memory >= 4 (values + gradients) + peak memory of the graph of a share
 *
 * The first bound needs no graph, which a width of 10^9 must never reach. Both are lower bounds for the largest share of a step
 * (step.ts), with gradients of each share: a refused training is impossible, an accepted one may still need too much.
 */

import { fail } from "../core/error.ts";
import { type Model, parameterCount, parameterShapes } from "../models/index.ts";
import type { LayerMixer } from "../models/model.ts";
import { peakBytes } from "../tensor/peak-memory.ts";
import { largestOf } from "./batch-layout.ts";
import { trainingGraph } from "./graph.ts";
import type { Setup } from "./setup.ts";

/** Sessions with more nodes take ONNX Runtime minutes and gigabytes. */
const MOST_NODES = 200_000;
/** The nodes of a deeper model are counted before its graph is built. */
const FEW_LAYERS = 8;
const FLOAT = 4;

/** @param machineBytes memory of the machine. @throws LabError that names the sizes that do not fit. */
export function refuseWhatCannotFit(setup: Setup, machineBytes: number): void {
  const { model, data, objectives, trains, shares } = setup;
  const parameters = parameterCount(parameterShapes(model));
  const kept = (1 + shares) * FLOAT * parameters;
  const fits = (bytes: number, what: string) => {
    if (bytes <= machineBytes) return;
    fail(
      "sizes",
      `a training within this machine's ${inBytes(machineBytes)} of memory`,
      `at least ${inBytes(bytes)} for ${what}`,
      "Lower model.width, model.layers, train.batch or the lengths of the task",
    );
  };
  fits(kept, `${parameters.toLocaleString("en")} parameters and their gradients`);
  const positions = data.stages.map((stage) => stage.rows * stage.pieceLength);
  const largest = positions.indexOf(Math.max(...positions));
  const { length, pieceLength: longest } = data.stages[largest];
  const rows = largestOf(data.stages[largest].rows, shares);
  const part = shares === 1 ? "" : "a share of ";
  const shape = `${part}${rows.toLocaleString("en")} rows of ${longest.toLocaleString("en")} tokens`;
  fits(kept + FLOAT * rows * longest * (model.width * model.mixers.length + model.vocabulary), shape);
  if (model.mixers.length > FEW_LAYERS) refuseNodes(model, nodesOfLayers(model, longest));
  const { graph, outputs } = trainingGraph(
    model,
    rows,
    length,
    objectives[largest],
    trains,
    data.stages[largest],
  );
  refuseNodes(model, graph.nodes.length);
  fits(kept + peakBytes(graph, Object.values(outputs)), shape);
}

/** Checks the batches of a run that is opened but not trained. @throws LabError (corrupt) if they exceed the memory. */
export function refuseLargeBatches({ data, config }: Setup, machineBytes: number): void {
  for (const [i, { length }] of data.stages.entries()) {
    const bytes = FLOAT * config.train.batch * length;
    if (bytes <= machineBytes) continue;
    fail(
      `train.batch, curriculum.stages.${i}`,
      `batches within this machine's ${inBytes(machineBytes)} of memory`,
      `${inBytes(bytes)} of tokens`,
      undefined,
      "corrupt",
    );
  }
}

/** Checks a batch of an evaluation. @throws LabError if its activations exceed the memory. */
export function refuseLargeReading(
  { width, layers, vocabulary }: Model,
  rows: number,
  length: number,
  machineBytes: number,
): void {
  const bytes = FLOAT * rows * length * (width * layers + vocabulary);
  if (bytes <= machineBytes) return;
  fail(
    "sizes",
    `a test within this machine's ${inBytes(machineBytes)} of memory`,
    `at least ${inBytes(bytes)} for ${rows} rows of ${length.toLocaleString("en")} tokens`,
    "Test shorter programs",
  );
}

/** Layers of the same mixer have equal nodes, so small graphs give the count of the whole model. */
function nodesOfLayers(model: Model, length: number): number {
  const counts = new Map<LayerMixer, number>();
  for (const each of model.mixers) counts.set(each, (counts.get(each) ?? 0) + 1);
  let nodes = 0;
  for (const [layer, count] of counts) {
    const nodesOf = (layers: number) => {
      const mixers = [...beneath(model, layer), ...new Array<LayerMixer>(layers).fill(layer)];
      return trainingGraph({ ...model, layers: mixers.length, mixers }, 1, length).graph.nodes.length;
    };
    nodes += count * (nodesOf(2) - nodesOf(1));
  }
  return nodes;
}

function refuseNodes({ mixers }: Model, nodes: number): void {
  if (nodes > MOST_NODES)
    fail(
      "model.layers",
      `layers whose graph has at most ${MOST_NODES.toLocaleString("en")} operations`,
      `about ${nodes.toLocaleString("en")} for ${mixers.length.toLocaleString("en")} layers`,
    );
}

/** One layer of each kind below the first of these, if it takes an output of a lower layer. */
function beneath({ mixers }: Model, layer: LayerMixer): LayerMixer[] {
  return layer.mixer.takes === undefined ? [] : [...new Set(mixers.slice(0, mixers.indexOf(layer)))];
}

function inBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}
