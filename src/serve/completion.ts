/**
 * @file Generates one reply to one prompt, token by token: sampling, stop strings and log-probabilities.
 *
 * Streamed pieces and the complete reply are made of the same pieces.
 */

import type { Rng } from "../core/rng.ts";
import type { Tokenizer } from "../tasks/index.ts";
import type { Sequence } from "./continuous-batching.ts";
import type { Wanted } from "./request.ts";
import { logSoftmax, nextToken } from "./sampling.ts";
import { untilStop } from "./stop-sequences.ts";

/** A token of the reply, or of the echoed prompt. */
export interface ToldToken {
  readonly text: string;
  /** Offset in the reply's text. */
  readonly offset: number;
  /** Natural logarithm at temperature 1; null for the first token of a prompt. */
  readonly logprob: number | null;
  /** The most probable tokens, including the sampled one. */
  readonly top: Readonly<Record<string, number>> | null;
}

export interface Piece {
  readonly text: string;
  /** Tokens that begin in this text; empty without log-probabilities. */
  readonly tokens: readonly ToldToken[];
  readonly finish: "stop" | "length" | null;
  /** The stop string that ended the reply. */
  readonly stop?: string | undefined;
}

export interface Reply extends Sequence {
  /** Tokens generated so far, including those of a stop string. */
  readonly made: number;
}

export function replyTo(
  prompt: readonly number[],
  wanted: Wanted,
  tokenizer: Tokenizer,
  rng: Rng,
  emit: (piece: Piece) => void,
): Reply {
  const { maximumTokens, logprobs, echo, stops } = wanted;
  const stopping = untilStop(stops);
  const last = prompt.length - 1;
  let told: ToldToken[] = [];
  let offset = 0; // offset of the next token
  let sent = 0; // length of the text sent so far
  let made = 0;

  function tell(token: number, logits: Float32Array | undefined): void {
    const text = tokenizer.tokens[token];
    if (logprobs !== undefined) {
      const all = logits && logSoftmax(logits);
      const top = all === undefined ? null : mostProbable(all, logprobs, token, tokenizer);
      told.push({ text, offset, logprob: all?.[token] ?? null, top });
    }
    offset += text.length;
  }

  function send(text: string, finish: Piece["finish"], stop?: string): void {
    sent += text.length;
    const tokens = told.filter((each) => each.offset < sent);
    told = told.slice(tokens.length);
    if (text !== "" || finish !== null) emit({ text, tokens, finish, stop });
  }

  function go(logits: Float32Array): number | undefined {
    if (maximumTokens === 0) {
      send("", "length");
      return undefined;
    }
    const token = nextToken(logits, wanted, rng);
    tell(token, logits);
    made++;
    const { text, stop } = stopping.push(tokenizer.tokens[token]);
    const full = made === maximumTokens;
    if (stop !== undefined) send(text, "stop", stop);
    else if (full) send(text + stopping.rest(), "length");
    else send(text, null);
    return stop !== undefined || full ? undefined : token;
  }

  return {
    prompt,
    tokens: prompt.length + maximumTokens,
    get made() {
      return made;
    },
    read(logits, at) {
      if (echo && at === 0) tell(prompt[0], undefined);
      if (at < last) {
        if (echo) tell(prompt[at + 1], logprobs === undefined ? undefined : logits);
        return undefined;
      }
      if (echo && at === last) send(tokenizer.decode(prompt), null);
      return go(logits);
    },
  };
}

function mostProbable(
  all: Float64Array,
  count: number,
  token: number,
  { tokens }: Tokenizer,
): Readonly<Record<string, number>> {
  const order = Array.from(all.keys()).sort((a, b) => all[b] - all[a] || a - b);
  const named = order.slice(0, count);
  if (!named.includes(token)) named.push(token);
  return Object.fromEntries(named.map((id) => [tokens[id], all[id]]));
}
