/**
 * @file An experiment as its own file writes it: what it sets at each scale, and functions of that.
 *
 *     settings   smoke, laptop, paper: plain data
 *     plan       (settings, seeds, options)  -> runs
 *     published  claims, each measured by (result, settings) -> one value a seed
 *     checks     (result, settings)  -> what is expected, and whether it is met; not asked at smoke scale or of the quick budget
 *     report     (result, settings)  -> views
 */

import type { TrainedRun } from "../../src/app/run/open.ts";
import { fail } from "../../src/core/error.ts";
import type { PartsDone } from "../../src/core/progress.ts";
import { type ExperimentWords, experimentReport, type Report } from "../../src/report/index.ts";
import { LEARNED } from "../../src/schemas/convergence.ts";
import type { Check, Claim, ExperimentResult } from "../../src/schemas/experiment-result.ts";
import type { RunConfig } from "../../src/schemas/run-config.ts";
import type { SearchSpace } from "../../src/schemas/search-space.ts";
import { concluded, type Expectation } from "./checks.ts";
import type { Criterion, MeasurementLabels, Measurements, UnreadResult } from "./result.ts";

export type { Criterion, Measurements, UnreadResult };

export const A = "A, arXiv:2602.14814";
export const GRAZZI = "Grazzi et al. 2025, arXiv:2411.12537";
export const OLMO = "O, arXiv:2604.03444, appendix C";
export const OWN_QUESTION = "own question";

export const SMOKE = {
  model: { layers: 1, width: 16, feedForward: 32 },
  heads: 2,
  train: { steps: 10, batch: 8, warmupSteps: 5 },
  averagingWindow: 40,
  programs: 30,
  device: "cpu",
} as const;

export const LAPTOP = {
  model: { layers: 2, width: 64, feedForward: 128 },
  heads: 2,
  averagingWindow: 100,
  device: "cpu",
} as const;

/** A rate that is held, then falls: how most trainings at laptop scale end. */
export const HELD_THEN_FALLING = { schedule: "wsd", decaySteps: 300, minLearningRateRatio: 0.05 } as const;

/** Model and optimizer of O (arXiv:2604.03444, appendix C); other papers' sizes are not known to us. */
export const PAPER = {
  model: { layers: 4, width: 256, feedForward: 1024 },
  heads: 4,
  train: { steps: 20_000, batch: 32, warmupSteps: 250 },
  averagingWindow: 400,
  programs: 1000,
  device: "cuda",
} as const;

const atLeast = (least: number): Criterion => ({
  least,
  inWords: `${Math.round(100 * least)} %`,
  met: (share) => share >= least,
});

/** Has learned what it was trained on (schemas/convergence.ts). */
export const learned = atLeast(LEARNED);
/** Follows the state: nearly all that is asked is right. Guesses, and memory of the last few commands, stay below. */
export const tracks = atLeast(0.95);
/** Goes through the longest words as if there were no end. */
export const lasts = atLeast(0.99);
/** Has not lost everything: half of the answers of a task where a guess has next to none. */
export const remembers = atLeast(0.5);

/** A difference of shares up to this is called no loss, and no distance from a reference. */
export const SLIGHT = 0.05;

/** A share this near the published one agrees with it: smaller models and budgets do not meet its digits. */
export const AGREEMENT = 0.1;

/** "Far fewer", where no number is published: half as many at most. The threshold is our own. */
export const FAR_FEWER = 1 / 2;

/** So many standard errors two numbers may be apart that ought to be the same. */
export const MOST_ERRORS = 3;

export const scales = ["smoke", "laptop", "paper"] as const;
/** smoke: seconds, for tests; laptop: minutes on two cores; paper: the published sizes, for a machine with a GPU. */
export type Scale = (typeof scales)[number];

/** quick: at laptop scale, a part that shows the result in minutes; it is no evidence. */
export const budgets = ["full", "quick"] as const;
type Budget = (typeof budgets)[number];

/** Which of an experiment's settings are run. */
export interface Extent {
  readonly scale: Scale;
  readonly budget?: Budget | undefined;
  /** Of the experiment's own options those that were given, by name. */
  readonly options?: Given | undefined;
}

/** Options that were given: `--only gla,kda` is `{ only: "gla,kda" }`. */
export type Given = Readonly<Record<string, string>>;

/** A flag of `reproduce` that one experiment understands, with words for `--help`. */
export interface OwnOption {
  /** Placeholder of the value in `--help`: `ROWS`. */
  readonly value: string;
  readonly description: string;
}

/** Programs of one kind that a trained model is asked about. */
export interface PlannedTest {
  /** Short, for tables and axes: `48/24`. */
  readonly name: string;
  /** What is changed in the task that was trained. */
  readonly change: Readonly<Record<string, unknown>>;
  /** true where programs of this kind (not these programs) are in training. */
  readonly asTrained: boolean;
  /** Accuracy of a uniform guess. */
  readonly chance: number;
}

export interface PlannedRun {
  /** Which of the experiment's settings this is: `swaps, spacing 4`; "" where there is but one. */
  readonly setting: string;
  /** Which of the experiment's models. */
  readonly model: string;
  readonly config: RunConfig;
  readonly tests: readonly PlannedTest[];
}

/** A part of an experiment that trains nothing; done in a separate process, so all of it is plain data. */
export interface PlannedWork<
  Options = Readonly<Record<string, unknown>>,
  Model extends string = string,
  Setting extends string = string,
> {
  readonly setting: Setting;
  readonly model: Model;
  readonly seed: number;
  /** What `measureWork` is to do. With the same options and seed it is not done again after an interruption. */
  readonly options: Options;
}

export interface Plan {
  readonly runs: readonly PlannedRun[];
  readonly work?: readonly PlannedWork[];
  /** Commands that the windowed reference sees, where there is one such reference. */
  readonly window?: number;
  /**
   * What is changed in the first run's task for the short program that the report shows. Where nothing is trained, the
   * whole task, `{ name: "pfsa", variables: 5 }`; without it no program is shown.
   */
  readonly sample?: Readonly<Record<string, unknown>>;
  /** Printed before it begins, such as its cost. */
  readonly words?: readonly string[];
  /** What is run after all of it, by what was found so far. */
  readonly next?: (result: UnreadResult) => Plan;
}

/** What is searched for one model, so that it is compared by its own best recipe. */
export interface ModelSearch {
  readonly model: string;
  /** What all trials have: the task, what the space leaves open, and the tests whose mean accuracy is a trial's score. */
  readonly config: Pick<RunConfig, "task"> & {
    readonly train?: object;
    readonly curriculum?: object;
    readonly stateSupervision?: object;
    readonly evaluate: { readonly examples: number; readonly settings: RunConfig["evaluate"]["settings"] };
  };
  readonly space: SearchSpace;
}

/** Yields often (every second, say): there progress is shown and an interruption heard. */
export type Measuring = Generator<PartsDone, Measurements> | AsyncGenerator<PartsDone, Measurements>;

/** A published number or statement, and how its counterpart is read off a result: one value per seed. */
export interface PublishedClaim
  extends Pick<Claim, "source" | "statement" | "models" | "setting" | "unlike"> {
  readonly published?: number;
  readonly here?: string;
  readonly unit?: Claim["unit"];
  readonly over?: Claim["over"];
  readonly measure?: (result: UnreadResult) => number[];
  /** The standard error of each, where one seed already has one. */
  readonly measureErrors?: (result: UnreadResult) => number[];
  /** Whether the measured values agree with it; by default a published share within AGREEMENT. Own measurements without it have no verdict. */
  readonly agrees?: (values: readonly number[]) => boolean | "inconclusive";
  /** It is refuted by what a model can do, so a model that does not fit all of its training decides it, too. */
  readonly decidedBySuccess?: true;
}

/** What an experiment keeps of its results in addition to the claims, as text under version control. */
export interface Keeping {
  /** `cells`: the file is evidence/NAME/SCALE-cells.json. */
  readonly file: string;
  /** The text of this result alone, rows of the user's own included: DIR/NAME/cells.json. */
  text(result: ExperimentResult): string;
  /** The text after one more result, and the result as its evidence has it. `at` is named in errors. */
  merge(
    before: string | undefined,
    result: ExperimentResult,
    at: string,
  ): { readonly text: string; readonly result: ExperimentResult };
  /** Parts of docs/results/NAME.md that are made of what is kept at laptop scale, by their marks. */
  parts(text: string | undefined, at: string): readonly (readonly [mark: string, part: string])[];
  /** docs/figures/NAME.svg */
  figure(text: string | undefined, at: string): string;
}

export interface Experiment {
  readonly name: string;
  readonly question: string;
  /** The question in a few words, for a row of a table. */
  readonly about: string;
  /** Where its claims are published: `A, Fig. 3` (docs/how-to/reproduce.md tells what A is), or `own question`. */
  readonly publishedIn: string;
  readonly models: Readonly<Record<string, { readonly label: string; readonly summary: string }>>;
  readonly published: readonly PublishedClaim[];
  /** The experiment whose trained models this one asks, where both plan the same runs. */
  readonly trainedBy?: string;
  /** Flags of this experiment, by name. */
  readonly options?: Readonly<Record<string, OwnOption>>;
  /** A run that is finished stays as it is until its configuration is another one, whatever call comes next. */
  readonly keepsRuns?: true;
  /** Points of a training curve in its result; 200 where it is not said. */
  readonly curvePoints?: number;
  readonly keeping?: Keeping;
  /** Its curricula end where the steps are used up: a stage that was not reached is no lack. */
  readonly openEnded?: true;
  /** It takes a night: `all` has it at smoke scale alone. */
  readonly byNameOnly?: true;
  /** @throws LabError for a budget that the experiment does not have. */
  plan(extent: Extent, seeds: readonly number[]): Plan;
  /** One for each model with a searched recipe: `reproduce --search`. */
  readonly searches?: readonly ModelSearch[];
  /** The kinds of measurements other than accuracy. */
  readonly measurements?: readonly MeasurementLabels[];
  /** Measures a trained model in the process that trained it. The rows are kept in the run's folder. */
  readonly measureRun?: (trained: TrainedRun, run: PlannedRun) => Measuring;
  // A method, so that it may name the options, models and settings that `plan` gives.
  /** Does a part of the plan's `work`. */
  measureWork?(work: PlannedWork<object>): Measuring;
  /** What is expected of a result; at smoke scale nothing. */
  checks(result: UnreadResult): Check[];
  report(result: ExperimentResult): Report;
}

type Own =
  | "name"
  | "question"
  | "about"
  | "models"
  | "trainedBy"
  | "options"
  | "keepsRuns"
  | "curvePoints"
  | "keeping"
  | "openEnded"
  | "byNameOnly"
  | "searches"
  | "measurements"
  | "measureRun"
  | "measureWork";

/** A claim whose counterpart depends on what is set at a scale; our own question if it has no source. */
export interface ClaimOf<Settings> extends Omit<PublishedClaim, "source" | "measure" | "measureErrors"> {
  readonly source?: string;
  readonly measure?: (result: UnreadResult, settings: Settings) => number[];
  readonly measureErrors?: (result: UnreadResult, settings: Settings) => number[];
}

interface Definition<Settings> extends Pick<Experiment, Own> {
  readonly settings: Readonly<Record<Scale, Settings>>;
  readonly quick?: Settings;
  /** `own question` by default. */
  readonly publishedIn?: string;
  readonly published: readonly (ClaimOf<Settings> | readonly ClaimOf<Settings>[])[];
  plan(settings: Settings, seeds: readonly number[], options: Given): Plan;
  checks?(result: UnreadResult, settings: Settings): Expectation[];
  /** Tables of all measurements by default. */
  report?(result: ExperimentResult, settings: Settings): ExperimentWords;
}

/** All that a result of smoke scale has to say. */
export const SMOKE_FINDING = "Smoke scale only shows that everything runs; it says nothing about the models.";

export function defineExperiment<Settings>(definition: Definition<Settings>): Experiment {
  const { settings, quick, published, plan, checks, report, ...own } = definition;
  const settingsOf = ({ scale, budget }: Extent): Settings => {
    if (budget !== "quick") return settings[scale];
    if (quick !== undefined && scale === "laptop") return quick;
    return fail("--budget", "an experiment with a quick budget, at laptop scale", `${own.name}, ${scale}`);
  };
  return {
    publishedIn: OWN_QUESTION,
    ...own,
    published: published.flat().map(({ measure, measureErrors, ...claim }) => ({
      source: OWN_QUESTION,
      ...claim,
      ...(measure && { measure: (result) => measure(result, settingsOf(result)) }),
      ...(measureErrors && { measureErrors: (result) => measureErrors(result, settingsOf(result)) }),
    })),
    plan: (extent, seeds) => plan(settingsOf(extent), seeds, extent.options ?? {}),
    checks: (result) =>
      result.scale === "smoke" || result.budget === "quick"
        ? []
        : concluded(
            own.openEnded ? withoutStages(result) : result,
            (of) => checks?.(of, settingsOf(result)) ?? [],
          ),
    report: (result) => experimentReport(result, report?.(result, settingsOf(result)) ?? { views: [] }),
  };
}

const withoutStages = (result: UnreadResult): UnreadResult => ({
  ...result,
  training: result.training.map(({ stages: _, ...curve }) => curve),
});

/** A plan without runs: work of each seed, setting and model, the settings of the scale as its options. */
export const workOf = (
  options: object,
  seeds: readonly number[],
  models: readonly string[] = [""],
  settings: readonly string[] = [""],
): Plan => ({
  runs: [],
  work: crossed(seeds, settings, models).map(([seed, setting, model]) => ({
    ...{ setting, model, seed, options: { ...options } },
  })),
});

/** Every choice of one from each list, the last list running fastest: seeds, settings and models become runs. */
export function crossed<const Lists extends readonly (readonly unknown[])[]>(...lists: Lists) {
  const choices = lists.reduce<unknown[][]>(
    (before, list) => before.flatMap((chosen) => list.map((each) => [...chosen, each])),
    [[]],
  );
  return choices as { -readonly [I in keyof Lists]: Lists[I][number] }[]; // one from each list, in their order
}
