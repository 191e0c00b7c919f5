/**
 * @file The page of `statelab analyse`: for each analysis a question, a figure, what it means, and the command again.
 * An analysis that the model has nothing for is left out, and named at the end with the reason.
 */

import { type AnalysisDocument, partsOf } from "../analysis/document.ts";
import { counted, percentSign } from "../core/format.ts";
import { stalledWords } from "../schemas/curriculum-status.ts";
import { drawn, partSection } from "./analysis-section.ts";
import { page, section } from "./html.ts";
import { element } from "./svg.ts";
import { standAloneFigure } from "./svg-export.ts";

/** One HTML file, and its figures as SVG files by name. */
export function analysisReport(document: AnalysisDocument): {
  readonly page: string;
  readonly figures: Readonly<Record<string, string>>;
} {
  const shown = partsOf(document).map(([name, part]) => ({
    ...{ name, part },
    figures: Object.entries(part.figures).map(([file, figure]) => [file, drawn(figure)] as const),
  }));
  const { run, model, task, measured, programs, step, stalled } = document;
  const title = `Inside ${String(model.name)} on ${String(task.name)}`;
  const body = element(
    "main",
    {},
    element("p", { class: "eyebrow" }, `Analysis of ${run}, after ${counted(step, "step")}`),
    element("h1", {}, title),
    element(
      "p",
      { class: "lead" },
      measured.questions === 0
        ? "Nothing was asked."
        : `On ${counted(programs, "program")} that it was not trained on, the model is right in ${percentSign(measured.accuracy)} of ${counted(measured.questions, "answer")} (95 %: ${measured.interval.map(percentSign).join(" to ")}).`,
    ),
    stalled === undefined
      ? null
      : element(
          "p",
          { class: "lead" },
          `It was ${stalledWords(stalled)}: there its answers are no failure to track.`,
        ),
    element(
      "dl",
      { class: "facts" },
      [
        ["Model", settings(model)],
        ["Task", settings(task)],
      ].map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    ),
    shown.map(({ name, part, figures }) =>
      partSection(
        part,
        figures.map(([, figure]) => figure),
        `${document.command} --only ${name}`,
      ),
    ),
    missingSection(document),
  );
  return {
    page: page({ title, description: `Analyses of the trained model in ${run}.`, body: [body] }),
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
  return section(
    "What is left out",
    element(
      "ul",
      {},
      entries.map(([name, reason]) => element("li", {}, `${name}: ${reason}`)),
    ),
  );
}

/** `variables 3, commands 48`; the name is in the title. */
function settings(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
