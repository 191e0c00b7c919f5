/** @file All that `statelab analyse` found out about one model: its JSON document, and what the page is made of. */

import type { Ablation } from "./ablation.ts";
import type { Attention } from "./attention.ts";
import type { Extraction } from "./automaton.ts";
import type { BetaOfHead } from "./beta.ts";
import type { KeysOfHead } from "./keys.ts";
import type { Patching } from "./patching.ts";
import type { Probes } from "./probe.ts";
import type { Interval } from "./seeds.ts";
import type { Trajectories } from "./trajectories.ts";

export interface AnalysisDocument {
  readonly run: string;
  /** Steps that the model was trained for. */
  readonly step: number;
  readonly model: Readonly<Record<string, unknown>>;
  /** The task with what was changed in it. */
  readonly task: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly programs: number;
  /** The call that makes it again. */
  readonly command: string;
  readonly measured: Measured;
  /** Analyses that were asked for and cannot be made of this model or task, with the reason. */
  readonly missing: Readonly<Record<string, string>>;
  readonly beta?: { readonly betaMax: number; readonly heads: readonly BetaOfHead[] };
  readonly ablation?: Ablation;
  readonly patching?: Patching;
  readonly attention?: Attention;
  readonly keys?: readonly KeysOfHead[];
  readonly probes?: Probes;
  readonly automaton?: Extraction;
  readonly trajectories?: Trajectories;
}

/** How right the model is on the programs of the analysis. */
export interface Measured {
  readonly questions: number;
  readonly accuracy: number;
  readonly interval: Interval;
  /** Accuracy of computed solvers on the same programs, by name. */
  readonly references: Readonly<Record<string, number>>;
  /** By the number of commands before the question. */
  readonly byCommands: readonly {
    readonly commands: number;
    readonly asked: number;
    readonly accuracy: number;
  }[];
}
