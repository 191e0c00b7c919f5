/** @file The page's part on ablation: what is lost without each head. */

import type { Ablation, AblationKind, Silenced } from "../../analysis/ablation.ts";
import { ablationKinds } from "../../analysis/ablation.ts";
import type { AnalysisDocument } from "../../analysis/document.ts";
import { listed, percentSign, signed } from "../../math/format.ts";
import { matrixFigure } from "../figures/matrix.ts";
import { type AnalysisPart, headName } from "./part.ts";

/** Less than this is called no loss. */
const SMALL = 0.05;

export function ablationPart({ ablation, measured }: AnalysisDocument): AnalysisPart | undefined {
  if (ablation === undefined || ablation.silenced.length === 0) return undefined;
  const { silenced } = ablation;
  const layers = [...new Set(silenced.map(({ layer }) => layer))];
  const heads = [...new Set(silenced.map(({ head }) => head))];
  const grid = (kind: AblationKind) =>
    matrixFigure({
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
    heading: "Which head tracks",
    how: [
      "Each head is silenced in turn, in the whole program, and the same questions are asked again: once with zeros in place of what it reads, once with its mean over all programs (the control: it says nothing of this program, but the rest of the model receives what it is used to).",
    ],
    figures: { "ablation-zero": grid("zero"), "ablation-mean": grid("mean") },
    caption: "Accuracy lost, in points of a hundred. Layers and heads are counted from 0.",
    table: {
      columns: ["without", "zero", "mean", "drop, mean-ablation (95 %)"],
      rows: [
        ["nothing", accuracyText(ablation), accuracyText(ablation), "\u2013"],
        ...layers.flatMap((layer) => heads.flatMap((head) => rowOf(silenced, layer, head))),
        ...Object.entries(measured.references).map(([name, accuracy]) => [
          `reference: ${referenceNames[name] ?? name}`,
          percentSign(accuracy),
          percentSign(accuracy),
          "\u2013",
        ]),
      ],
    },
    meaning: [meaningOf(ablation, measured)],
    caution:
      "Intervals of accuracies take questions as independent (Wilson); those of the drop draw whole programs (paired bootstrap). A head that costs nothing alone may still stand in for another.",
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

function meaningOf({ accuracy, silenced }: Ablation, { references }: AnalysisDocument["measured"]): string {
  // A head counts only where the control agrees.
  const needed = silenced.filter(
    ({ kind, layer, head, drop }) =>
      kind === "mean" &&
      drop >= SMALL &&
      (silenced.find((each) => each.kind === "zero" && each.layer === layer && each.head === head)?.drop ??
        0) >= SMALL,
  );
  if (needed.length === 0) {
    return `No single head is needed: without any one of them the model (${percentSign(accuracy)}) loses less than ${100 * SMALL} points, under zeros or under means.`;
  }
  const names = listed(needed.map(headName));
  const left = listed(needed.map((each) => percentSign(each.accuracy)));
  const reference = references.windowedBayes;
  const beside =
    reference === undefined
      ? ""
      : ` What can be known without tracking, by the windowed Bayes filter, is ${percentSign(reference)}.`;
  const others = silenced.length / ablationKinds.length - needed.length;
  const only = `Only ${names} ${needed.length === 1 ? "is" : "are"} needed: at the mean, accuracy falls from ${percentSign(accuracy)} to ${left}.${beside}`;
  return others === 0
    ? `Every head is needed. ${only.replace("Only ", "Without one of ")}`
    : `${only} None of the other ${others} costs ${100 * SMALL} points.`;
}
