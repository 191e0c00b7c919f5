/**
 * @file Where a Transformer looks: the attention of each head, over one program and from where the model is asked.
 *
 *     a_ts = e^(q_t' k_s) / sum_{r <= t} e^(q_t' k_r),  s <= t       q and k as they are tapped: turned, q over sqrt(dk)
 *
 *     >>> a = 1 ... c = 3            initialisation
 *     >>> print('c', c)  c 3         oldReveals         all that are none of those below
 *     >>> a, b = b, a                oldCommands
 *     >>> print('a', a)  a 2         variableReveal     of the asked variable the last: what it held then
 *     >>> b, c = c, b                commandsSince      what has moved it since, if it was moved
 *     >>> print('b', b)  b 3         answerReveal       of the right answer the last, if that is another reveal
 *     >>> a, b = b, a                lastCommand        with the state after it, if the model keeps one
 *     >>> print('c', c)  c 1         freshReveals       nothing has happened since: they still hold
 *     >>> print('a', a)  a           question           answered by 3
 *
 * Source: Vaswani et al. 2017, arXiv:1706.03762.
 */

import { dot } from "../math/linear-algebra.ts";
import type { HeadPlace } from "./ablation.ts";
import { type Program, type Question, type Recording, rowAt, type Tap } from "./recording.ts";

/** The parts of a program, as they lie to a question. */
export const attendedParts = [
  "question",
  "lastCommand",
  "commandsSince",
  "oldCommands",
  "freshReveals",
  "variableReveal",
  "answerReveal",
  "oldReveals",
  "initialisation",
] as const;
export type AttendedPart = (typeof attendedParts)[number];

export interface AttentionOfHead extends HeadPlace {
  /** For each of `parts` the mean share of attention, over the questions that have such a part. */
  readonly shares: readonly number[];
  /** Equally attended tokens of the same entropy: e^H, its geometric mean over questions. */
  readonly spread: number;
  /** map[t][s] is the attention of token t of the sample to its token s <= t, to four decimals. */
  readonly map: readonly (readonly number[])[];
}

export interface Attention {
  readonly questions: number;
  /** Those that some question has, with the share that they get where all tokens get the same. */
  readonly parts: readonly {
    readonly name: AttendedPart;
    readonly questions: number;
    readonly uniform: number;
  }[];
  /** Tokens up to the question, their geometric mean: the spread where all tokens get the same. */
  readonly tokens: number;
  /** The piece of the first program that is mapped. What stands before it is attended too, but not drawn. */
  readonly sample: {
    /** Its first token's place in the program. */
    readonly from: number;
    readonly tokens: readonly string[];
    /** Where a command, or a reveal, or a line of the initialisation begins. */
    readonly starts: readonly number[];
    /** Tokens at which the model is asked. */
    readonly questions: readonly number[];
  };
  readonly heads: readonly AttentionOfHead[];
}

/** So long a piece can still be read on a page. */
export const MAPPED = 64;
/** Enough for shares to a percent; the first programs, since all are drawn alike. */
const MOST_QUESTIONS = 2000;

/** `layers` are those of attention: others may tap queries and keys, too. Yields before each head. */
export function* attentionOf(
  recording: Recording,
  layers: readonly number[],
): Generator<HeadPlace, Attention | string> {
  const { programs, taps } = recording;
  if (layers.length === 0) return "no layer of this model is attention: they carry a state instead";
  const asked = programs
    .flatMap(({ questions }, program) => questions.map((_, which) => ({ program, which })))
    .slice(0, MOST_QUESTIONS)
    .map(({ program, which }) => ({ program, parts: partsBefore(programs[program], which) }));
  if (asked.length === 0) return "nothing is asked in these programs";
  const having = attendedParts.map((_, part) => asked.filter(({ parts }) => parts.includes(part)).length);
  const present = attendedParts.flatMap((_, part) => (having[part] > 0 ? [part] : []));
  /** Means over questions of what each part gets of `rowOf`, whose numbers sum to 1. */
  const read = (rowOf: (program: number, token: number) => Float64Array) => {
    const sums = attendedParts.map(() => 0);
    let entropy = 0;
    for (const { program, parts } of asked) {
      for (const [s, share] of rowOf(program, parts.length - 1).entries()) {
        sums[parts[s]] += share;
        if (share > 0) entropy -= share * Math.log(share);
      }
    }
    return {
      shares: present.map((part) => sums[part] / having[part]),
      spread: Math.exp(entropy / asked.length),
    };
  };
  const uniform = read((_, token) => new Float64Array(token + 1).fill(1 / (token + 1)));
  const sample = sampleOf(programs[0]);
  const heads: AttentionOfHead[] = [];
  for (const layer of layers) {
    const [query, key] = [taps[`layers.${layer}.query`], taps[`layers.${layer}.key`]];
    for (let head = 0; head < query.shape[2]; head++) {
      yield { layer, head };
      const rowOf = (program: number, token: number) => attentionRow(query, key, { program, token, head });
      const map = sample.tokens.map((_, t) =>
        Array.from(rowOf(0, sample.from + t).subarray(sample.from), (share) => Number(share.toFixed(4))),
      );
      heads.push({ layer, head, ...read(rowOf), map });
    }
  }
  return {
    questions: asked.length,
    parts: present.map((part, i) => ({
      name: attendedParts[part],
      questions: having[part],
      uniform: uniform.shares[i],
    })),
    tokens: uniform.spread,
    sample,
    heads,
  };
}

/** What one head at one token gives to each token up to it. */
export function attentionRow(
  query: Tap,
  key: Tap,
  { program, token, head }: { readonly program: number; readonly token: number; readonly head: number },
): Float64Array {
  const own = rowAt(query, program, token, head);
  const row = Float64Array.from({ length: token + 1 }, (_, s) => dot(own, rowAt(key, program, s, head)));
  const largest = row.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY); // e^1000 would overflow
  const total = row.reduce((sum, score) => sum + Math.exp(score - largest), 0);
  return row.map((score) => Math.exp(score - largest) / total);
}

/** For each token up to a question its part, as an index of `attendedParts`. */
export function partsBefore({ classes, places, commands, questions }: Program, which: number): Uint8Array {
  const { position, variable, value } = questions[which];
  const lineOf = (t: number) => t - places[t];
  const commandsBefore = (t: number) => (t === 0 ? 0 : Math.max(0, commands[t - 1]));
  // What is asked inside a command is not written: there is nothing to read where it was asked before.
  const reveals = questions.slice(0, which).filter((earlier) => classes[earlier.position] === "reveal");
  const lineWhere = (matches: (reveal: Question) => boolean) => {
    const last = reveals.findLast(matches);
    return last === undefined ? -1 : lineOf(last.position);
  };
  const variableLine = lineWhere((reveal) => reveal.variable === variable);
  const answerLine = lineWhere((reveal) => reveal.value === value);
  const line = lineOf(position);
  const partOf = (t: number): AttendedPart => {
    const own = lineOf(t);
    if (own === line) return "question";
    switch (classes[t]) {
      case "initialisation":
        return "initialisation";
      case "reveal":
        if (commandsBefore(own) === commandsBefore(line)) return "freshReveals";
        if (own === variableLine) return "variableReveal";
        return own === answerLine ? "answerReveal" : "oldReveals";
      case "command":
        if (commandsBefore(own) === commandsBefore(line) - 1) return "lastCommand";
        return own > variableLine ? "commandsSince" : "oldCommands";
      default:
        return classes[t] satisfies never;
    }
  };
  return Uint8Array.from({ length: position + 1 }, (_, t) => attendedParts.indexOf(partOf(t)));
}

/** From the first token, or so late that the first question is in it. */
function sampleOf({ tokens, places, questions }: Program): Attention["sample"] {
  const from = Math.max(0, (questions[0]?.position ?? 0) + 1 - MAPPED);
  const to = Math.min(tokens.length, from + MAPPED);
  const inside = (t: number) => (t >= from && t < to ? [t - from] : []);
  return {
    from,
    tokens: tokens.slice(from, to),
    starts: places.flatMap((place, t) => (place === 0 ? inside(t) : [])),
    questions: questions.flatMap(({ position }) => inside(position)),
  };
}
