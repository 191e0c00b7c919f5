/** @file The page's part on beta: where each head writes how strongly, and how far that lets a state be carried. */

import type { BetaOfHead } from "../../analysis/beta.ts";
import type { AnalysisDocument } from "../../analysis/document.ts";
import { counted, percentSign, signed } from "../../math/format.ts";
import { distributionFigure } from "../figures/distribution.ts";
import { matrixFigure } from "../figures/matrix.ts";
import { type AnalysisPart, headName, shortHead } from "./part.ts";

export function betaPart({ beta, measured }: AnalysisDocument): AnalysisPart | undefined {
  if (beta === undefined) return undefined;
  const { betaMax, heads } = beta;
  const along = (name: "command" | "reveal") =>
    matrixFigure({
      title: `Mean beta along a ${name}`,
      rowLabel: "layer.head",
      columnLabel: `tokens of a ${name}, from its first`,
      rows: heads.map(shortHead),
      columns: (heads[0]?.[name] ?? []).map(({ token }) => token),
      cells: heads.map((head) => head[name].map(({ mean }) => mean)),
      from: 0,
      to: betaMax,
      digits: 2,
    });
  const strongest = heads.reduce((most, each) => (each.strongest.mean > most.strongest.mean ? each : most));
  return {
    heading: "How strongly each head writes",
    how: [
      `A delta rule multiplies what stands in its memory along the key by 1 \u2212 beta: 1 leaves it, 0 forgets it, \u22121 (beta = 2) reflects it, and a reflection along (e_i \u2212 e_j)/\u221A2 exchanges two slots. Here beta can be at most ${betaMax}. Kept: the size of 1 \u2212 beta (times the decay, where there is one) as a geometric mean over commands, at the token of a command where the head's mean beta is largest. Horizon: the commands after which half is left of what is turned at each of them, ln(1/2) / ln(kept).`,
    ],
    figures: {
      "beta-command": along("command"),
      ...(heads.some(({ reveal }) => reveal.length > 0) && { "beta-reveal": along("reveal") }),
      ...Object.fromEntries(
        heads.slice(0, MOST_HISTOGRAMS).map((head) => [
          `beta-${shortHead(head)}`,
          distributionFigure({
            title: `beta, ${headName(head)}`,
            xLabel: "beta",
            to: betaMax,
            classes: head.classes.map(({ class: name, ...rest }) => ({ name, ...rest })),
          }),
        ]),
      ),
    },
    caption: `Above: mean beta at each token of a command and of a reveal. Below: beta at all tokens of a kind, each drawn to its own largest bar${heads.length > MOST_HISTOGRAMS ? `; the first ${MOST_HISTOGRAMS} heads` : ""}.`,
    table: {
      columns: [
        "layer.head",
        "strongest token",
        "mean beta",
        "|2 \u2212 beta|",
        "eigenvalue",
        "kept",
        "horizon",
        "on reveals",
      ],
      rows: heads.map((head) => [
        shortHead(head),
        head.strongest.token,
        signed(head.strongest.mean, 3),
        signed(head.distanceFrom2, 3),
        signed(head.eigenvalue, 3),
        signed(head.kept, 4),
        horizonText(head),
        head.strongestReveal === undefined
          ? "\u2013"
          : `${signed(head.strongestReveal.mean, 3)} at ${head.strongestReveal.token}`,
      ]),
    },
    meaning: [meaningOf(strongest, betaMax), measuredText(strongest, measured)],
    caution:
      "A beta near 2 is what a tracker by reflections needs; it does not show that this head is used. That is what silencing it shows.",
  };
}

const MOST_HISTOGRAMS = 8;

function horizonText({ horizon }: Pick<BetaOfHead, "horizon">): string {
  if (!Number.isFinite(horizon)) return "no end";
  return horizon < 10 ? signed(horizon, 1) : signed(horizon, 0);
}

function meaningOf(head: BetaOfHead, betaMax: number): string {
  const where = `At "${head.strongest.token}", ${headName(head)} has a mean beta of ${signed(head.strongest.mean, 3)}, the largest of all heads on commands`;
  if (betaMax < 2) {
    return `${where}. With beta at most ${betaMax} no eigenvalue is negative: this model cannot reflect, and a swap cannot be one step of its memory.`;
  }
  if (head.strongest.mean > 1.9)
    return `${where}: there it reflects its memory almost exactly, as tracking by reflections needs.`;
  return `${where}. No head comes near 2 on commands: no head here reflects its memory at each command.`;
}

function measuredText(head: BetaOfHead, { byCommands }: AnalysisDocument["measured"]): string {
  const [first, last] = [byCommands[0], byCommands.at(-1)];
  if (first === undefined || last === undefined) return "No question was asked.";
  const from = `after ${counted(first.commands, "command")} the model is right in ${percentSign(first.accuracy)}`;
  const to =
    last === first ? "" : `, after ${counted(last.commands, "command")} in ${percentSign(last.accuracy)}`;
  return `Predicted by that head: half of what is turned at every command is left after ${horizonText(head)}${Number.isFinite(head.horizon) ? " commands" : ""}. Measured: ${from}${to}.`;
}
