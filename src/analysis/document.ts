/** @file The findings about one model: the content of analysis.json and of the page. */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { parseWith } from "../core/settings.ts";
import { Stalled } from "../schemas/convergence.ts";
import { ModelAccuracy } from "./accuracy.ts";
import type { Analysis, Beside } from "./analysis.ts";
import type { Part } from "./figures.ts";
import { type AnalysisName, analyses } from "./index.ts";

type Schemas = { [Name in AnalysisName]: z.ZodOptional<(typeof analyses)[Name]["found"]> };
const found = Object.fromEntries(
  Object.entries(analyses).map(([name, analysis]) => [name, analysis.found.optional()]),
) as unknown as Schemas; // each under the name of its analysis

export const AnalysisDocument = z.strictObject({
  run: z.string(),
  /** Steps that the model was trained for. */
  step: z.int(),
  model: z.record(z.string(), z.unknown()),
  /** Absent where the whole curriculum was trained. */
  stalled: Stalled.optional(),
  /** The task with what was changed in it. */
  task: z.record(z.string(), z.unknown()),
  seed: z.int(),
  programs: z.int(),
  /** The call that makes it again. */
  command: z.string(),
  measured: ModelAccuracy,
  /** Analyses that were asked for and cannot be made of this model or task, with the reason. */
  missing: z.record(z.string(), z.string()),
  ...found,
});
export type AnalysisDocument = z.infer<typeof AnalysisDocument>;

/** The text of an analysis.json; `at` is named in errors. */
export function parseAnalysis(text: string, at: string): AnalysisDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    fail(at, "JSON", text.slice(0, 60), "Run statelab analyze again", "corrupt");
  }
  return parseWith(AnalysisDocument, value, at);
}

/** The parts of the page, in its order, by the names of their analyses. */
export function documentParts(document: AnalysisDocument): [name: AnalysisName, part: Part][] {
  const beside: Beside = {
    accuracy: document.measured,
    of: <Found>({ name }: Analysis<string, Found>) => document[name as AnalysisName] as Found | undefined,
  };
  return Object.values<AnyAnalysis>(analyses).flatMap((analysis): [AnalysisName, Part][] => {
    const own = beside.of(analysis);
    const part = own === undefined ? undefined : analysis.part(own, beside);
    if (part === undefined) return [];
    const caution = [analysis.caution, part.caution].filter((text) => text !== undefined).join(" ");
    return [[analysis.name, caution === "" ? part : { ...part, caution }]];
  });
}

// biome-ignore lint/suspicious/noExplicitAny: what it finds is known to the analysis alone
export type AnyAnalysis = Analysis<AnalysisName, any>;
