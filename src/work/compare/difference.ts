/** @file Two contenders held against each other: for each test the mean difference, with the interval that the runs allow. */

import { type AskedProgram, bootstrapDifference } from "../../analysis/bootstrap.ts";
import { type Interval, meanDifference } from "../../analysis/seeds.ts";
import { rngFrom } from "../../math/rng.ts";
import { mean } from "../../math/statistics.ts";
import { fail } from "../../records/error.ts";
import type { AnsweredRun, AnsweredTest, Contender } from "./contenders.ts";

/** What the 95 % interval is over. */
export type Uncertainty =
  | { readonly kind: "seeds"; readonly interval: Interval }
  /** Of one seed: which programs were drawn. */
  | { readonly kind: "programs"; readonly interval: Interval; readonly programs: number }
  | { readonly kind: "none"; readonly reason: string };

export interface MeasuredDifference {
  /** Means over the common seeds. */
  readonly baseline: number;
  readonly contender: number;
  /** contender − baseline. */
  readonly difference: number;
  readonly uncertainty: Uncertainty;
}

export interface Comparison {
  readonly test: string;
  readonly baseline: string;
  readonly contender: string;
  /** Those that both have. */
  readonly seeds: readonly number[];
  /** Over all reveals, and over the last of each program. */
  readonly accuracy: MeasuredDifference;
  readonly accuracyLast: MeasuredDifference;
}

type Pair = readonly [AnsweredTest, AnsweredTest];

/** One comparison for each test. Errors: LabError where the two have no seed in common, or were asked different things. */
export function compare(baseline: Contender, contender: Contender): Comparison[] {
  const at = `${baseline.name} and ${contender.name}`;
  const partners = baseline.runs.flatMap((one) => {
    const other = contender.runs.find(({ seed }) => seed === one.seed);
    return other === undefined ? [] : [[one, other] as const];
  });
  if (partners.length === 0) {
    const seeds = [baseline, contender].map(({ runs }) => runs.map(({ seed }) => seed).join(", "));
    fail(at, "a seed that both have", `${seeds[0]} and ${seeds[1]}`, "Runs are compared seed by seed");
  }
  for (const [one, other] of partners) checkSame(partners[0][0], one, other);
  return partners[0][0].tests.map((test, i): Comparison => {
    const pairs = partners.map(([one, other]): Pair => [one.tests[i], partnerOf(one.tests[i], other)]);
    return {
      test: test.name,
      baseline: baseline.name,
      contender: contender.name,
      seeds: partners.map(([{ seed }]) => seed),
      accuracy: measured(pairs, "accuracy"),
      accuracyLast: measured(pairs, "accuracyLast"),
    };
  });
}

/** That all were asked the same tests of the same task, those of a contender in the same order. */
function checkSame(first: AnsweredRun, ...runs: readonly AnsweredRun[]): void {
  for (const run of runs) {
    if (run.task !== first.task) {
      fail(run.folder, `a run of the task ${first.task}, as ${first.folder} is`, run.task);
    }
    const lacking = (from: AnsweredRun, of: AnsweredRun) =>
      of.tests.find(({ asked }) => !from.tests.some((test) => test.asked === asked));
    const missing = lacking(run, first);
    const strange = lacking(first, run);
    if (missing === undefined && strange === undefined) continue;
    const hint = "Ask both the same by: statelab evaluate RUN";
    const list = (of: AnsweredRun) => of.tests.map(({ name }) => name).join("; ");
    fail(run.folder, `the tests of ${first.folder} (${list(first)})`, list(run) || "no answers", hint);
  }
}

function partnerOf({ asked }: AnsweredTest, run: AnsweredRun): AnsweredTest {
  return run.tests.find((test) => test.asked === asked)!; // checkSame has found it
}

function measured(pairs: readonly Pair[], share: "accuracy" | "accuracyLast"): MeasuredDifference {
  const values = pairs.map(([a, b]) => [a[share], b[share]] as const);
  const { mean: difference, interval } = meanDifference(values);
  return {
    baseline: mean(values.map(([a]) => a)),
    contender: mean(values.map(([, b]) => b)),
    difference,
    uncertainty: interval === undefined ? ofOneSeed(pairs[0], share) : { kind: "seeds", interval },
  };
}

/** With one seed only the draw of programs can be judged, and only those that both were asked. */
function ofOneSeed([a, b]: Pair, share: "accuracy" | "accuracyLast"): Uncertainty {
  if (a.programs === undefined || b.programs === undefined) {
    return { kind: "none", reason: "one seed, and single answers were not kept" };
  }
  if (a.change !== b.change)
    return { kind: "none", reason: "one seed, and programs drawn in different ways" };
  const counted = (hits: readonly number[]) => (share === "accuracy" ? hits : hits.slice(-1));
  const right = (hits: readonly number[]) => counted(hits).reduce((total, hit) => total + hit, 0);
  const common: AskedProgram[] = [];
  for (const [place, hits] of a.programs) {
    const others = b.programs.get(place);
    if (others === undefined) continue;
    common.push({ asked: counted(hits).length, rightA: right(hits), rightB: right(others) });
  }
  if (common.length === 0) return { kind: "none", reason: "one seed, and no program that both were asked" };
  const { interval } = bootstrapDifference(common, { rng: rngFrom(0).fork("compare") });
  return { kind: "programs", interval, programs: common.length };
}
