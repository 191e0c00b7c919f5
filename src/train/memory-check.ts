/**
 * @file Whether a training can fit the machine, from its shapes alone: nothing is drawn, allocated or compiled.
 *
 *     memory >= 4 (values + gradients) + 4 rows T (width layers + vocabulary)     and, once that fits,
 *     memory >= 4 (values + gradients) + what the graph of a step holds at its fullest
 *
 * The first is so cheap that it comes before the graph is made: of a width of 10^9 no graph should be. Both are lower bounds for the
 * largest part that a step may have (layout.ts), so what is refused could not have been trained on it; what is let through may still be too much.
 */

import { fail } from "../core/error.ts";
import { type Model, parameterCount, parameterShapes } from "../models/index.ts";
import type { LayerMixer } from "../models/model.ts";
import { peakBytes } from "../tensor/peak-memory.ts";
import { trainingGraph } from "./graph.ts";
import type { Setup } from "./setup.ts";

/** ONNX Runtime takes minutes and gigabytes to make a session of more. */
const MOST_NODES = 200_000;
const FLOAT = 4;

/** @param machineBytes memory of the machine. @throws LabError naming what does not fit. */
export function refuseWhatCannotFit(setup: Setup, machineBytes: number): void {
  const { model, data, objectives, trains } = setup;
  const parameters = parameterCount(parameterShapes(model));
  const kept = 2 * FLOAT * parameters;
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
  const positions = data.stages.map((stage) => stage.rows * stage.length);
  const largest = positions.indexOf(Math.max(...positions));
  const { rows, length: longest, packed } = data.stages[largest];
  const shape = `${rows.toLocaleString("en")} rows of ${longest.toLocaleString("en")} tokens`;
  fits(kept + FLOAT * rows * longest * (model.width * model.layers + model.vocabulary), shape);
  refuseDeepGraphs(model, longest);
  const { graph, outputs } = trainingGraph(model, rows, longest, objectives[largest], trains, { packed });
  fits(kept + peakBytes(graph, Object.values(outputs)), shape);
}

/** Of the batches of a training that is read and not continued. @throws LabError (corrupt) where not one of them can be drawn. */
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

/** Of so many rows that are read at once. @throws LabError where what the model makes of them is more than the machine holds. */
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
    "Ask about shorter programs",
  );
}

/** Layers of one mixer have the same nodes, so that a graph of one layer tells how many there will be. */
function refuseDeepGraphs(model: Model, length: number): void {
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
  if (nodes > MOST_NODES)
    fail(
      "model.layers",
      `layers whose graph has at most ${MOST_NODES.toLocaleString("en")} operations`,
      `about ${nodes.toLocaleString("en")} for ${model.layers.toLocaleString("en")} layers`,
    );
}

/** A layer of each kind that stands below the first of these, where it takes what one of them offers. */
function beneath({ mixers }: Model, layer: LayerMixer): LayerMixer[] {
  return layer.mixer.takes === undefined ? [] : [...new Set(mixers.slice(0, mixers.indexOf(layer)))];
}

function inBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}
