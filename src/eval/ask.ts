/**
 * @file Runs an evaluation: samples every question with limited concurrency until each sample has a reply.
 *
 * Replies are stored as they arrive and never requested again, so a killed process loses only the requests in flight.
 * Transient errors are retried; errors are never stored.
 */

import type { Rng } from "../core/rng.ts";
import {
  type ApiErrorKind,
  type Ask,
  type Endpoint,
  type Parameters,
  type Reply,
  type Timing,
  troubles,
} from "./endpoints/endpoint.ts";
import { backOffSeconds, sleep as realSleep, type Sleep } from "./endpoints/rate-limit.ts";
import { type Conversation, type ConversationSet, replyWords } from "./question.ts";

/** An answer as it is kept; the prompt can be made again. */
export interface Kept {
  readonly key: string;
  readonly sample: string;
  readonly turn: number;
  readonly text: string;
  readonly finish: string | null;
  readonly promptTokens: number | null;
  readonly replyTokens: number | null;
  /** Number of attempts, including retries. */
  readonly attempts: number;
  /** See `Reply`. */
  readonly reasoning?: string | undefined;
  readonly model?: string | undefined;
  readonly adapted?: readonly string[] | undefined;
  readonly timing?: Timing | undefined;
}

export interface Answers {
  get(key: string): Kept | undefined;
  keep(answer: Kept): void;
}

export interface AskOptions {
  readonly questions: ConversationSet;
  readonly samples: number;
  /** Only this range of the samples, in the order of their questions. */
  readonly only?: { readonly first: number; readonly last: number } | undefined;
  readonly parameters: Parameters;
  /** Other inputs that determine a reply: protocol, address, model, data. Part of every key. */
  readonly identity: readonly string[];
  readonly endpoint: Endpoint;
  readonly answers: Answers;
  readonly atMost: number;
  readonly maximumRetries: number;
  readonly signal: AbortSignal;
  readonly rng: Rng;
  /** Seconds of the first back-off; 1 by default. */
  readonly backOffUnit?: number;
  /** Cost of a reply (null if unknown), and the limit for this call, after which no request is sent. */
  readonly budget?: { readonly most: number; cost(reply: Reply): number | null };
  readonly pace?: (signal: AbortSignal) => Promise<void>;
  readonly sleep?: Sleep;
  readonly onProgress?: (tally: Tally) => void;
  readonly onTrouble?: (sample: string, kind: ApiErrorKind, words: string) => void;
  /** Before every wait for a retry. */
  readonly onWait?: (kind: ApiErrorKind, seconds: number, words: string) => void;
}

/** Running totals. */
export interface Tally {
  readonly samples: number;
  answered: number;
  /** Of these, read from the store. */
  kept: number;
  requests: number;
  retries: number;
  /** Samples without a reply, by their last error. */
  readonly left: Partial<Record<ApiErrorKind, number>>;
  /** With a budget: what the replies cost, and why nothing more was asked. */
  spent?: number;
  stopped?: "budget" | "unknown cost";
  /** Ended before all was asked: what happened would have happened to every other question. */
  ended?: ApiErrorKind;
}

/**
 * The name of a sample: `function/output/sample_0/0003`, without the direction if there is none. Samples are sorted
 * by name.
 */
export function sampleName(
  { arm, predict, id }: Pick<Conversation, "arm" | "predict" | "id">,
  sample: number,
): string {
  return [arm, ...(predict === undefined ? [] : [predict]), id, String(sample).padStart(4, "0")].join("/");
}

/** The key of one answer: SHA-256 of all that decides about it. */
export async function answerKey(
  identity: readonly string[],
  name: string,
  turn: number,
  { prompt, sample, parameters }: Ask,
): Promise<string> {
  const { temperature, maximumTokens, stop, contextTokens, seed, think: _, ...more } = parameters;
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
    // unset parameters are left out, so keys from before a parameter existed still match
    ...(Object.keys(more).length > 0 ? [Object.entries(more).sort(([a], [b]) => (a < b ? -1 : 1))] : []),
  ]);
  return sha256(text);
}

export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The parameters of one question, which may limit its replies. */
export function parametersFor({ replyTokens }: Conversation, parameters: Parameters): Parameters {
  return replyTokens === undefined ? parameters : { ...parameters, maximumTokens: replyTokens };
}

/** Trouble of a kind that only matters when it lasts ends the asking when it came so often in a row: before any reply, and later. */
const inARow = { atFirst: 3, later: 25 };

/** Resolves when nothing more can be asked: all is answered, the rest is in trouble, or trouble is fatal. */
export async function ask(given: AskOptions): Promise<Tally> {
  const { questions, samples, atMost, signal, onProgress, onTrouble } = given;
  const { first = 0, last = questions.count * samples - 1 } = given.only ?? {};
  const all = last + 1 - first;
  const tally: Tally = { samples: all, answered: 0, kept: 0, requests: 0, retries: 0, left: {} };
  let next = first;
  let fatal = false;
  let replied = false;
  let repeated = 0;
  const ending = new AbortController();
  /** All requests pass here, so a fatal error of any of them stops the evaluation. */
  const endpoint: Endpoint = async (request, signal) => {
    const outcome = await given.endpoint(request, signal);
    if (outcome.kind === "reply") {
      replied = true;
      if (given.budget !== undefined) spend(given.budget, outcome, tally);
    }
    const grave = outcome.kind === "reply" ? false : troubles[outcome.class].fatal;
    repeated = grave === "repeated" ? repeated + 1 : 0;
    if (grave === true || repeated >= (replied ? inARow.later : inARow.atFirst)) {
      fatal = true;
      if (outcome.kind === "trouble") tally.ended ??= outcome.class;
      ending.abort();
    }
    return outcome;
  };
  const options = { ...given, endpoint, ending: AbortSignal.any([signal, ending.signal]) };
  const work = async () => {
    while (next <= last && !fatal && tally.stopped === undefined) {
      signal.throwIfAborted();
      const index = next++;
      const question = questions.question(Math.floor(index / samples));
      const sample = index % samples;
      const name = sampleName(question, sample);
      const before = tally.requests;
      const ended = await replies(question, sample, options, tally).finally(() => question.close?.());
      if ("trouble" in ended) {
        tally.left[ended.trouble] = (tally.left[ended.trouble] ?? 0) + 1;
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

function spend({ most, cost }: NonNullable<AskOptions["budget"]>, reply: Reply, tally: Tally): void {
  const amount = cost(reply);
  tally.spent = (tally.spent ?? 0) + (amount ?? 0);
  if (amount === null) tally.stopped = "unknown cost";
  else if (tally.spent >= most) tally.stopped ??= "budget";
}

type Ended =
  | { readonly texts: readonly string[]; readonly fresh: number }
  | { readonly trouble: ApiErrorKind; readonly words: string };

/** The replies to a question, turn by turn, kept ones first. */
async function replies(
  question: Conversation,
  sample: number,
  options: Asking,
  tally: Tally,
): Promise<Ended> {
  const { parameters, identity, answers } = options;
  const name = sampleName(question, sample);
  const texts: string[] = [];
  let fresh = 0;
  for (;;) {
    const prompt = await question.next(replyWords(texts, parameters.think));
    if (prompt === undefined) return { texts, fresh };
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
}

/** `ending`: nothing more is to be asked. */
type Asking = AskOptions & { readonly ending: AbortSignal };

/** Retries retryable errors up to the limit; stops immediately once the evaluation has ended. */
async function persistently(request: Ask, options: Asking, tally: Tally) {
  const { endpoint, maximumRetries, signal, ending, rng, backOffUnit = 1, pace, sleep = realSleep } = options;
  for (let attempts = 1; ; attempts++) {
    await pace?.(signal);
    tally.requests++;
    if (attempts > 1) tally.retries++;
    const outcome = await endpoint(request, signal);
    if (outcome.kind === "reply") return { ...outcome, attempts };
    if (!troubles[outcome.class].retry || attempts > maximumRetries || ending.aborted) return outcome;
    const seconds = backOffSeconds(attempts + 1, backOffUnit, rng, outcome.retryAfterSeconds);
    options.onWait?.(outcome.class, seconds, outcome.words);
    const waited = await sleep(seconds, ending).then(
      () => true,
      () => false,
    );
    signal.throwIfAborted();
    if (!waited) return outcome;
  }
}
