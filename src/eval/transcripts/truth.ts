/**
 * @file Claims held against a recorded run: which state each speaks of, and whether it is that.
 *
 *     visits     every run of a line, in order, with the moment at which it was over
 *     places     a line with its time, a step, a moment are exact; of a line alone, the visits are chosen, in order, with which most claims hold:
 *                a visit that is passed over costs half a claim
 *     order      no place is named anywhere: the n-th step with claims is held against the n-th visit
 */

import type { Claim, ClaimPlace, JudgedClaim, TranscriptStep } from "../../records/transcript.ts";
import { type Recording, writesOf } from "../../trace/debug/index.ts";
import { pythonLiteral } from "../../trace/literal.ts";
import { sameValue } from "./reading.ts";

export interface Visit {
  readonly line: number;
  /** How often the line has run, with this time. */
  readonly time: number;
  readonly activation: number;
  /** The event at which the line was over. */
  readonly done: number;
}

export interface Held {
  readonly claims: readonly JudgedClaim[];
  readonly aligned: "places" | "order" | "none";
  /** Of each claim, names that its true value was made of. */
  readonly madeOf: readonly (readonly string[])[];
  /** What all names that are claimed anywhere hold at a step; where it speaks of no state that there is, at the last one before it that does. */
  stateAt(step: number): Readonly<Record<string, string>>;
}

/** Every run of a line, from the call on: of a program without one, from its beginning. */
export function visitsOf(run: Recording): Visit[] {
  const times = new Map<number, number>();
  const visits: Visit[] = [];
  const nested = run.events.slice(run.record.began).some(({ event }) => event === "line");
  for (let moment = nested ? run.record.began : 0; moment < run.length; moment++) {
    const { event, line, activation } = run.events[moment];
    if (event !== "line") continue;
    const own = run.momentsOf(activation);
    const done = own.find((each) => each > moment);
    if (done === undefined) continue;
    const time = (times.get(line) ?? 0) + 1;
    times.set(line, time);
    visits.push({ line, time, activation, done });
  }
  return visits;
}

export function heldAgainst(run: Recording, steps: readonly TranscriptStep[]): Held {
  const visits = visitsOf(run);
  const source = new Set(run.lines.map((line) => bare(line)));
  const claiming = steps
    .map((step) => ({ step: step.index, claims: step.claims.filter((claim) => !isQuoted(claim, source)) }))
    .filter(({ claims }) => claims.length > 0);
  const isPlaced = claiming.some(({ claims }) => claims.some(({ place }) => place !== null && !place.end));
  const truth = truthOf(run);
  const chosen = isPlaced ? placed(truth, visits, claiming) : ordered(visits, claiming);
  const judged = claiming.flatMap(({ step, claims }, i) =>
    claims.map((claim) => {
      const at = claim.place?.end
        ? "end"
        : claim.place?.moment !== undefined
          ? claim.place.moment
          : chosen[i];
      return truth.judge(step, claim, at);
    }),
  );
  return {
    claims: judged.map(({ claim }) => claim),
    madeOf: judged.map(({ madeOf }) => madeOf),
    aligned: judged.length === 0 ? "none" : isPlaced ? "places" : "order",
    stateAt(step) {
      const moment = judged.findLast(({ claim }) => claim.step <= step && claim.moment !== null)?.claim
        .moment;
      if (moment == null) return {};
      const { activation } = run.stackAt(moment);
      const literals = run.literals(moment);
      const names = new Set(judged.map(({ claim }) => claim.name));
      return Object.fromEntries(
        [...names].flatMap((name) => {
          const key = run.keyOf(moment, activation, name);
          return key === undefined ? [] : [[name, literals[key]]];
        }),
      );
    },
  };
}

const bare = (text: string) => text.replaceAll(/\s+/g, "");
const isQuoted = ({ quoted, name, value }: Claim, source: ReadonlySet<string>) =>
  quoted === true && source.has(bare(`${name}=${value}`));

interface Claiming {
  readonly step: number;
  readonly claims: readonly Claim[];
}
/** A visit; `never`: the line does not run (so often); undefined: nothing tells which. */
type Place = Visit | "never" | undefined;

const ordered = (visits: readonly Visit[], claiming: readonly Claiming[]): Place[] =>
  claiming.map((_, i) => visits[i] ?? "never");

/** A claim more that holds is worth as much as two visits that are passed over. */
const PASSED_OVER = 0.5;

/** The best choice by dynamic programming over the visits in order; those with an exact place are where they are. */
function placed(run: Truth, visits: readonly Visit[], claiming: readonly Claiming[]): Place[] {
  const chosen: Place[] = claiming.map(() => undefined);
  let open: number[] = [];
  let from = -1;
  const settle = (to: number) => {
    const found = between(
      run,
      visits,
      open.map((i) => claiming[i]),
      from,
      to,
    );
    for (const [i, place] of found.entries()) chosen[open[i]] = place;
    open = [];
  };
  for (const [i, { claims }] of claiming.entries()) {
    const place = placeOf(claims);
    if (place === undefined || place.moment !== undefined) continue;
    if (place.step !== undefined) {
      const visit = visits[place.step - 1];
      settle(visit === undefined ? visits.length : place.step - 1);
      chosen[i] = visit ?? "never";
      if (visit !== undefined) from = place.step - 1;
    } else if (place.time !== undefined) {
      const at = visits.findIndex(({ line, time }) => line === place.line && time === place.time);
      settle(at === -1 ? visits.length : at);
      chosen[i] = at === -1 ? "never" : visits[at];
      if (at !== -1) from = at;
    } else open.push(i);
  }
  settle(visits.length);
  return chosen;
}

const placeOf = (claims: readonly Claim[]): ClaimPlace | undefined =>
  claims.find(({ place }) => place !== null && !place.end)?.place ?? undefined;

/**
 * Of steps that name a line alone, the visits behind `from` and not behind `to`, each later than the one before:
 *
 *     worth[i][k] = claims that hold + max over j of (worth[i-1][j] - visits of the line between / 2)
 */
function between(
  run: Truth,
  visits: readonly Visit[],
  claiming: readonly Claiming[],
  from: number,
  to: number,
): Place[] {
  const most = Math.max(20, Math.min(400, Math.floor(MOST_LOOKS / (claiming.length + 1))));
  const chosen: Place[] = claiming.map(() => "never");
  const reached: { step: number; options: number[]; worth: number[]; before: number[] }[] = [];
  for (const [step, { claims }] of claiming.entries()) {
    const { line } = placeOf(claims) ?? {};
    const options = visits
      .flatMap((visit, at) => (visit.line === line && at > from && at <= to ? [at] : []))
      .slice(0, most);
    const previous = reached.at(-1);
    let [next, passed] = [0, 0];
    let best =
      previous === undefined ? { worth: 0, from: -1 } : { worth: Number.NEGATIVE_INFINITY, from: -1 };
    const worth: number[] = [];
    const before: number[] = [];
    for (const [k, at] of options.entries()) {
      for (
        ;
        previous !== undefined && next < previous.options.length && previous.options[next] < at;
        next++
      ) {
        while (passed < options.length && options[passed] <= previous.options[next]) passed++;
        const here = previous.worth[next] + PASSED_OVER * passed;
        if (here > best.worth) best = { worth: here, from: next };
      }
      const holds = claims.filter(
        (claim) => run.judge(0, claim, visits[at]).claim.verdict === "right",
      ).length;
      worth.push(best.worth + holds - PASSED_OVER * k);
      before.push(best.from);
    }
    if (worth.some((each) => each > Number.NEGATIVE_INFINITY)) reached.push({ step, options, worth, before });
  }
  let choice = -1;
  for (const { step, options, worth, before } of reached.toReversed()) {
    if (choice < 0) choice = worth.indexOf(Math.max(...worth));
    chosen[step] = visits[options[choice]];
    choice = before[choice];
  }
  return chosen;
}

/** Claims held against visits, in all. */
const MOST_LOOKS = 1_000_000;

interface Judgement {
  readonly claim: JudgedClaim;
  readonly madeOf: readonly string[];
}
interface Truth {
  judge(step: number, claim: Claim, place: Place | "end" | number): Judgement;
}

/** What is read of the recording is kept: many claims are held against one moment. */
function truthOf(run: Recording): Truth {
  const kept = new Map<number, Readonly<Record<string, string>>>();
  const literalsAt = (moment: number) => {
    const found = kept.get(moment) ?? run.literals(moment);
    kept.set(moment, found);
    return found;
  };
  return {
    judge(step, claim, place) {
      const { name, value } = claim;
      const said = (
        verdict: JudgedClaim["verdict"],
        truth: string | null = null,
        moment: number | null = null,
        sources: readonly string[] = [],
      ): Judgement => ({ claim: { step, name, value, truth, verdict, moment }, madeOf: sources });
      if (name === "return") {
        if (run.record.reason !== null) return said("unknown");
        const truth = pythonLiteral(run.record.result);
        const { line } = run.events[run.length - 1];
        const sources = run.statementsAt(line).flatMap(({ reads }) => reads);
        return said(verdictOf(value, truth), truth, run.length - 1, sources);
      }
      if (place === undefined || place === "end") return said("unknown");
      if (place === "never") return said("wrong");
      const moment = typeof place === "number" ? place : place.done;
      if (moment >= run.length) return said("wrong");
      const { activation } = typeof place === "number" ? run.stackAt(moment) : place;
      const key = run.keyOf(moment, activation, name);
      if (key === undefined) return said("unknown");
      const truth = literalsAt(moment)[key];
      return said(verdictOf(value, truth), truth, moment, madeOf(run, moment, key));
    },
  };
}

function verdictOf(value: string, truth: string): JudgedClaim["verdict"] {
  const same = sameValue(value, truth);
  return same === undefined ? "unreadable" : same ? "right" : "wrong";
}

/** The names that the value was made of where it was last written. */
function madeOf(run: Recording, moment: number, key: string): string[] {
  const write = writesOf(run, key).findLast((each) => each.moment <= moment);
  const name = key.slice(key.indexOf(".") + 1);
  return write === undefined
    ? []
    : run
        .statementsAt(write.line)
        .flatMap(({ assigns, reads }) => assigns.find(([bound]) => bound === name)?.[1] ?? reads);
}
