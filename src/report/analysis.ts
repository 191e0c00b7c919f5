/**
 * @file The page of `statelab analyze`: for each analysis a question, a figure, what it means, and its command. Analyses that do not
 * apply to the model are listed at the end with the reason.
 */

import { type AnalysisDocument, documentParts } from "../analysis/document.ts";
import type { Figure, Part } from "../analysis/figures.ts";
import { formatCount, percentSign } from "../core/format.ts";
import { stalledWords } from "../schemas/convergence.ts";
import { standAloneFigure } from "./figure-files.ts";
import { attentionFigure } from "./figures/attention.ts";
import { distributionFigure } from "./figures/bars.ts";
import { matrixFigure } from "./figures/cells.ts";
import { linesFigure } from "./figures/lines.ts";
import { scatterFigure } from "./figures/scatter.ts";
import { card, caution, command, facts, list, paragraph, plainTable, reportPage, section } from "./html.ts";
import { element, type Markup } from "./svg.ts";

/** One HTML file, and its figures as SVG files by name. */
export function analysisReport(document: AnalysisDocument): {
  readonly page: string;
  readonly figures: Readonly<Record<string, string>>;
} {
  const shown = documentParts(document).map(([name, part]) => ({
    ...{ name, part },
    figures: Object.entries(part.figures).map(([file, figure]) => [file, drawn(figure)] as const),
  }));
  const { run, model, task, measured, programs, step, stalled } = document;
  return {
    page: reportPage(
      {
        eyebrow: `analysis of ${run}, after ${formatCount(step, "step")}`,
        title: `Inside ${String(model.name)} on ${String(task.name)}`,
        description: `Analyses of the trained model in ${run}.`,
        lead: [
          facts([
            ["Model", settings(model)],
            ["Task", settings(task)],
            ["Programs, not trained on", String(programs)],
            ["Answers", String(measured.questions)],
            ...(measured.questions === 0
              ? []
              : ([
                  ["Accuracy", percentSign(measured.accuracy)],
                  ["95 % interval", measured.interval.map(percentSign).join(" to ")],
                ] as const)),
          ]),
          stalled === undefined ? null : caution(`${stalledWords(stalled)}.`),
        ],
      },
      shown.map(({ name, part, figures }) =>
        partSection(
          part,
          figures.map(([, figure]) => figure),
          `${document.command} --only ${name}`,
        ),
      ),
      missingSection(document),
    ),
    figures: Object.fromEntries(
      shown.flatMap(({ figures }) =>
        figures.map(([name, figure]) => [`${name}.svg`, standAloneFigure(name, figure)]),
      ),
    ),
  };
}

function missingSection({ missing }: AnalysisDocument) {
  const entries = Object.entries(missing);
  if (entries.length === 0) return null;
  return section("What is left out", list(entries.map(([name, reason]) => `${name}: ${reason}`)));
}

/** `variables 3, commands 48`; the name is in the title. */
function settings(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

export function drawn(figure: Figure): Markup {
  switch (figure.kind) {
    case "matrix":
      return matrixFigure(figure);
    case "distribution":
      return distributionFigure(figure);
    case "attention":
      return attentionFigure(figure);
    case "scatter":
      return scatterFigure(figure);
    case "lines":
      return linesFigure(figure);
    default:
      return figure satisfies never;
  }
}

/** `figures` are the drawn figures of the part; `line` is the command that makes it again. */
export function partSection(part: Part, figures: readonly Markup[], line: string): Markup {
  const inCards = (narrow: boolean) =>
    figures.filter((figure) => isNarrow(figure) === narrow).map((figure) => card(figure));
  return section(
    part.heading,
    part.how.map((text) => paragraph(text)),
    figures.length === 0
      ? null
      : element(
          "figure",
          {},
          element("div", { class: "analysis" }, inCards(false)),
          element("div", { class: "grid" }, inCards(true)),
          element("figcaption", {}, part.caption),
        ),
    part.table === undefined ? null : plainTable(part.table),
    element("h3", {}, "What it means"),
    part.meaning.map((text) => paragraph(text)),
    part.caution === undefined ? null : caution(part.caution),
    command(line),
  );
}

/** Narrow figures share a row. */
const isNarrow = ({ text }: Markup) => Number(/viewBox="0 0 (\S+)/.exec(text)?.[1] ?? 0) <= 420;
