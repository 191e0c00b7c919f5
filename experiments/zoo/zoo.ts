/**
 * @file The zoo: what theory predicts of every architecture, and what is measured, of one layer or of two.
 *
 *     rows.ts          the architectures, a line each          columns.ts      the tasks
 *     predictions.ts   what theory says, before any run        constructed.ts  what is proven by weights set by hand
 *     verdict.ts       what a cell shows                       plan.ts         timing, then the grid, then the seeds
 *     graded.ts        tasks of which an order is predicted    cells.ts        from runs to cells
 *
 * A cell is one architecture on one task: the best of three learning rates on two seeds that are not reported, then the
 * reported seeds. Expected: predictions.ts. Sources: there.
 */

import { stateShapes } from "../../src/models/index.ts";
import { size } from "../../src/tensor/index.ts";
import { evaluate } from "../../src/train/evaluate.ts";
import { bundled, sha256 } from "../../src/work/run/bundle.ts";
import { isModulePath } from "../../src/work/run/load.ts";
import { type TrainedRun, testAbout } from "../../src/work/run/trained.ts";
import { defineExperiment } from "../engine/define.ts";
import type { Measuring, PlannedRun } from "../engine/experiment.ts";
import { OWN_QUESTION } from "../engine/sources.ts";
import { cell, cellsOf, columnOf, settingsHash, taught } from "./cells.ts";
import { columns } from "./columns.ts";
import { keeping } from "./keeping.ts";
import { stepTime, timed, zooPlan } from "./plan.ts";
import { heldShare, zooFindings, zooWords } from "./report.ts";
import { rows } from "./rows.ts";
import { lastAnswers, settings, type ZooSettings } from "./settings.ts";
import { options } from "./wanted.ts";

export const zoo = defineExperiment<ZooSettings>({
  name: "zoo",
  question: "Which architectures can hold which states with one layer or two, and does theory say so?",
  about: "every architecture on sixteen state tasks, predictions first",
  publishedIn: OWN_QUESTION,
  models: Object.fromEntries(
    Object.entries(rows).map(([name, { label, summary }]) => [name, { label, summary }]),
  ),
  settings,
  options,
  keepsRuns: true,
  curvePoints: 4,
  byNameOnly: true,
  keeping,
  measurements: [cell, taught, stepTime],
  published: [
    {
      source: OWN_QUESTION,
      statement: "What theory predicts of each architecture and task holds (experiments/zoo/predictions.ts)",
      here: "of the predictions that were tried those that held; not learned, and not built by hand, counts as not held",
      measure: (result) => heldShare(cellsOf(result)),
    },
  ],

  plan: zooPlan,
  measureRun,
  measureWork: timed,
  findings: (result) => zooFindings(cellsOf(result)),
  report: (result) => zooWords(result, cellsOf(result)),
});

/** Which cell a run is of and what it carries; where every word of the trained lengths was in training, what it answers to these. */
async function* measureRun(trained: TrainedRun, run: PlannedRun): Measuring {
  yield { done: 0, of: 1 };
  const { model, data, config } = trained;
  const { name } = config.model;
  const code = isModulePath(name) ? sha256((await bundled(name)).code) : "";
  const words = data.variant(run.tests.at(-1)?.change ?? {}, "zoo").maximumWords;
  const state = Object.values(stateShapes(model, words)).reduce((sum, shape) => sum + size(shape), 0);
  const note = settingsHash(run.config, run.tests, code);
  const rate = config.train.learningRate;
  const rows = [cell.row({ at: { rate }, values: { state }, note })];
  const { lengths } = columns[columnOf(run.setting)] ?? {};
  if (lengths === undefined) return rows;
  const [change] = lastAnswers(lengths);
  const { exclude: _, ...all } = testAbout(trained, change, config.evaluate.programs);
  const weights = { tree: trained.tree, data: trained.weights };
  const { accuracyLast: share } = await evaluate(model, weights, all, trained.runtime);
  return [...rows, taught.row({ at: { rate }, values: { share } })];
}
