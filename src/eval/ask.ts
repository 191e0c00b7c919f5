/**
 * @file The asking: every question, so many samples of each, so many requests at a time, until each has its answer.
 *
 * An answer is kept the moment it arrives, and what has been kept is not asked again: a process that is killed loses the
 * requests in flight and nothing else. Trouble is retried where that can help, and is never kept.
 */

import type { Rng } from "../math/rng.ts";
import { type Ask, type Endpoint, type Parameters, type TroubleClass, troubles } from "./endpoint.ts";
import { backOffSeconds, sleep as realSleep, type Sleep } from "./patience.ts";
import type { Question, QuestionSet } from "./question.ts";

/** An answer as it is kept; the prompt can be made again. */
export interface Kept {
  readonly key: string;
  readonly sample: string;
  readonly turn: number;
  readonly text: string;
  readonly finish: string | null;
  readonly promptTokens: number | null;
  readonly replyTokens: number | null;
  /** How often it was asked, retries included. */
  readonly attempts: number;
}

export interface Answers {
  get(key: string): Kept | undefined;
  keep(answer: Kept): void;
}

export interface AskOptions {
  readonly questions: QuestionSet;
  readonly samples: number;
  readonly parameters: Parameters;
  /** What else decides about an answer: protocol, address, model, data. Part of every key. */
  readonly identity: readonly string[];
  readonly endpoint: Endpoint;
  readonly answers: Answers;
  readonly atMost: number;
  readonly maximumRetries: number;
  readonly signal: AbortSignal;
  readonly rng: Rng;
  /** Seconds of the first back-off; 1 by default. */
  readonly backOffUnit?: number;
  readonly pace?: (signal: AbortSignal) => Promise<void>;
  readonly sleep?: Sleep;
  readonly onProgress?: (tally: Tally) => void;
  readonly onTrouble?: (sample: string, kind: TroubleClass, words: string) => void;
}

/** So far. */
export interface Tally {
  readonly samples: number;
  answered: number;
  /** Of these, without a request. */
  kept: number;
  requests: number;
  retries: number;
  /** Samples left without an answer, by what happened last. */
  readonly left: Partial<Record<TroubleClass, number>>;
}

/** The name of a sample: `function/output/sample_0/0003`. Samples stand in the order of their names. */
export function sampleName({ arm, predict, id }: Question, sample: number): string {
  return `${arm}/${predict}/${id}/${String(sample).padStart(4, "0")}`;
}

/** The key of one answer: SHA-256 of all that decides about it. */
export async function answerKey(
  identity: readonly string[],
  name: string,
  turn: number,
  { prompt, sample, parameters }: Ask,
): Promise<string> {
  const { temperature, maximumTokens, stop, contextTokens, seed } = parameters;
  const text = JSON.stringify([
    ...identity,
    name,
    turn,
    prompt,
    sample,
    temperature,
    maximumTokens,
    stop,
    contextTokens,
    seed,
  ]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The parameters of one question: its own length of reply, where it has one. */
export function parametersFor({ replyTokens }: Question, parameters: Parameters): Parameters {
  return replyTokens === undefined ? parameters : { ...parameters, maximumTokens: replyTokens };
}

/** Resolves when nothing more can be asked: all is answered, the rest is in trouble, or trouble is fatal. */
export async function ask(options: AskOptions): Promise<Tally> {
  const { questions, samples, atMost, signal, onProgress, onTrouble } = options;
  const all = questions.count * samples;
  const tally: Tally = { samples: all, answered: 0, kept: 0, requests: 0, retries: 0, left: {} };
  let next = 0;
  let fatal = false;
  const work = async () => {
    while (next < all && !fatal) {
      signal.throwIfAborted();
      const index = next++;
      const question = questions.question(Math.floor(index / samples));
      const sample = index % samples;
      const name = sampleName(question, sample);
      const before = tally.requests;
      const ended = await replies(question, sample, options, tally);
      if ("trouble" in ended) {
        tally.left[ended.trouble] = (tally.left[ended.trouble] ?? 0) + 1;
        fatal ||= troubles[ended.trouble].fatal;
        onTrouble?.(name, ended.trouble, ended.words);
      } else {
        tally.answered++;
        if (tally.requests === before && ended.fresh === 0) tally.kept++;
      }
      onProgress?.(tally);
    }
  };
  // All end before the first fault is thrown: no request outlives this call.
  const ends = await Promise.allSettled(Array.from({ length: Math.min(atMost, all) }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return tally;
}

type Ended =
  | { readonly texts: readonly string[]; readonly fresh: number }
  | { readonly trouble: TroubleClass; readonly words: string };

/** The replies to a question, turn by turn, kept ones first. */
async function replies(
  question: Question,
  sample: number,
  options: AskOptions,
  tally: Tally,
): Promise<Ended> {
  const { parameters, identity, answers } = options;
  const name = sampleName(question, sample);
  const texts: string[] = [];
  let fresh = 0;
  for (let prompt = question.next(texts); prompt !== undefined; prompt = question.next(texts)) {
    const request: Ask = { prompt, sample, parameters: parametersFor(question, parameters) };
    const key = await answerKey(identity, name, texts.length, request);
    let kept = answers.get(key);
    if (kept === undefined) {
      const got = await persistently(request, options, tally);
      if (got.kind === "trouble") return { trouble: got.class, words: got.words };
      const { kind: _, ...reply } = got;
      kept = { key, sample: name, turn: texts.length, ...reply };
      answers.keep(kept);
      fresh++;
    }
    texts.push(kept.text);
  }
  return { texts, fresh };
}

/** Asks again while that can help and is allowed. */
async function persistently(request: Ask, options: AskOptions, tally: Tally) {
  const { endpoint, maximumRetries, signal, rng, backOffUnit = 1, pace, sleep = realSleep } = options;
  for (let attempts = 1; ; attempts++) {
    await pace?.(signal);
    tally.requests++;
    if (attempts > 1) tally.retries++;
    const outcome = await endpoint(request, signal);
    if (outcome.kind === "reply") return { ...outcome, attempts };
    if (!troubles[outcome.class].retry || attempts > maximumRetries) return outcome;
    await sleep(backOffSeconds(attempts + 1, backOffUnit, rng, outcome.retryAfterSeconds), signal);
  }
}
