/**
 * @file The second half of an asking: every kept answer is judged and becomes a sample, in the order of the samples' names.
 *
 * Answers that are the same for one program are judged once.
 */

import type { SampleRecord } from "../../schemas/eval.ts";
import { type Answers, answerKey, type Kept, parametersFor, sampleName } from "../ask.ts";
import { ranOut } from "../endpoints/api-errors.ts";
import type { Parameters } from "../endpoints/endpoint.ts";
import type { Execute } from "../execute.ts";
import { forOneAnswer } from "../execute.ts";
import { type Judgement, type Question, type QuestionSet, replyWords } from "../question.ts";

export interface JudgeOptions {
  readonly questions: QuestionSet;
  readonly samples: number;
  readonly parameters: Parameters;
  readonly identity: readonly string[];
  readonly answers: Answers;
  readonly execute: Execute;
  readonly atMost: number;
  readonly signal: AbortSignal;
}

/** A sample, or the question of one that has no answer. */
export type Judged =
  | { readonly kind: "sample"; readonly sample: SampleRecord; readonly kept: readonly Kept[] }
  | { readonly kind: "unanswered"; readonly name: string; readonly question: Question };

/** Yields samples in order; concurrency is limited, so memory does not grow with their number. */
export async function* judgeSamples(options: JudgeOptions): AsyncGenerator<Judged> {
  const { questions, samples, atMost, signal } = options;
  const order = Array.from({ length: questions.count }, (_, i) => ({
    i,
    name: sampleName(questions.question(i), 0),
  }));
  order.sort((a, b) => (a.name < b.name ? -1 : 1));
  const waiting: Promise<Judged[]>[] = [];
  for (const { i } of order) {
    signal.throwIfAborted();
    const work = judgeProgram(questions.question(i), samples, options);
    work.catch(() => {}); // it is thrown below, when its turn comes
    waiting.push(work);
    if (waiting.length > atMost) yield* await waiting.shift()!; // not empty
  }
  for (const work of waiting) yield* await work;
}

async function judgeProgram(question: Question, samples: number, options: JudgeOptions): Promise<Judged[]> {
  const known = new Map<string, Judgement>();
  const judged: Judged[] = [];
  for (let index = 0; index < samples; index++) {
    const name = sampleName(question, index);
    const asked = await keptReplies(question, index, options);
    if (asked === undefined) {
      judged.push({ kind: "unanswered", name, question });
      continue;
    }
    const { kept } = asked;
    const verdict = await judgeReplies(question, kept, options.parameters, options.execute, known);
    judged.push({ kind: "sample", sample: sampleOf(question, index, asked, verdict), kept });
  }
  return judged;
}

export type Verdict = Pick<SampleRecord, "extracted" | "expected" | "verdict" | "words">;

/** The verdict on the replies to a question, one per turn. `known`: judgements of the same question, by its replies. */
export async function judgeReplies(
  question: Question,
  replies: readonly Pick<Kept, "text" | "finish" | "replyTokens">[],
  given: Parameters,
  execute: Execute,
  known = new Map<string, Judgement>(),
): Promise<Verdict> {
  const { expected } = question;
  const parameters = parametersFor(question, given);
  const texts = replyWords(
    replies.map(({ text }) => text),
    parameters.think,
  );
  if (!question.endsByLength && replies.some((reply, turn) => ranOut(reply, texts[turn], parameters))) {
    const words = "the reply reached --max-tokens before an answer was whole";
    return { extracted: null, expected, verdict: "out-of-tokens", words };
  }
  const key = JSON.stringify(texts);
  const { extracted, grade } =
    known.get(key) ??
    (await forOneAnswer<Judgement>(
      execute,
      (execute) => question.judge(texts, execute),
      (words) => ({ extracted: null, grade: { kind: "unreadable", words } }),
    ));
  known.set(key, { extracted, grade });
  return { extracted, expected, verdict: grade.kind, words: grade.kind === "correct" ? "" : grade.words };
}

interface Asked {
  readonly prompt: string;
  readonly kept: readonly Kept[];
}

/** All replies of a stored conversation; undefined if one is missing. */
async function keptReplies(
  question: Question,
  sample: number,
  options: JudgeOptions,
): Promise<Asked | undefined> {
  const { identity, answers } = options;
  const parameters = parametersFor(question, options.parameters);
  const name = sampleName(question, sample);
  const kept: Kept[] = [];
  let last = "";
  for (;;) {
    const prompt = question.next(
      replyWords(
        kept.map(({ text }) => text),
        parameters.think,
      ),
    );
    if (prompt === undefined) return { prompt: last, kept };
    const answer = answers.get(await answerKey(identity, name, kept.length, { prompt, sample, parameters }));
    if (answer === undefined) return undefined;
    kept.push(answer);
    last = prompt;
  }
}

function sampleOf(
  question: Question,
  index: number,
  { prompt, kept }: Asked,
  verdict: Verdict,
): SampleRecord {
  const { arm, predict, id, steps } = question;
  const { finish, promptTokens, replyTokens } = kept.at(-1)!; // a question asks something
  const reasoning = kept.map((reply) => reply.reasoning ?? "");
  return {
    version: 1,
    sample: sampleName(question, index),
    ...{ arm, predict, id, index, steps, prompt },
    replies: kept.map(({ text }) => text),
    ...(reasoning.some((text) => text !== "") && { reasoning }),
    ...{ finish, promptTokens, replyTokens },
    ...verdict,
  };
}
