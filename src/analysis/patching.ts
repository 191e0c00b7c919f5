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

import { z } from "zod";
import { ratioOfSums } from "../core/cluster-robust.ts";
import { formatCount, percentSign } from "../core/format.ts";
import { shuffled } from "../core/permutations.ts";
import type { Rng } from "../core/rng.ts";
import { defineAnalysis, intervening } from "./analysis.ts";
import { headName, type Part, shortHead } from "./figures.ts";
import type { HeadPlace, PatchedForward, Program, ProgramPair } from "./recording.ts";
import { Interval } from "./seed-aggregate.ts";

const Patching = z.strictObject({
  /** Pairs, and those of which the model prefers the right answer in both programs: only these are patched. */
  pairs: z.int(),
  told: z.int(),
  carried: z.array(
    z.strictObject({
      layer: z.int(),
      head: z.int(),
      site: z.string(),
      token: z.string(),
      share: z.number(),
      /** At 95 %, over pairs. */
      interval: Interval,
    }),
  ),
});
export type Patching = z.infer<typeof Patching>;

/** Each is read once for every head and token: two runs of the model. */
const MOST_PAIRS = 50;

export const patching = defineAnalysis({
  name: "patching",
  summary: "which head carries a difference between two programs, and at which token",
  caution:
    "Patching changes what a head reads, not its memory. A head that carries the state shows only where it is read. Intervals (95 %) are over pairs. Shares need not sum to 1, since several readings may carry the same.",
  found: Patching,
  needs: [intervening("no layer of this model has heads that can be patched")],
  async measure({ recording, heads, askPairs, runsFor, rng, steps }) {
    const pairs = programPairs(recording.programs, MOST_PAIRS, rng.fork("pairs"));
    if (pairs.length === 0) return "no command can be changed for another so that a later answer changes";
    steps.expect((2 + heads.length * patchSites(pairs).length) * runsFor(pairs.length));
    return patchHeads(pairs, heads, await askPairs(pairs));
  },
  part: (found) => (found.carried.length === 0 ? undefined : partOf(found)),
});

/** At most one pair a program: of one of its commands, drawn at random, that can be changed so that an answer changes. */
export function programPairs(programs: readonly Program[], most: number, rng: Rng): ProgramPair[] {
  const next = new Map<string, readonly number[]>();
  const tokensOf = new Map<string, readonly string[]>();
  for (const { letters, states, ends, tokens } of programs) {
    for (const [i, letter] of letters.entries()) {
      next.set(`${states[i]} ${letter}`, states[i + 1]);
      // Counted from the end, since a reveal may be between two commands.
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
export function patchSites(pairs: readonly ProgramPair[]): string[] {
  const rank = (site: string) => ["changed", "commands", "reveals", "asked"].indexOf(site.split(" ")[0]);
  const found = new Set(pairs.flatMap(({ sites }) => sites).filter((site) => site !== BEFORE));
  const place = (site: string) => Number(site.split(" ")[1]) || 0;
  return [...found].toSorted((a, b) => rank(a) - rank(b) || place(a) - place(b));
}

/** A sentence where there is nothing to patch. */
export async function patchHeads(
  pairs: readonly ProgramPair[],
  heads: readonly HeadPlace[],
  ask: PatchedForward,
): Promise<Patching | string> {
  const [program, changed] = [await ask("program"), await ask("changed")];
  const told = pairs.flatMap((_, i) => (program[i] > 0 && changed[i] < 0 ? [i] : []));
  if (told.length < 2) {
    const count = told.length === 0 ? "none" : "one alone";
    return `of ${pairs.length} pairs of programs that differ in one command, the model distinguishes ${count}`;
  }
  const carried: Patching["carried"][number][] = [];
  for (const { layer, head } of heads) {
    for (const site of patchSites(pairs)) {
      const tokens = pairs.map(({ sites }) => sites.flatMap((each, t) => (each === site ? [t] : [])));
      const patched = await ask("changed", { layer, head, tokens });
      const { ratio: share, interval } = ratioOfSums(
        told.map((i) => [patched[i] - changed[i], program[i] - changed[i]] as const),
      );
      const [at = 0, pair = 0] = tokens.flatMap(([t], i) => (t === undefined ? [] : [[t, i]]))[0] ?? [];
      carried.push({ layer, head, site, token: pairs[pair].tokens[at], share, interval });
    }
  }
  return { pairs: pairs.length, told: told.length, carried };
}

const SHOWN = 8;

/** A line's end and a space can be seen. */
const shown = (token: string) => token.trim() || (token.includes("\n") ? "\\n" : "\u2423");

function partOf({ pairs, told, carried }: Patching): Part {
  const sites = [...new Set(carried.map(({ site }) => site))];
  const heads = [...new Set(carried.map(shortHead))];
  const label = (site: string) => {
    const token = carried.find((each) => each.site === site)?.token ?? "";
    if (site.endsWith("between")) return site.startsWith("commands") ? "c…" : "r…";
    return shown(token);
  };
  const ordered = carried.toSorted((a, b) => b.share - a.share);
  const [most] = ordered;
  return {
    heading: "Patching of heads",
    how: [
      "Two programs differ in one command and are cut at the first question with different answers. The model reads the changed program, but at one token the output of one head is taken from the other program. The share carried is how far the difference of the two answers' logits moves from the changed program's (0) to the other's (100 %).",
    ],
    figures: {
      patching: {
        kind: "matrix",
        title: "Carried by one head at one token (%)",
        rowLabel: "layer.head",
        columnLabel:
          "tokens of the changed command; commands (c…) and reveals (r…) between; tokens up to the answer",
        rows: heads,
        columns: sites.map(label),
        cells: heads.map((head) =>
          sites.map((site) => {
            const found = carried.find((each) => shortHead(each) === head && each.site === site);
            return found && 100 * found.share;
          }),
        ),
        ...{ from: 0, to: 100, digits: 0 },
      },
    },
    caption: `${formatCount(told, "pair")} that the model distinguishes, of ${pairs}.`,
    table: {
      columns: ["layer.head", "where", "token", "carried (95 %)"],
      rows: ordered
        .slice(0, SHOWN)
        .map((each) => [
          shortHead(each),
          each.site,
          shown(each.token),
          `${percentSign(each.share)} (${each.interval.map((edge) => (100 * edge).toFixed(1)).join(" to ")})`,
        ]),
    },
    meaning: [
      most.share < 0.5
        ? `No head carries half of the difference at one token: the maximum is ${percentSign(most.share)}, ${headName(most)} at ${most.site}. Several heads or tokens carry it, or another path does.`
        : `${headName(most)} carries ${percentSign(most.share)} of the difference at one token, ${most.site} ("${shown(most.token)}"). ${most.site.startsWith("asked") ? "That head's memory keeps the command until the question." : "The difference leaves that head there, before the question."}`,
    ],
  };
}
