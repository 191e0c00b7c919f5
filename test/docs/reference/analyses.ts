/** @file docs/reference/analyses.md: every analysis of `statelab analyze`, from its definition. */

import type { AnyAnalysis } from "../../../src/analysis/document.ts";
import { analyses } from "../../../src/analysis/index.ts";
import { code, generated, headerOf, sentence, sourceOf, table } from "./markdown.ts";

const all = Object.values<AnyAnalysis>(analyses);

export const analysesPage = () =>
  generated(
    "Analyses",
    "These are the analyses of `statelab analyze RUN`, each with what it measures and what it does not show. `--only NAME` selects one. [Analyze a model](../how-to/analyze.md) shows how to run and read them.",
    table(
      ["analysis", "what it measures"],
      all.map(({ name, summary }) => [`[${code(name)}](#${name})`, summary]),
    ),
    "An analysis that a model or task does not allow is left out, and the command prints the reason.",
    ...all.flatMap((analysis) => [
      `## ${analysis.name}`,
      sentence(analysis.summary),
      analysis.caution ?? "",
      left(analysis),
      ...sourcesOf(analysis.name),
    ]),
  );

/** When it is left out. */
function left({ needs }: AnyAnalysis): string {
  const reasons = needs.map(({ otherwise }) => otherwise).filter((reason) => reason !== "");
  return reasons.length === 0 ? "" : `Left out if ${[...new Set(reasons)].join(", or if ")}.`;
}

/** Sources that the comment of its file names. */
function sourcesOf(name: string): string[] {
  const file = { taps: "activations", mistakes: "errors" }[name] ?? name;
  const text = headerOf(sourceOf("analysis", file)).join(" ").replaceAll("\n", " ");
  return [...text.matchAll(/Source: (.*?\.)(?= |$)(?=(?: Source:| *$))/g)].map(
    ([, source]) => `Source: ${source}`,
  );
}
