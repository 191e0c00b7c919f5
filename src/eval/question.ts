/**
 * @file Benchmarks turn data into questions and grade the replies, independent of the model.
 *
 *     const { count, question } = bench.prepare(params, input);
 *     question(0).next([])                  the first prompt
 *     question(0).next(["[1, 2]"])          the next prompt; undefined at the end
 *     await question(0).judge(["[1, 2]"], execute)     { extracted: "[1, 2]", grade: { kind: "correct" } }
 *
 * Questions are created on demand: fifty thousand prompts are never in memory together.
 */

import type { z } from "zod";
import type { Score } from "../schemas/samples.ts";
import type { TracedRow } from "../schemas/trace.ts";
import type { Execute } from "./execute.ts";
import type { Grade } from "./scoring/grade.ts";
import { splitReasoning, type ThoughtMarks } from "./scoring/reasoning.ts";

export type Scoring = Score["scoring"];

/** How a program is shown: as the function, as its straight-line trace, or as the function with a neutral name. */
export const arms = ["function", "traced", "anonymous"] as const;
export type Arm = (typeof arms)[number];
export const predictions = ["output", "input"] as const;
export type Predict = (typeof predictions)[number];
/** The answer at once, or a chain of thought before it. */
export const styles = ["direct", "cot"] as const;
export type Style = (typeof styles)[number];

export interface Judgement {
  /** The extracted answer; null if there was none. */
  readonly extracted: string | null;
  readonly grade: Grade;
}

/** A conversation of prompts and replies: a question of a benchmark, or an episode of an agent. */
export interface Conversation {
  /** The same for one program in every arm, so that arms can be compared program by program. */
  readonly id: string;
  readonly arm: string;
  readonly predict?: Predict;
  /** Maximum tokens of a reply, if it differs between questions. */
  readonly replyTokens?: number;
  /** Replies without the model's thoughts. If `next` is a promise, each call passes one more reply. */
  next(replies: readonly string[]): string | undefined | Promise<string | undefined>;
  /** Called once at the end, in all cases. */
  close?(): Promise<void>;
}

export interface Question extends Conversation {
  readonly predict: Predict;
  /** Steps of the trace, or commands; null if unknown. */
  readonly steps: number | null;
  /** The correct answer, for display. */
  readonly expected: string;
  /** The token limit is the length of the answer, so a reply that ends by its length is complete. */
  readonly endsByLength?: boolean;
  next(replies: readonly string[]): string | undefined;
  judge(replies: readonly string[], execute: Execute): Promise<Judgement>;
}

/** Replies without the model's thoughts, as questions read them. */
export function replyWords(texts: readonly string[], think?: ThoughtMarks): string[] {
  return texts.map((text) => splitReasoning(text, think).answer);
}

export interface ConversationSet {
  readonly count: number;
  question(index: number): Conversation;
}

export interface QuestionSet extends ConversationSet {
  question(index: number): Question;
  /** Programs that were excluded, and why. */
  readonly excluded: readonly { readonly id: string; readonly reason: string }[];
  /** Accuracy of computed solvers, by name, over all questions. */
  references?(): Readonly<Record<string, number>>;
}

/** The file that a bench is made from. */
export interface BenchData<Row> {
  /** Path inside a data folder: `cruxeval/cruxeval.jsonl`. Without it the user must name the file. */
  readonly place?: string;
  /** How to get or make the file. */
  readonly hint: string;
  /** One row of it, as JSON, the first being 0. @throws LabError naming `at`. */
  row(value: unknown, at: string, index: number): Row;
}

export interface BenchInput<Row = unknown> {
  readonly arms: readonly Arm[];
  readonly predict: readonly Predict[];
  readonly style: Style;
  readonly scoring: Scoring;
  readonly seed: number;
  /** The rows of the data; empty if the benchmark needs none. */
  readonly rows: readonly Row[];
  /** Traces of its calls by their ids; null where none were given. */
  readonly traces: ReadonlyMap<string, TracedRow["trace"]> | null;
  /** The maximum tokens of a reply, if the user set it. */
  readonly maximumTokens?: number | undefined;
  /** Words and examples of the user's own. */
  readonly form?: PromptForm;
  /** The protocol: CRUXEval parses chats and completions differently. */
  readonly protocol?: string;
}

export interface Bench<Params = unknown, Row = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** Without it the bench makes its programs itself. */
  readonly data?: BenchData<Row>;
  /** A strict object with every default inside. */
  readonly params: z.ZodType<Params>;
  /** The first is the default. */
  readonly arms: readonly Arm[];
  /** The setting whose values are the arms of its results, where these are others than `arms`. */
  readonly armSetting?: string;
  readonly predict: readonly Predict[];
  /** The prompt cannot be changed. */
  readonly fixedPrompt?: true;
  /** Stop texts. */
  readonly stop: readonly string[];
  /** The required tokens of a reply, if they grow with the program. */
  replyTokens?(params: Params, rows: readonly Row[]): number;
  prepare(params: Params, input: BenchInput<Row>): QuestionSet;
}

export function defineBench<Params, Row = never>(bench: Bench<Params, Row>): Bench<Params, Row> {
  return bench;
}

export interface PromptForm {
  /** Number of worked examples; all of the benchmark's by default. */
  readonly shots?: number;
  /** With {program} in it. */
  readonly template?: (style: Style, predict: Predict) => string;
}
