/**
 * @file What is asked of a language model. A bench makes questions out of data; it never knows who answers them.
 *
 *     const { count, question } = bench.prepare(params, input);
 *     question(0).next([])                  the first prompt
 *     question(0).next(["[1, 2]"])          what is asked after that reply; undefined: nothing more
 *     await question(0).judge(["[1, 2]"], execute)     { extracted: "[1, 2]", grade: { kind: "correct" } }
 *
 * Questions are made one at a time, when they are asked: fifty thousand prompts are never held together.
 */

import type { z } from "zod";
import type { RevealRecord } from "../records/reveals.ts";
import type { TracedRow } from "../records/traced.ts";
import type { BenchmarkRow } from "../trace/benchmarks.ts";
import type { Execute } from "./execute.ts";
import type { Grade } from "./grade.ts";
import type { Scoring } from "./score-cruxeval.ts";

/** How a program is shown: as the function, as its straight-line trace, or as the function without its telling name. */
export const arms = ["function", "traced", "anonymous"] as const;
export type Arm = (typeof arms)[number];
export const predictions = ["output", "input"] as const;
export type Predict = (typeof predictions)[number];
/** The answer at once, or a chain of thought before it. */
export const styles = ["direct", "cot"] as const;
export type Style = (typeof styles)[number];

export interface Judgement {
  /** What was taken for the answer; null where there was nothing to take. */
  readonly extracted: string | null;
  readonly grade: Grade;
}

export interface Question {
  /** The same for one program in every arm, so that arms can be compared program by program. */
  readonly id: string;
  readonly arm: string;
  readonly predict: Predict;
  /** Steps of the trace, or commands; null where that is not known. */
  readonly steps: number | null;
  /** What the right answer is, for people. */
  readonly expected: string;
  /** How many tokens its reply may have, where that is not the same for all. */
  readonly replyTokens?: number;
  next(replies: readonly string[]): string | undefined;
  judge(replies: readonly string[], execute: Execute): Promise<Judgement>;
}

export interface QuestionSet {
  readonly count: number;
  question(index: number): Question;
  /** What could not be asked, and why. */
  readonly excluded: readonly { readonly id: string; readonly reason: string }[];
}

export interface BenchInput {
  readonly arms: readonly Arm[];
  readonly predict: readonly Predict[];
  readonly style: Style;
  readonly scoring: Scoring;
  readonly seed: number;
  /** The benchmark's rows, where the bench is made from a file. */
  readonly rows: readonly BenchmarkRow[];
  /** Traces of its calls by their ids; null where none were given. */
  readonly traces: ReadonlyMap<string, TracedRow["trace"]> | null;
  /** Reveals that a trained model was asked about, where the bench is made from them. */
  readonly reveals?: readonly RevealRecord[];
  /** The longest reply, in tokens, where the user has said it. */
  readonly maximumTokens?: number | undefined;
}

export interface Bench<Params = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** The published file that its rows come from, or one that the user has made. */
  readonly file?: "cruxeval" | "mbpp" | "reveals";
  /** A strict object with every default inside. */
  readonly params: z.ZodType<Params>;
  /** The first is the default. */
  readonly arms: readonly Arm[];
  readonly predict: readonly Predict[];
  /** What ends a reply. */
  readonly stop: readonly string[];
  /** How long a reply has to be, in tokens, where that grows with the program. */
  replyTokens?(params: Params): number;
  prepare(params: Params, input: BenchInput): QuestionSet;
}

export function defineBench<Params>(bench: Bench<Params>): Bench<Params> {
  return bench;
}
