/**
 * @file The adversary: which commands and answers make marginals most wrong about what the exact filter is certain of?
 *
 *     maybe swap a, b    answer "a is 1"       maybe swap a, b    answer "a is 1"       …    what is b?
 *     exact    2, for certain: every swap was undone or never made
 *     row      2 with probability 1/2, 1/4, 1/8, …: nothing ever takes the 1 away from b
 *
 * The error of a sequence is −ln of what the marginals give to an answer that the exact filter gives probability 1;
 * answers are chosen by the adversary too, among those that are possible. Beam search: of all one event longer
 * sequences those are kept whose error is largest, and those whose rows are furthest from the exact ones,
 * Σ_i Σ_j P_ij ln(P_ij / M_ij), which may become errors. Sequences of the same numbers up to names count once.
 * What is found is a lower bound: there may be worse.
 */

import type { Shares } from "../../core/automata.ts";
import type { Event, Machine } from "../../core/hidden-markov.ts";
import { permutationMachine } from "../../core/permutation-walk.ts";
import type { PartsDone } from "../../core/progress.ts";
import { type Rng, rngFrom } from "../../core/rng.ts";
import type { Filter } from "./filter.ts";
import { exactFilter, swapWalk } from "./filter.ts";
import { type MarginalRule, type Marginals, marginalFilter } from "./marginal.ts";

export interface AdversaryOptions {
  readonly variables: number;
  /** p: of each swap. */
  readonly probability: number;
  readonly rule: MarginalRule;
  /** Events: commands and answers together. */
  readonly length: number;
  /** Sequences kept of each length. */
  readonly beam: number;
  readonly seed: number;
}

/** A sequence after which the exact filter is certain of an answer, and what the marginals say of it. */
export interface Mistake {
  readonly length: number;
  readonly events: readonly Event[];
  /** Asked: what does this variable hold? Certain: this value, both from 0. */
  readonly variable: number;
  readonly value: number;
  /** The probability of that value under the marginals, and −ln of it. */
  readonly share: number;
  readonly error: number;
}

export interface MarginalAdversary {
  readonly setting: AdversaryOptions;
  /** The worst of at most so many events, for each length at which something worse than before was found. */
  readonly growth: readonly Mistake[];
  /** Nats an event between half of the length and the whole: above 0 the error grows with no end in sight. */
  readonly nearSlope: number;
}

export function marginalAdversary(options: AdversaryOptions): MarginalAdversary {
  const steps = marginalAdversarySteps(options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same, with a stop after each length. */
export function* marginalAdversarySteps(options: AdversaryOptions): Generator<PartsDone, MarginalAdversary> {
  const { variables, probability, rule, length, beam, seed } = options;
  const walk = swapWalk(variables, probability);
  const machine = permutationMachine(walk);
  const search = searchOf(machine, exactFilter(machine), marginalFilter(walk, rule));
  const rng = rngFrom(seed).fork(`adversary ${rule} ${variables}`);
  let kept: Sequence[] = [search.first];
  const growth: Mistake[] = [];
  for (let at = 1; at <= length; at++) {
    kept = bestOf(kept.flatMap(search.longer), beam, rng);
    const worst = kept.reduce((one, other) => (other.error > one.error ? other : one));
    if (worst.error > (growth.at(-1)?.error ?? 1e-9)) growth.push(search.mistakeOf(worst, at));
    yield { done: at, of: length };
  }
  const errorAt = (most: number) => growth.findLast((mistake) => mistake.length <= most)?.error ?? 0;
  const half = Math.floor(length / 2);
  return { setting: options, growth, nearSlope: (errorAt(length) - errorAt(half)) / (length - half) };
}

interface Sequence {
  readonly shares: Shares;
  readonly marginals: Marginals;
  readonly last?: { readonly event: Event; readonly before: Sequence };
  /** The largest −ln share of what is certain. */
  readonly error: number;
  /** The larger of this error and that of one event before: a command makes uncertain what an answer can bring back. */
  readonly recent: number;
  /** Σ_i Σ_j P_ij ln(P_ij / M_ij). */
  readonly distance: number;
  /** The same for sequences that are the same but for names. */
  readonly key: string;
}

const CERTAIN = 1 - 1e-12;

function searchOf(machine: Machine, exact: Filter<Shares>, marginal: Filter<Marginals>) {
  const variables = Array.from(machine.questions.keys());
  const rowsOf = (shares: Shares, marginals: Marginals) =>
    variables.map((variable) => ({
      variable,
      true: exact.answers(shares, variable),
      said: marginal.answers(marginals, variable),
    }));
  const judged = (shares: Shares, marginals: Marginals, last?: Sequence["last"]): Sequence => {
    let error = 0;
    let distance = 0;
    for (const row of rowsOf(shares, marginals)) {
      for (const [value, share] of row.true.entries()) {
        if (share === 0) continue;
        const nats = -Math.log(row.said[value]);
        distance += share * (Math.log(share) + nats);
        if (share > CERTAIN) error = Math.max(error, nats);
      }
    }
    const key = [keyOf(shares), keyOf(marginals)].join();
    const recent = Math.max(error, last?.before.error ?? 0);
    return { shares, marginals, ...(last && { last }), error, recent, distance, key };
  };
  return {
    first: judged(exact.start, marginal.start),
    /** All sequences of one event more. */
    longer(before: Sequence): Sequence[] {
      const { shares, marginals } = before;
      const acted = machine.actions.map((_, action) =>
        judged(exact.act(shares, action), marginal.act(marginals, action), {
          event: { kind: "act", action },
          before,
        }),
      );
      const answered = variables.flatMap((question) =>
        Array.from(exact.answers(shares, question), (share, answer) =>
          share === 0
            ? []
            : [
                judged(
                  exact.observe(shares, question, answer),
                  marginal.observe(marginals, question, answer),
                  {
                    event: { kind: "reveal", question, answer },
                    before,
                  },
                ),
              ],
        ).flat(),
      );
      return [...acted, ...answered];
    },
    mistakeOf(sequence: Sequence, length: number): Mistake {
      const certain = rowsOf(sequence.shares, sequence.marginals).flatMap((row) => {
        const value = row.true.findIndex((share) => share > CERTAIN);
        return value < 0 ? [] : [{ variable: row.variable, value, share: row.said[value] }];
      });
      const worst = certain.reduce((one, other) => (other.share < one.share ? other : one));
      return { length, events: eventsOf(sequence), ...worst, error: -Math.log(worst.share) };
    },
  };
}

/** The numbers alone, in order of size, to ten digits. */
function keyOf(numbers: Shares): string {
  return Array.from(numbers, (number) => number.toPrecision(10))
    .filter((text) => Number(text) > 0)
    .toSorted()
    .join();
}

function eventsOf(sequence: Sequence): Event[] {
  const events: Event[] = [];
  for (let at = sequence.last; at !== undefined; at = at.before.last) events.push(at.event);
  return events.reverse();
}

/** Half by recent error and half by distance; among equals the seed decides. */
function bestOf(sequences: readonly Sequence[], count: number, rng: Rng): Sequence[] {
  const different = new Map(sequences.map((sequence) => [sequence.key, sequence]));
  const ranked = Array.from(different.values(), (sequence) => ({ sequence, lot: rng.next() }));
  const by = (measure: "recent" | "distance") =>
    ranked
      .toSorted((one, other) => other.sequence[measure] - one.sequence[measure] || one.lot - other.lot)
      .slice(0, Math.ceil(count / 2))
      .map(({ sequence }) => sequence);
  return [...new Set([...by("recent"), ...by("distance")])];
}
