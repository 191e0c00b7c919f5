/**
 * @file Scores generations in CRUXEval's layout, by its own rules or by strict ones.
 *
 *     upstream     `assert OUTPUT == ANSWER` is run after the program. An output that repeats the call, or an input
 *                  without one, is dropped and the rest counts; if nothing passed, all count as failed.
 *                  So `0 or True` passes for [1, 2]: `assert [1, 2] == 0 or True` succeeds.
 *     strict       the answer is one literal, the same as the output in value and type, and is never run; for input
 *                  prediction it is one call of f with literals, and its result is compared so. Every answer counts.
 *
 * Source: Gu et al. 2024, arXiv:2401.03065, and its evaluator.
 */

import { fail } from "../../core/error.ts";
import { mean } from "../../core/statistics.ts";
import type { CruxevalRow, Generations, Score } from "../../schemas/samples.ts";
import type { Execute } from "../execute.ts";
import { forOneAnswer } from "../execute.ts";
import { stopMark } from "../prompt.ts";
import type { Predict, Scoring, Style } from "../question.ts";
import { gradeCall, gradeValue, unfitToExpect } from "./grade.ts";
import { passAtK, programInterval } from "./pass-at-k.ts";

export interface ScoreOptions {
  readonly rows: readonly CruxevalRow[];
  readonly generations: Generations;
  readonly predict: Score["predict"];
  readonly scoring: Scoring;
  readonly seed: number;
  readonly execute: Execute;
  /** Answers under way at the same time. */
  readonly atMost: number;
  readonly onProgress?: (done: number, all: number) => void;
}

/** The outcome of one answer. */
type Verdict = "correct" | "wrong" | "unreadable";

export async function scoreCruxeval(options: ScoreOptions): Promise<Omit<Score, "python">> {
  const { generations, predict, scoring, seed } = options;
  const excluded = options.rows.flatMap(({ id, output }) => {
    const reason = scoring === "strict" ? unfitToExpect(output) : undefined;
    return reason === undefined ? [] : [{ id, reason }];
  });
  const rows = options.rows.filter(({ id }) => !excluded.some((each) => each.id === id));
  const verdictOf = judged(options);
  const all: Verdict[][] = await inParallel(
    rows,
    options.atMost,
    async (row) => {
      const given = Object.hasOwn(generations, row.id) ? generations[row.id] : undefined;
      if (given === undefined)
        fail("score", "generations for every program", `none for ${row.id}`, undefined, "corrupt");
      // Sampled answers repeat: each is judged once.
      const known = new Map<string, Verdict>();
      for (const answer of new Set(given)) known.set(answer, await verdictOf(row, answer));
      return given.map((answer) => known.get(answer)!); // every answer was judged
    },
    options.onProgress,
  );
  const counted = all.map(scoring === "upstream" ? upstreamVerdicts : (verdicts) => verdicts.map(isCorrect));
  const flat = all.flat();
  const estimate = (k: number) => {
    const known = scoring === "upstream" || counted.every((verdicts) => verdicts.length >= k);
    if (!known || counted.length === 0) return { value: null, interval: null };
    const values = counted.map((verdicts) => passAtK(verdicts.length, verdicts.filter(Boolean).length, k));
    const bounds = programInterval(values);
    return { value: mean(values) * 100, interval: bounds === null ? null : percent(bounds) };
  };
  const [one, five] = [estimate(1), estimate(5)];
  const count = (kind: Verdict) => flat.filter((verdict) => verdict === kind).length;
  return {
    version: 1,
    predict,
    scoring,
    passAt1: one.value,
    passAt5: five.value,
    intervals: { passAt1: one.interval, passAt5: five.interval },
    verdicts: Object.fromEntries(rows.map(({ id }, i) => [id, counted[i]])),
    answers: {
      given: flat.length,
      correct: count("correct"),
      wrong: count("wrong"),
      unreadable: count("unreadable"),
    },
    ...(excluded.length > 0 && { excluded }),
    seed,
  };
}

const isCorrect = (verdict: Verdict) => verdict === "correct";

function upstreamVerdicts(verdicts: readonly Verdict[]): boolean[] {
  if (!verdicts.some(isCorrect)) return verdicts.map(() => false);
  return verdicts.filter((verdict) => verdict !== "unreadable").map(isCorrect);
}

function judged({ predict, scoring, execute }: ScoreOptions) {
  const verdictOf = async (
    { code, input, output }: CruxevalRow,
    answer: string,
    execute: Execute,
  ): Promise<Verdict> => {
    if (scoring === "upstream") {
      const rejected = predict === "input" ? !answer.includes("f(") : answer.includes(`f(${input})`);
      if (rejected) return "unreadable";
      const { kind } = await execute({ code: `${code}\nassert ${output} == ${answer}` });
      return kind === "passed" ? "correct" : "wrong";
    }
    const grade =
      predict === "output"
        ? await gradeValue(answer, output, execute)
        : await gradeCall(answer, { code, name: "f", expected: output }, execute);
    return grade.kind;
  };
  return (row: CruxevalRow, answer: string): Promise<Verdict> =>
    forOneAnswer(
      execute,
      (execute) => verdictOf(row, answer, execute),
      () => "unreadable",
    );
}

const percent = ([low, high]: readonly [number, number]): [number, number] => [low * 100, high * 100];

/** The results in the order of the items, at most so many under way at a time. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atMost: number,
  work: (item: Item) => Promise<Result>,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  let done = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]);
      onProgress(++done, items.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atMost, items.length) }, worker));
  return results;
}

const openMark = "[ANSWER]";

export function upstreamAnswer(reply: string, predict: Predict, style: Style, protocol = "chat"): string {
  const text = reply.split(stopMark)[0]; // the text that ends a reply
  const tagged = style === "cot" && text.includes(openMark);
  if (style === "cot" && !tagged && protocol !== "completion") return text.split("\n").at(-1)!.trim(); // there is a line
  const answer = tagged ? text.split(openMark)[1].trim() : text;
  if (predict === "output") return (answer.includes("==") ? answer.split("==")[1] : answer).trim();
  const left = answer.split("==")[0].trim();
  return (left.includes("assert") ? left.split("assert")[1] : left).trim();
}
