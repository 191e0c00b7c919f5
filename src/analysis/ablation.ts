/**
 * @file Which head does the work: each one is silenced in turn, and the questions are asked again.
 *
 *     zero      what the head has read becomes 0
 *     mean      ... becomes its mean over all tokens of all programs: it says nothing of this program, but keeps its usual size
 *     drop      accuracy of the whole model less that of the silenced one, on the same programs (95 %, over programs)
 *
 * Zeros take a model out of the range it has seen, so a drop under zero alone may be the shock, not the loss of what the
 * head knew; mean-ablation is the control. Source: Wang et al. 2022, arXiv:2211.00593.
 */

import { z } from "zod";
import { clusteredDifference } from "../core/cluster-robust.ts";
import { formatList, percentSign, signed } from "../core/format.ts";
import { type ModelAccuracy, meanAccuracy } from "./accuracy.ts";
import { defineAnalysis, intervening } from "./analysis.ts";
import type { Figure } from "./figures.ts";
import { headName, type Part } from "./figures.ts";
import {
  type AblatedForward,
  type AblationKind,
  ablationKinds,
  type HeadPlace,
  type Program,
  recordedTokens,
  rowAt,
  type Tap,
} from "./recording.ts";
import { Interval } from "./seed-aggregate.ts";

const Silenced = z.strictObject({
  layer: z.int(),
  head: z.int(),
  kind: z.enum(ablationKinds),
  accuracy: z.number(),
  interval: Interval,
  drop: z.number(),
  dropInterval: Interval,
});
export type Silenced = z.infer<typeof Silenced>;

const Ablation = z.strictObject({
  questions: z.int(),
  /** Accuracy of the whole model. */
  accuracy: z.number(),
  interval: Interval,
  silenced: z.array(Silenced),
});
export type Ablation = z.infer<typeof Ablation>;

export const ablation = defineAnalysis({
  name: "ablation",
  summary: "which heads the model needs: each is ablated, and accuracy is measured again",
  caution:
    "Intervals are over programs, whose answers are similar. A head whose ablation costs nothing may duplicate another.",
  found: Ablation,
  needs: [intervening("no layer of this model has heads that can be ablated")],
  measure({ heads, ask, recording, runsFor, steps }) {
    steps.expect((1 + heads.length * ablationKinds.length) * runsFor(recording.programs.length));
    return ablateHeads(heads, ask);
  },
  part: (found, { accuracy }) => partOf(found, accuracy),
});

export async function ablateHeads(heads: readonly HeadPlace[], ask: AblatedForward): Promise<Ablation> {
  const whole = await ask();
  const silenced: Silenced[] = [];
  for (const { layer, head } of heads) {
    for (const kind of ablationKinds) {
      const without = await ask({ layer, head, kind });
      const pairs = whole.map(({ asked, right }, i) => ({ asked, rightA: without[i].right, rightB: right }));
      const { difference, interval } = clusteredDifference(pairs);
      silenced.push({
        layer,
        head,
        kind,
        ...meanAccuracy(without),
        drop: difference,
        dropInterval: interval,
      });
    }
  }
  const questions = whole.reduce((sum, { asked }) => sum + asked, 0);
  return { questions, ...meanAccuracy(whole), silenced };
}

/** The mean output of a head over all tokens. */
export function meanReading(tap: Tap, programs: readonly Program[], head: number): Float32Array {
  const sum = new Float64Array(tap.shape.at(-1) ?? 0);
  let count = 0;
  for (const [i, t] of recordedTokens(programs)) {
    const row = rowAt(tap, i, t, head);
    for (let k = 0; k < sum.length; k++) sum[k] += row[k];
    count++;
  }
  return Float32Array.from(sum, (each) => each / Math.max(1, count));
}

/** Less than this is called no loss. */
const SMALL = 0.05;

function partOf(ablation: Ablation, model: ModelAccuracy): Part {
  const { silenced } = ablation;
  const layers = [...new Set(silenced.map(({ layer }) => layer))];
  const heads = [...new Set(silenced.map(({ head }) => head))];
  const grid = (kind: AblationKind): Figure => ({
    kind: "matrix",
    title: kind === "zero" ? "Points lost with the head at zero" : "Points lost with the head at its mean",
    rowLabel: "layer",
    columnLabel: "head",
    rows: layers.map(String),
    columns: heads.map(String),
    cells: layers.map((layer) =>
      heads.map((head) => {
        const found = silenced.find(
          (each) => each.layer === layer && each.head === head && each.kind === kind,
        );
        return found && 100 * found.drop;
      }),
    ),
    from: 0,
    to: Math.max(20, ...silenced.map(({ drop }) => 100 * drop)),
    digits: 1,
  });
  return {
    heading: "Accuracy without each head",
    how: [
      "Each head is ablated in turn, at all tokens, and the model is tested again. Its output is replaced once by zeros and once by its mean over all programs. The mean is the control: it carries no information on the program, but keeps its usual size.",
    ],
    figures: { "ablation-zero": grid("zero"), "ablation-mean": grid("mean") },
    caption: "Accuracy lost, in percentage points. Layers and heads are counted from 0.",
    table: {
      columns: ["without", "zero", "mean", "drop, mean-ablation (95 %)"],
      rows: [
        ["nothing", accuracyText(ablation), accuracyText(ablation), "\u2013"],
        ...layers.flatMap((layer) => heads.flatMap((head) => rowOf(silenced, layer, head))),
        ...Object.entries(model.references).map(([name, accuracy]) => [
          `reference: ${referenceNames[name] ?? name}`,
          percentSign(accuracy),
          percentSign(accuracy),
          "\u2013",
        ]),
      ],
    },
    meaning: [meaningOf(ablation, model)],
  };
}

const referenceNames: Readonly<Record<string, string>> = {
  exactBayes: "exact Bayes filter",
  windowedBayes: "windowed Bayes filter",
  windowedBayesWithoutBoundary: "windowed Bayes filter without the reveal before its window",
};

function rowOf(silenced: readonly Silenced[], layer: number, head: number): string[][] {
  const [zero, mean] = ablationKinds.map((kind) =>
    silenced.find((each) => each.layer === layer && each.head === head && each.kind === kind),
  );
  if (zero === undefined || mean === undefined) return [];
  const [low, high] = mean.dropInterval.map((each) => signed(100 * each, 1));
  return [
    [
      headName({ layer, head }),
      accuracyText(zero),
      accuracyText(mean),
      `${signed(100 * mean.drop, 1)} (${low} to ${high})`,
    ],
  ];
}

function accuracyText({ accuracy, interval }: Pick<Ablation, "accuracy" | "interval">): string {
  return `${percentSign(accuracy)} (${interval.map((each) => signed(100 * each, 1)).join(" to ")})`;
}

function meaningOf({ accuracy, silenced }: Ablation, { references }: ModelAccuracy): string {
  // A head counts only where the control agrees.
  const needed = silenced.filter(
    ({ kind, layer, head, drop }) =>
      kind === "mean" &&
      drop >= SMALL &&
      (silenced.find((each) => each.kind === "zero" && each.layer === layer && each.head === head)?.drop ??
        0) >= SMALL,
  );
  if (needed.length === 0) {
    return `No single head is needed: without any one of them the model (${percentSign(accuracy)}) loses less than ${100 * SMALL} points, with zeros or with means.`;
  }
  const names = formatList(needed.map(headName));
  const left = formatList(needed.map((each) => percentSign(each.accuracy)));
  const reference = references.windowedBayes;
  const beside =
    reference === undefined
      ? ""
      : ` The windowed Bayes filter, which does not track, scores ${percentSign(reference)}.`;
  const others = silenced.length / ablationKinds.length - needed.length;
  const only = `Only ${names} ${needed.length === 1 ? "is" : "are"} needed: with its mean, accuracy falls from ${percentSign(accuracy)} to ${left}.${beside}`;
  return others === 0
    ? `Every head is needed. ${only.replace("Only ", "Without one of ")}`
    : `${only} None of the other ${others}, ablated alone, costs ${100 * SMALL} points both ways.`;
}
