/**
 * @file The page of `statelab analyse`: for each analysis a question, a figure, what it means, and the command again.
 * An analysis that the model has nothing for is left out, and named at the end with the reason.
 */

import type { AnalysisDocument } from "../analysis/document.ts";
import { counted, percentSign } from "../math/format.ts";
import { ablationPart } from "./analysis/ablation.ts";
import { attentionPart } from "./analysis/attention.ts";
import { automatonPart } from "./analysis/automaton.ts";
import { betaPart } from "./analysis/beta.ts";
import { keysPart } from "./analysis/keys.ts";
import { type AnalysisPart, partSection } from "./analysis/part.ts";
import { patchingPart } from "./analysis/patching.ts";
import { probesPart } from "./analysis/probes.ts";
import { trajectoriesPart } from "./analysis/trajectories.ts";
import { page, section } from "./page.ts";
import { standAloneFigure } from "./stand-alone.ts";
import { element } from "./svg.ts";

/** What can be asked for by `--only`, in the order of the page. */
const parts: Readonly<Record<string, (document: AnalysisDocument) => AnalysisPart | undefined>> = {
  beta: betaPart,
  ablation: ablationPart,
  patching: patchingPart,
  attention: attentionPart,
  keys: keysPart,
  probes: probesPart,
  automaton: automatonPart,
  trajectories: trajectoriesPart,
};

/** One HTML file, and its figures as SVG files by name. */
export function analysisReport(document: AnalysisDocument): {
  readonly page: string;
  readonly figures: Readonly<Record<string, string>>;
} {
  const shown = Object.entries(parts).flatMap(([name, make]) => {
    const part = make(document);
    return part === undefined ? [] : [{ name, part }];
  });
  const { run, model, task, measured, programs, step } = document;
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
    element(
      "dl",
      { class: "facts" },
      [
        ["Model", settings(model)],
        ["Task", settings(task)],
      ].map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    ),
    shown.map(({ name, part }) => partSection(part, `${document.command} --only ${name}`)),
    missingSection(document),
  );
  const figures = shown.flatMap(({ part }) => Object.entries(part.figures));
  return {
    page: page({ title, description: `Analyses of the trained model in ${run}.`, body: [body] }),
    figures: Object.fromEntries(
      figures.map(([name, figure]) => [`${name}.svg`, standAloneFigure(name, figure)]),
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
