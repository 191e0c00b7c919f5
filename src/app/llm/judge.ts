/** @file Verdicts on single replies, as `llm eval` judges them: the work of `statelab llm judge`. */

import { fail, LabError, Words } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import type { Question, QuestionSet } from "../../eval/question.ts";
import { judgeReplies } from "../../eval/scoring/score-samples.ts";
import { EvalConfig } from "../../schemas/eval-config.ts";
import { type BenchmarkOptions, JudgeRequest, type JudgeResponse } from "../../schemas/questions.ts";
import { parseJson } from "../../storage/index.ts";
import { openQuestions } from "./eval.ts";
import { openSandbox, type SandboxHost } from "./sandbox.ts";

/** The id of a question across arms and directions. */
export const questionId = ({ arm, predict, id }: Pick<Question, "arm" | "predict" | "id">) =>
  `${arm}/${predict}/${id}`;

/** They are indexed by id. A client of the server must not exhaust its memory. */
const MOST_QUESTIONS = 100_000;

interface Asked {
  readonly id?: string | undefined;
  readonly prompt?: string | undefined;
}

/** The questions of a benchmark, found by id or by prompt. A prompt that differs from the question's is refused. */
export async function openFinder(options: BenchmarkOptions) {
  const { bench, params, input, parameters } = await openQuestions({ config: EvalConfig.parse(options) });
  const questions = bench.prepare(params, input);
  if (questions.count > MOST_QUESTIONS)
    fail(bench.name, `at most ${MOST_QUESTIONS} questions`, questions.count, undefined, "corrupt");
  const ids = indexBy(questions, questionId);
  let prompts: ReadonlyMap<string, number> | undefined;
  const find = ({ id, prompt }: Asked, at: string): Question => {
    const byId = id === undefined ? undefined : ids.get(id);
    if (byId !== undefined) {
      const question = questions.question(byId);
      if (prompt === undefined || question.next([]) === prompt) return question;
    }
    if (prompt === undefined)
      return fail(
        at,
        `the id of a question, such as ${[...ids.keys()][0]}`,
        id ?? null,
        undefined,
        "corrupt",
      );
    prompts ??= indexBy(questions, (question) => question.next([]) ?? "");
    const byPrompt = prompts.get(prompt);
    if (byPrompt !== undefined) return questions.question(byPrompt);
    const hint = "Give the options, data and version of Statelab with which the questions were made";
    return fail(at, `a prompt of ${bench.name}`, prompt.slice(-80), hint, "corrupt");
  };
  return { find, count: questions.count, parameters };
}

const indexBy = ({ count, question }: QuestionSet, key: (question: Question) => string) =>
  new Map(Array.from({ length: count }, (_, i) => [key(question(i)), i]));

/** Benchmarks whose questions are kept. */
const MOST_BENCHMARKS = 16;

interface JudgeOptions {
  readonly host: SandboxHost;
  readonly signal: AbortSignal;
}

/** Judges parsed requests; `at` names one in errors. @throws LabError (corrupt) for what cannot be judged */
export async function openJudge({ host, signal }: JudgeOptions) {
  const finders = new Map<string, Awaited<ReturnType<typeof openFinder>>>();
  const sandbox = await openSandbox(host, signal);
  return {
    async judge(json: unknown, at: string): Promise<JudgeResponse> {
      const { benchmark, id, prompt, reply, finish = null } = requestIn(json, at);
      const key = JSON.stringify(benchmark);
      const finder = finders.get(key) ?? (await openAt(at, benchmark));
      finders.set(key, finder);
      for (const oldest of [...finders.keys()].slice(0, -MOST_BENCHMARKS)) finders.delete(oldest);
      const question = finder.find({ id, prompt }, at);
      const replies = [reply].flat().map((text) => ({ text, finish, replyTokens: null }));
      const verdict = await judgeReplies(question, replies, finder.parameters, sandbox.execute);
      return { id: id ?? questionId(question), ...verdict };
    },
    close: () => sandbox.close(),
  };
}

/** One verdict for each line, in order. @throws LabError (corrupt) naming the line that cannot be judged */
export async function* judgeLines(
  lines: AsyncIterable<string>,
  options: JudgeOptions,
): AsyncGenerator<JudgeResponse> {
  const { judge, close } = await openJudge(options);
  let [number, judged] = [0, 0];
  try {
    for await (const line of lines) {
      number++;
      if (line.trim() === "") continue;
      const at = `standard input, line ${number}`;
      yield await judge(jsonIn(line, at), at);
      judged++;
    }
    if (judged === 0)
      fail("standard input", "one JSON object per line", new Words("no line"), undefined, "corrupt");
  } finally {
    await close();
  }
}

const asCorrupt = (error: unknown, at = ""): never => {
  throw error instanceof LabError ? new LabError(`${at}${error.message}`, "corrupt") : error;
};

const openAt = (at: string, benchmark: BenchmarkOptions) =>
  openFinder(benchmark).catch((error) => asCorrupt(error, `${at}: `));

function jsonIn(line: string, at: string) {
  try {
    return parseJson(line, at);
  } catch (error) {
    return asCorrupt(error);
  }
}

function requestIn(json: unknown, at: string) {
  try {
    return parseWith(JudgeRequest, json, at);
  } catch (error) {
    return asCorrupt(error);
  }
}
