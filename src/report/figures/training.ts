/**
 * @file How one model learned: accuracy on its training batches by step, over the stages of the curriculum.
 *
 *     100 |    __/|  _/----
 *         | __/   |_/
 *         |/
 *     seed 0 | 1  |2| 4 | 12    the stages of the curriculum, by their hardest part: each model moves on when it has earned it
 */

import { duration, integer, percentSign, short } from "../../core/format.ts";
import type { TrainingCurve } from "../../schemas/experiment-result.ts";
import { spread } from "../aggregate.ts";
import { element, type Markup } from "../svg.ts";
import {
  centered,
  figureFrame,
  fitted,
  hover,
  linear,
  marker,
  type Point,
  path,
  rectangle,
  series,
  seriesLine,
  shareAxis,
  text,
  tickLabel,
  ticks,
} from "./marks.ts";

const TRAINING_WIDTH = 360;
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 350, 50, 180];
const STRIP = 16;

type TrainingPoint = TrainingCurve["points"][number];

export interface Stage {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The runs of equal stage; each ends where the next begins. */
export function stages(points: readonly TrainingPoint[]): Stage[] {
  const found: Stage[] = [];
  for (const { step, stage: name } of points) {
    const last = found.at(-1);
    if (last !== undefined) found[found.length - 1] = { ...last, to: step };
    if (last?.name !== name) found.push({ name, from: last === undefined ? 0 : step, to: step });
  }
  return found;
}

/** `curves`: the seeds of one model, at least one with points. `lastStep` is shared between figures, so that they compare. */
export function trainingFigure(
  label: string,
  index: number,
  curves: readonly TrainingCurve[],
  lastStep: number,
  chance: number,
): Markup {
  const x = linear(0, lastStep, LEFT, RIGHT);
  const y = linear(0, 1, BOTTOM, TOP);
  const height = BOTTOM + 12 + curves.length * (STRIP + 3) + 38;
  const mean = curves.length > 1 ? meanCurve(curves) : [];
  const axisTop = height - 22;
  return figureFrame(
    [TRAINING_WIDTH, height],
    describe(label, curves),
    series(
      index,
      marker(9, 10, index),
      fitted(20, 14, label, 44, { class: "name" }),
      fitted(4, 32, about(curves), 60, { class: "muted small" }),
      shareAxis(LEFT, RIGHT, y, { guess: chance }),
      curves.map((curve) => {
        const points = curve.points.map(({ step, accuracy }): Point => [x(step), y(accuracy)]);
        return curves.length === 1
          ? seriesLine(points, index)
          : element("path", { class: "line thin", d: path(points) }, hover(`seed ${curve.seed}`));
      }),
      mean.length > 1
        ? seriesLine(
            mean.map(([step, accuracy]): Point => [x(step), y(accuracy)]),
            index,
          )
        : null,
      curves.map((curve, i) => strip(curve, x, BOTTOM + 12 + i * (STRIP + 3), curves.length > 1)),
    ),
    ticks(lastStep, 5).map((step) =>
      text(x(step), axisTop, integer(step), {
        class: "muted small",
        "text-anchor": step === lastStep ? "end" : "middle",
      }),
    ),
    tickLabel((LEFT + RIGHT) / 2, axisTop + 17, "step; strip: stages of the curriculum"),
  );
}

function strip(curve: TrainingCurve, x: (step: number) => number, top: number, named: boolean): Markup[] {
  const bars = stages(curve.points).flatMap(({ name: stage, from, to }, i) => {
    const width = x(to) - x(from);
    const title = `seed ${curve.seed}: stage ${stage} from step ${integer(from)} to ${integer(to)}`;
    const bar = rectangle(`stage${i % 2}`, { x: x(from), y: top, width, height: STRIP }, title);
    const isWide = width >= stage.length * 7 + 2;
    return isWide ? [bar, centered(x(from) + width / 2, top + 12, stage, "small")] : [bar];
  });
  const name = named ? `seed ${curve.seed}` : "";
  return [...bars, fitted(LEFT - 4, top + 12, name, 8, { class: "muted small", "text-anchor": "end" })];
}

/** The mean over seeds at every recorded step that all of them have reached, each read between its own points. */
export function meanCurve(curves: readonly TrainingCurve[]): Point[] {
  const common = Math.min(...curves.map(({ points }) => points.at(-1)!.step));
  const start = Math.max(...curves.map(({ points }) => points[0]!.step));
  const steps = [...new Set(curves.flatMap(({ points }) => points.map(({ step }) => step)))].toSorted(
    (a, b) => a - b,
  );
  return steps
    .filter((step) => step >= start && step <= common)
    .map((step) => [step, spread(curves.map(({ points }) => accuracyAt(points, step))).mean]);
}

function accuracyAt(points: readonly TrainingPoint[], step: number): number {
  const after = points.findIndex((point) => point.step >= step);
  const [right, left] = [points[after]!, points[Math.max(0, after - 1)]!];
  return linear(left.step, right.step, left.accuracy, right.accuracy)(step);
}

function about(curves: readonly TrainingCurve[]): string {
  const { parameters, learningRate } = curves[0]!;
  const seconds = spread(curves.map((curve) => curve.seconds)).mean;
  const steps = Math.max(...curves.map((curve) => curve.steps));
  const each = curves.length > 1 ? " each" : "";
  return `${short(parameters)} parameters, rate ${learningRate}, ${integer(steps)} steps, ${duration(seconds)}${each}`;
}

function describe(label: string, curves: readonly TrainingCurve[]): string {
  const ends = curves.map(({ seed, points }) => {
    const last = points.at(-1)!;
    return `seed ${seed} ends at ${percentSign(last.accuracy)} in stage ${last.stage}`;
  });
  return `Training of ${label}: ${ends.join("; ")}.`;
}
