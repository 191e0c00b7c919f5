/**
 * @file An experiment as its own file writes it: what it sets at each scale, and functions of that.
 *
 *     settings   smoke, laptop, paper: plain data
 *     plan       (settings, seeds, options)  -> runs
 *     published  claims, each measured by (result, settings) -> one value a seed
 *     findings   (result, settings)  -> what was not as expected; not asked at smoke scale
 *     report     (result, settings)  -> title, lead, views
 */

import { fail } from "../../src/records/error.ts";
import type { ExperimentResult } from "../../src/records/result.ts";
import { type ExperimentWords, experimentReport, type Report } from "../../src/report/index.ts";
import type { Experiment, Extent, Given, Plan, PublishedClaim, Scale, UnreadResult } from "./experiment.ts";

type Own =
  | "name"
  | "question"
  | "about"
  | "publishedIn"
  | "models"
  | "trainedBy"
  | "options"
  | "keepsRuns"
  | "curvePoints"
  | "keeping"
  | "byNameOnly"
  | "searches"
  | "measurements"
  | "measureRun"
  | "measureWork";

/** A claim whose counterpart depends on what is set at a scale. */
export interface ClaimOf<Settings> extends Omit<PublishedClaim, "measure" | "measureErrors"> {
  readonly measure?: (result: UnreadResult, settings: Settings) => number[];
  readonly measureErrors?: (result: UnreadResult, settings: Settings) => number[];
}

export interface Definition<Settings> extends Pick<Experiment, Own> {
  readonly settings: Readonly<Record<Scale, Settings>>;
  /** At laptop scale, each model for as long as its curve still rises. */
  readonly full?: Settings;
  readonly published: readonly ClaimOf<Settings>[];
  plan(settings: Settings, seeds: readonly number[], options: Given): Plan;
  findings(result: UnreadResult, settings: Settings): string[];
  /** The words and figures of the page that all share, or a page of its own. */
  report(result: ExperimentResult, settings: Settings): ExperimentWords | Report;
}

/** All that a result of smoke scale has to say. */
export const SMOKE_FINDING = "Smoke scale only shows that everything runs; it says nothing about the models.";

export function defineExperiment<Settings>(definition: Definition<Settings>): Experiment {
  const { settings, full, published, plan, findings, report, ...own } = definition;
  const settingsOf = ({ scale, budget }: Extent): Settings => {
    if (budget !== "full") return settings[scale];
    if (full !== undefined && scale === "laptop") return full;
    return fail("--budget", "an experiment with a full budget, at laptop scale", `${own.name}, ${scale}`);
  };
  return {
    ...own,
    published: published.map(({ measure, measureErrors, ...claim }) => ({
      ...claim,
      ...(measure && { measure: (result) => measure(result, settingsOf(result)) }),
      ...(measureErrors && { measureErrors: (result) => measureErrors(result, settingsOf(result)) }),
    })),
    plan: (extent, seeds) => plan(settingsOf(extent), seeds, extent.options ?? {}),
    findings: (result) => (result.scale === "smoke" ? [SMOKE_FINDING] : findings(result, settingsOf(result))),
    report(result) {
      const said = report(result, settingsOf(result));
      return "page" in said ? said : experimentReport(result, said);
    },
  };
}

/** Every choice of one from each list, the last list running fastest: seeds, settings and models become runs. */
export function crossed<const Lists extends readonly (readonly unknown[])[]>(...lists: Lists) {
  const choices = lists.reduce<unknown[][]>(
    (before, list) => before.flatMap((chosen) => list.map((each) => [...chosen, each])),
    [[]],
  );
  return choices as { -readonly [I in keyof Lists]: Lists[I][number] }[]; // one from each list, in their order
}
