/** @file Two contenders held against each other: for each test the mean difference, with the interval that the runs allow. */

import { type Interval, meanDifference } from "../../analysis/seed-aggregate.ts";
import { clusteredDifference, type PairedCluster } from "../../core/cluster-robust.ts";
import { fail } from "../../core/error.ts";
import { mean } from "../../core/statistics.ts";
import { type AnsweredRun, type AnsweredTest, type Contender, contendersIn } from "./load.ts";
import { named } from "./names.ts";

/** What the 95 % interval is over. */
type Uncertainty =
  | { readonly kind: "seeds"; readonly interval: Interval }
  /** Of one seed: which programs were drawn. */
  | { readonly kind: "programs"; readonly interval: Interval; readonly programs: number }
  | { readonly kind: "none"; readonly reason: string };

export interface MeasuredDifference {
  /** Means over the common seeds; with one seed over the programs that both were asked. */
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
type Partners = readonly [AnsweredRun, AnsweredRun];

/**
 * One comparison for each test that all were asked. Errors: LabError where the two have no seed, no task or no test in
 * common.
 */
export function compare(baseline: Contender, contender: Contender): Comparison[] {
  const partners = partnersOf(baseline, contender);
  if (partners.length === 0) {
    const seeds = [baseline, contender].map(({ runs }) => runs.map(({ seed }) => seed).join(", "));
    fail(
      `${baseline.name} and ${contender.name}`,
      "a common seed",
      `${seeds[0]} and ${seeds[1]}`,
      "Runs are compared seed by seed",
    );
  }
  const [first] = partners[0];
  for (const run of partners.flat()) {
    if (run.task !== first.task)
      fail(run.folder, `a run of the task ${first.task}, as ${first.folder} is`, run.task);
  }
  const tests = commonTests(partners);
  if (tests.length === 0) {
    const other = partners.flat().find((run) => !first.tests.some((test) => partnerOf(test, run)))!;
    const list = ({ tests }: AnsweredRun) => tests.map(({ name }) => name).join("; ") || "no answers";
    fail(
      other.folder,
      `a test of ${first.folder} (${list(first)})`,
      list(other),
      "Run the same tests: statelab evaluate RUN",
    );
  }
  return tests.map((test): Comparison => {
    const pairs = partners.map(([one, other]): Pair => [partnerOf(test, one)!, partnerOf(test, other)!]);
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

/** What a contender has that is compared with nothing. */
export interface LeftOut {
  readonly contender: string;
  readonly seeds: readonly number[];
  /** By name. */
  readonly tests: readonly string[];
}

/** The first contender is the one that the others are compared with. */
export function leftOut([baseline, ...others]: readonly Contender[]): LeftOut[] {
  const all = others.map((other) => partnersOf(baseline, other));
  const leftOf = (contender: Contender, pairs: readonly (readonly Partners[])[]): LeftOut => {
    const seeds = pairs.flat().map(([{ seed }]) => seed);
    const common = pairs.flatMap(commonTests);
    const tests = contender.runs
      .filter(({ seed }) => seeds.includes(seed))
      .flatMap((run) => run.tests.filter(({ asked }) => !common.some((test) => test.asked === asked)));
    return {
      contender: contender.name,
      seeds: contender.runs.map(({ seed }) => seed).filter((seed) => !seeds.includes(seed)),
      tests: [...new Set(tests.map(({ name }) => name))],
    };
  };
  const left = [leftOf(baseline, all), ...others.map((other, i) => leftOf(other, [all[i]]))];
  return left.filter(({ seeds, tests }) => seeds.length + tests.length > 0);
}

/** Runs of the same seed. */
function partnersOf(baseline: Contender, contender: Contender): Partners[] {
  return baseline.runs.flatMap((one) => {
    const other = contender.runs.find(({ seed }) => seed === one.seed);
    return other === undefined ? [] : [[one, other] as const];
  });
}

/** Those of the first run that all others were asked, too. */
function commonTests(partners: readonly Partners[]): AnsweredTest[] {
  const runs = partners.flat();
  return runs[0].tests.filter((test) => runs.every((run) => partnerOf(test, run) !== undefined));
}

function partnerOf({ asked }: AnsweredTest, run: AnsweredRun): AnsweredTest | undefined {
  return run.tests.find((test) => test.asked === asked);
}

function measured(pairs: readonly Pair[], share: "accuracy" | "accuracyLast"): MeasuredDifference {
  if (pairs.length === 1) return ofOneSeed(pairs[0], share);
  const values = pairs.map(([a, b]) => [a[share], b[share]] as const);
  const { mean: difference, interval } = meanDifference(values);
  return {
    baseline: mean(values.map(([a]) => a)),
    contender: mean(values.map(([, b]) => b)),
    difference,
    uncertainty:
      interval === undefined
        ? { kind: "none", reason: "the same in every seed" }
        : { kind: "seeds", interval: [Math.max(-1, interval[0]), Math.min(1, interval[1])] }, // of shares
  };
}

/**
 * With one seed only the draw of programs can be judged, and only those that both were asked: all of it is over these, so that
 * the difference lies in its interval.
 */
function ofOneSeed([a, b]: Pair, share: "accuracy" | "accuracyLast"): MeasuredDifference {
  const whole = (reason: string): MeasuredDifference => ({
    baseline: a[share],
    contender: b[share],
    difference: b[share] - a[share],
    uncertainty: { kind: "none", reason },
  });
  if (a.change !== b.change) return whole("one seed, and programs drawn in different ways");
  const counted = (hits: string) => (share === "accuracy" ? hits : hits.slice(-1));
  const right = (hits: string) => counted(hits).replaceAll("0", "").length;
  const common: PairedCluster[] = [];
  for (const [place, hits] of a.programs) {
    const others = b.programs.get(place);
    if (others === undefined) continue;
    common.push({ asked: counted(hits).length, rightA: right(hits), rightB: right(others) });
  }
  if (common.length === 0) return whole("one seed, and no common program");
  const { difference, interval } = clusteredDifference(common);
  const asked = common.reduce((sum, program) => sum + program.asked, 0);
  const shareOf = (of: (program: PairedCluster) => number) =>
    common.reduce((sum, program) => sum + of(program), 0) / asked;
  return {
    baseline: shareOf(({ rightA }) => rightA),
    contender: shareOf(({ rightB }) => rightB),
    difference,
    uncertainty: { kind: "programs", interval, programs: common.length },
  };
}

/** `names`: of `--name`, none for the shortest; without it a contender has the name of its folder. */
export async function compareFolders(folders: readonly string[], names?: readonly string[]) {
  const found = (await Promise.all(folders.map(contendersIn))).flat();
  const contenders = names === undefined ? found : named(found, names);
  const [baseline, ...others] = contenders;
  if (others.length === 0) fail("compare", "at least two contenders", baseline.name, "Name another run");
  const comparisons = others.flatMap((other) => compare(baseline, other));
  // `comparisons`: of every other contender with the first, one for each test.
  return { contenders, comparisons, left: leftOut(contenders) };
}
