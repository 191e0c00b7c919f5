/**
 * @file What an experiment is: a question, the runs that answer it at three scales, and how to read them.
 * To add one: write its file and one line in index.ts.
 */

import type { ExperimentResult, Published } from "../src/records/result.ts";
import type { RunConfig } from "../src/records/run.ts";

export const scales = ["smoke", "laptop", "paper"] as const;
/** smoke: seconds, for tests; laptop: minutes on two cores; paper: the published sizes, for a machine with a GPU. */
export type Scale = (typeof scales)[number];

/** Programs of one shape that every trained model is asked about. */
export interface Condition {
  readonly commands: number;
  readonly spacing: number;
  readonly asTrained: boolean;
}

export interface PlannedRun {
  /** Which of the experiment's models this is. */
  readonly model: string;
  readonly config: RunConfig;
}

export interface Plan {
  readonly runs: readonly PlannedRun[];
  readonly trained: { readonly commands: number; readonly spacings: number[] };
  readonly conditions: readonly Condition[];
  /** Commands that the windowed reference sees: twice the widest trained spacing. */
  readonly window: number;
  /** Accuracy of a uniform guess. */
  readonly chance: number;
}

export interface Experiment {
  readonly name: string;
  readonly question: string;
  readonly models: Readonly<Record<string, { readonly label: string; readonly summary: string }>>;
  readonly published: readonly Published[];
  plan(scale: Scale, seeds: readonly number[]): Plan;
  /** Sentences on what was not as expected; none where all was. */
  findings(result: Omit<ExperimentResult, "findings">): string[];
}
