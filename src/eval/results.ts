/**
 * @file Aggregates samples to results: accuracy by arm and by steps, and each program as function and as trace. Keeps
 * only counts by program, so memory does not grow with the samples.
 *
 *     a sample is                                    missing: wrong     missing: excluded
 *     correct, wrong or unreadable                   counts             counts
 *     out-of-tokens                                  counts as wrong    its program is excluded
 *     lost to the endpoint                           its program is excluded in both
 */

import { formatCount, integer } from "../core/format.ts";
import { mean } from "../core/statistics.ts";
import type { ArmResult, AskResults, MissingPolicy, SampleRecord } from "../schemas/eval.ts";
import { passAtK, programInterval } from "./scoring/pass-at-k.ts";

type Predict = SampleRecord["predict"];
type Counted = Pick<SampleRecord, "arm" | "predict" | "id" | "steps">;

interface ProgramCount {
  readonly steps: number | null;
  answered: number;
  correct: number;
  missing: number;
}

interface ArmCount {
  readonly arm: string;
  readonly predict: Predict;
  readonly programs: Map<string, ProgramCount>;
  wrong: number;
  unreadable: number;
  outOfTokens: number;
  unanswered: number;
  notAsked: number;
}

export interface Results {
  add(sample: Counted & Pick<SampleRecord, "verdict">): void;
  /** A sample without an answer: its program is left out of every figure. */
  unanswered(sample: Counted): void;
  /** One that was not asked, since nothing more was to be spent: the same. */
  notAsked(sample: Counted): void;
  arms(): ArmResult[];
  pairs(): AskResults["pairs"];
}

/** k of the pass@k that are reported, as far as there are samples; with two to four samples also their number. */
const reported = (samples: number) =>
  samples > 1 && samples < 5 ? [1, samples] : [1, 5, 10, 100].filter((k) => k <= samples);
/** Up to this many distinct step counts each get a row; more are grouped into ranges of five. */
const fewSteps = 8;

export function collectResults(samples: number, policy: MissingPolicy = "both"): Results {
  const arms = new Map<string, ArmCount>();
  const countOf = ({ arm, predict, id, steps }: Counted) => {
    const name = `${arm}/${predict}`;
    let count = arms.get(name);
    if (count === undefined) {
      count = {
        arm,
        predict,
        programs: new Map(),
        wrong: 0,
        unreadable: 0,
        outOfTokens: 0,
        unanswered: 0,
        notAsked: 0,
      };
      arms.set(name, count);
    }
    let program = count.programs.get(id);
    if (program === undefined) {
      program = { steps, answered: 0, correct: 0, missing: 0 };
      count.programs.set(id, program);
    }
    return { count, program };
  };
  const complete = ({ programs }: ArmCount, excluding = policy === "excluded") =>
    [...programs]
      .filter(([, { answered, missing }]) => answered + (excluding ? 0 : missing) === samples)
      .map(([id, program]) => ({ id, ...program }));
  const figures = (whole: readonly ProgramCount[]) => ({
    programs: whole.length,
    answers: whole.length * samples,
    passAt: reported(samples).map((k) => {
      const values = whole.map((program) => passAtK(samples, program.correct, k));
      return { k, value: values.length === 0 ? null : mean(values), interval: programInterval(values) };
    }),
  });

  return {
    add(sample) {
      const { count, program } = countOf(sample);
      if (sample.verdict === "out-of-tokens") {
        program.missing++;
        count.outOfTokens++;
        return;
      }
      program.answered++;
      if (sample.verdict === "correct") program.correct++;
      else count[sample.verdict]++;
    },
    unanswered(sample) {
      countOf(sample).count.unanswered++;
    },
    notAsked(sample) {
      countOf(sample).count.notAsked++;
    },
    arms: () =>
      [...arms.values()].map((count) => {
        const { arm, predict, programs, wrong, unreadable, outOfTokens, unanswered, notAsked } = count;
        const whole = complete(count);
        const correct = [...programs.values()].reduce((sum, program) => sum + program.correct, 0);
        return {
          ...{ arm, predict, ...figures(whole) },
          ...{ correct, wrong, unreadable, outOfTokens, unanswered, notAsked },
          excluding: policy === "both" ? figures(complete(count, true)) : null,
          bySteps: stepsOf(whole, samples),
        };
      }),
    pairs: () =>
      (["output", "input"] as const).flatMap((predict) => {
        const [untraced, traced] = ["function", "traced"].map((arm) => arms.get(`${arm}/${predict}`));
        if (untraced === undefined || traced === undefined) return [];
        const other = new Map(complete(traced).map(({ id, correct }) => [id, correct]));
        const counts = new Map<string, number>();
        for (const { id, correct } of complete(untraced)) {
          const place = other.has(id) ? `${correct} ${other.get(id)}` : undefined;
          if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1);
        }
        return [...counts].map(([place, programs]) => {
          const [x, y] = place.split(" ").map((correct) => Number(correct) / samples);
          return { predict, untraced: x, traced: y, programs };
        });
      }),
  };
}

/** Describes the denominators, at the top of a result. */
export function denominatorWords(
  policy: MissingPolicy,
  arms: readonly ArmResult[],
  left: Readonly<Record<string, number>>,
): string {
  const sum = (of: (arm: ArmResult) => number) => arms.reduce((all, arm) => all + of(arm), 0);
  const answered = sum(({ correct, wrong, unreadable }) => correct + wrong + unreadable);
  const missing = sum(({ outOfTokens }) => outOfTokens);
  const lost = sum(({ unanswered }) => unanswered);
  const unasked = sum(({ notAsked }) => notAsked);
  const figures = sum(({ answers }) => answers);
  const without = sum(({ answers, excluding }) => excluding?.answers ?? answers);
  const kinds = Object.entries(left).map(([kind, count]) => `${count} ${kind}`);
  const policies = {
    both: `counted as wrong (rates over ${integer(figures)}) and, in separate columns, excluded with their programs (over ${integer(without)})`,
    wrong: `counted as wrong (rates over ${integer(figures)})`,
    excluded: `excluded with their programs (rates over ${integer(figures)})`,
  };
  return [
    `${formatCount(answered + missing + lost + unasked, "sample")}: ${integer(answered)} answered`,
    missing === 0 ? `none out of tokens` : `${integer(missing)} out of tokens, ${policies[policy]}`,
    lost === 0
      ? "none lost to the endpoint"
      : `${integer(lost)} lost to the endpoint${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}, their programs excluded`,
    ...(unasked === 0 ? [] : [`${integer(unasked)} not sent, their programs excluded`]),
  ].join("; ");
}

function stepsOf(programs: readonly ProgramCount[], samples: number): ArmResult["bySteps"] {
  const known = programs.flatMap(({ steps, correct }) =>
    steps === null ? [] : [{ steps, share: correct / samples }],
  );
  const width = new Set(known.map(({ steps }) => steps)).size <= fewSteps ? 1 : 5;
  return [...grouped(known, width)]
    .sort(([a], [b]) => a - b)
    .map(([group, shares]) => {
      const accuracy = mean(shares);
      const interval = programInterval(shares) ?? [0, 1];
      return {
        from: group * width,
        to: (group + 1) * width - 1,
        programs: shares.length,
        accuracy,
        interval,
      };
    });
}

function grouped(known: readonly { steps: number; share: number }[], width: number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const { steps, share } of known) {
    const group = Math.floor(steps / width);
    const shares = groups.get(group);
    if (shares === undefined) groups.set(group, [share]);
    else shares.push(share);
  }
  return groups;
}
