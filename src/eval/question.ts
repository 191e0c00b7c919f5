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
import type { TracedRow } from "../schemas/trace-row.ts";
import type { Execute } from "./execute.ts";
import type { Grade } from "./scoring/grade.ts";
import { splitReasoning, type ThoughtMarks } from "./scoring/reasoning.ts";
import type { Scoring } from "./scoring/score-cruxeval.ts";

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

/** What is asked turn by turn, whoever judges it: of a bench a question, of an agent an episode. */
export interface Conversation {
  /** The same for one program in every arm, so that arms can be compared program by program. */
  readonly id: string;
  readonly arm: string;
  readonly predict?: Predict;
  /** How many tokens its reply may have, where that is not the same for all. */
  readonly replyTokens?: number;
  /** Replies are without what the model thought first. They are told once each, in order, where `next` may be a promise. */
  next(replies: readonly string[]): string | undefined | Promise<string | undefined>;
  /** Called at its end, whatever that was, once. */
  close?(): Promise<void>;
}

export interface Question extends Conversation {
  readonly predict: Predict;
  /** Steps of the trace, or commands; null where that is not known. */
  readonly steps: number | null;
  /** What the right answer is, for people. */
  readonly expected: string;
  /** It is asked for as many tokens as its answer has, so a reply that ends by its length is whole. */
  readonly endsByLength?: boolean;
  next(replies: readonly string[]): string | undefined;
  judge(replies: readonly string[], execute: Execute): Promise<Judgement>;
}

/** Replies as a question is told of them: without what the model thought first. */
export function toldReplies(texts: readonly string[], think?: ThoughtMarks): string[] {
  return texts.map((text) => splitReasoning(text, think).answer);
}

export interface ConversationSet {
  readonly count: number;
  question(index: number): Conversation;
}

export interface QuestionSet extends ConversationSet {
  question(index: number): Question;
  /** What could not be asked, and why. */
  readonly excluded: readonly { readonly id: string; readonly reason: string }[];
  /** Computed solvers, by name: how often the best guess of each is right, over all questions. */
  references?(): Readonly<Record<string, number>>;
}

/** The file that a bench is made from. */
export interface BenchData<Row> {
  /** Where it lies below a folder of data: `cruxeval/cruxeval.jsonl`. Without it the user must name the file. */
  readonly place?: string;
  /** How to get or make it. */
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
  /** Of the bench's data; none where it has none. */
  readonly rows: readonly Row[];
  /** Traces of its calls by their ids; null where none were given. */
  readonly traces: ReadonlyMap<string, TracedRow["trace"]> | null;
  /** The longest reply, in tokens, where the user has said it. */
  readonly maximumTokens?: number | undefined;
  /** Words and examples of the user's own. */
  readonly form?: PromptForm;
  /** How the model is asked: CRUXEval reads a chat's answers otherwise than a text that goes on. */
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
  /** Its prompts have no other form. */
  readonly fixedPrompt?: true;
  /** What ends a reply. */
  readonly stop: readonly string[];
  /** How long a reply has to be, in tokens, where that grows with the program. */
  replyTokens?(params: Params, rows: readonly Row[]): number;
  prepare(params: Params, input: BenchInput<Row>): QuestionSet;
}

export function defineBench<Params, Row = never>(bench: Bench<Params, Row>): Bench<Params, Row> {
  return bench;
}

export interface PromptForm {
  /** How many worked examples; as many as the bench has where it is not said. */
  readonly shots?: number;
  /** With {program} in it. */
  readonly template?: (style: Style, predict: Predict) => string;
}
