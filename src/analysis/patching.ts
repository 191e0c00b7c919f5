/**
 * @file Which head carries a difference, and at which token: two programs that differ in one command, and a reading in
 * between.
 *
 *     program    ... a, b = b, a   ...  print('a', a)\na      the answer is 2
 *     changed    ... a, c = c, a   ...  print('a', a)\na      the answer is 3; all reveals before it are the same
 *     D          logit of the program's answer less that of the changed one's
 *     patched    the changed program is read, but at one token one head reads what it reads there in the program
 *     carried    Σ (D(patched) - D(changed)) / Σ (D(program) - D(changed))          over pairs
 *
 * 1: that reading alone turns the answer from one into the other; 0: it does not matter. Readings that say the same may
 * each carry all, and readings that work together none, so the numbers need not add up to 1.
 * Source: Meng et al. 2022, arXiv:2202.05262; Heimersheim and Nanda 2024, arXiv:2404.15255 (logit differences).
 */

import { shuffled } from "../math/permutations.ts";
import type { Rng } from "../math/rng.ts";
import type { HeadPlace } from "./ablation.ts";
import { bootstrapDifference } from "./bootstrap.ts";
import type { Program } from "./recording.ts";
import type { Interval } from "./seeds.ts";

export interface ProgramPair {
  readonly tokens: readonly string[];
  readonly changed: readonly string[];
  /** Where both are asked: the first question whose answers differ. */
  readonly position: number;
  readonly answer: number;
  readonly changedAnswer: number;
  /** Of each token up to there: the place that it stands at, one of `sitesOf`. */
  readonly sites: readonly string[];
}

export type Patch = HeadPlace & {
  /** Of each pair, the tokens at which the head reads as in the program. */
  readonly tokens: readonly (readonly number[])[];
};

/** Lets the model read one of the two programs of every pair, and answers D for each. */
export type AskPairs = (
  which: "program" | "changed",
  patch?: Patch,
) => Promise<readonly number[]> | readonly number[];

export interface Patching {
  /** Pairs, and those of which the model prefers the right answer in both programs: only these are patched. */
  readonly pairs: number;
  readonly told: number;
  readonly carried: readonly (HeadPlace & {
    readonly site: string;
    readonly token: string;
    readonly share: number;
    /** At 95 %, over pairs. */
    readonly interval: Interval;
  })[];
}

/** At most one pair a program: of one of its commands, drawn at random, that can be changed so that an answer changes. */
export function programPairs(programs: readonly Program[], most: number, rng: Rng): ProgramPair[] {
  const next = new Map<string, readonly number[]>();
  const tokensOf = new Map<string, readonly string[]>();
  for (const { letters, states, ends, tokens } of programs) {
    for (const [i, letter] of letters.entries()) {
      next.set(`${states[i]} ${letter}`, states[i + 1]);
      // From behind, since what stands between two commands may be a reveal.
      const length = lengthOf(letter, tokens, ends[i + 1]);
      if (length > 0) tokensOf.set(letter, tokens.slice(ends[i + 1] + 1 - length, ends[i + 1] + 1));
    }
  }
  const pairs: ProgramPair[] = [];
  for (const program of programs) {
    if (pairs.length === most) break;
    const order = shuffled([...program.letters.keys()], rng);
    for (const command of order) {
      const own = tokensOf.get(program.letters[command]);
      const others = [...tokensOf].filter(
        ([letter, tokens]) => letter !== program.letters[command] && tokens.length === own?.length,
      );
      if (own === undefined || others.length === 0) continue;
      const [letter, tokens] = others[rng.below(others.length)];
      const pair = pairOf(program, command, { letter, tokens }, next);
      if (pair === undefined) continue;
      pairs.push(pair);
      break;
    }
  }
  return pairs;
}

function pairOf(
  program: Program,
  command: number,
  { letter, tokens }: { readonly letter: string; readonly tokens: readonly string[] },
  next: ReadonlyMap<string, readonly number[]>,
): ProgramPair | undefined {
  const { states, ends, letters, questions, commands, places, classes } = program;
  const after = new Map<number, readonly number[]>();
  let state: readonly number[] | undefined = states[command];
  for (let i = command; i < letters.length; i++) {
    state = next.get(`${state} ${i === command ? letter : letters[i]}`);
    if (state === undefined) break; // a transition that no program shows
    after.set(i + 1, state);
  }
  const end = ends[command + 1];
  const question = questions.find(({ position, variable, value }) => {
    const changed = after.get(commands[position]);
    return position >= end && changed !== undefined && changed[variable] !== value;
  });
  if (question === undefined || end >= program.tokens.length) return undefined;
  const { position, variable, value: answer } = question;
  const changedAnswer = after.get(commands[position])![variable]; // it was found there
  const from = end + 1 - tokens.length;
  const asked = position - places[position];
  const sites = program.tokens.slice(0, position + 1).map((_, t) => {
    if (t < from) return BEFORE;
    if (t <= end) return `changed ${t - from}`;
    return t >= asked ? `asked ${t - asked}` : `${classes[t]}s between`;
  });
  const changed = [...program.tokens.slice(0, from), ...tokens, ...program.tokens.slice(end + 1)];
  return { tokens: program.tokens, changed, position, answer, changedAnswer, sites };
}

/** Both programs are the same there: nothing can be carried. */
const BEFORE = "before";

/** Tokens of a command that ends at `end`; 0 where its text is not that of whole tokens. */
function lengthOf(letter: string, tokens: readonly string[], end: number): number {
  let text = "";
  for (let length = 1; length <= end + 1; length++) {
    text = tokens[end + 1 - length] + text;
    if (text === letter) return length;
    if (text.length >= letter.length) return 0;
  }
  return 0;
}

/** Sites in the order of a program: the changed command's tokens, what is between, the tokens up to the answer. */
export function sitesOf(pairs: readonly ProgramPair[]): string[] {
  const rank = (site: string) => ["changed", "commands", "reveals", "asked"].indexOf(site.split(" ")[0]);
  const found = new Set(pairs.flatMap(({ sites }) => sites).filter((site) => site !== BEFORE));
  const place = (site: string) => Number(site.split(" ")[1]) || 0;
  return [...found].toSorted((a, b) => rank(a) - rank(b) || place(a) - place(b));
}

/** A sentence where there is nothing to patch. */
export async function patchHeads(
  pairs: readonly ProgramPair[],
  heads: readonly HeadPlace[],
  ask: AskPairs,
  rng: Rng,
): Promise<Patching | string> {
  if (pairs.length === 0) return "no command can be changed for another so that a later answer changes";
  const [program, changed] = [await ask("program"), await ask("changed")];
  const told = pairs.flatMap((_, i) => (program[i] > 0 && changed[i] < 0 ? [i] : []));
  if (told.length === 0) {
    return `of ${pairs.length} pairs of programs that differ in one command the model tells none apart`;
  }
  const carried: Patching["carried"][number][] = [];
  for (const { layer, head } of heads) {
    for (const site of sitesOf(pairs)) {
      const tokens = pairs.map(({ sites }) => sites.flatMap((each, t) => (each === site ? [t] : [])));
      const patched = await ask("changed", { layer, head, tokens });
      const { difference: share, interval } = bootstrapDifference(
        told.map((i) => ({ asked: program[i] - changed[i], rightA: changed[i], rightB: patched[i] })),
        { rng: rng.fork(`${layer} ${head} ${site}`), draws: 400 },
      );
      const [at = 0, pair = 0] = tokens.flatMap(([t], i) => (t === undefined ? [] : [[t, i]]))[0] ?? [];
      carried.push({ layer, head, site, token: pairs[pair].tokens[at], share, interval });
    }
  }
  return { pairs: pairs.length, told: told.length, carried };
}
