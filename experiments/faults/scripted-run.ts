/**
 * @file Runs of a scripted policy that carries a program's state along in words, with one fault put in, and ways to deceive who looks for it.
 *
 *     plain       a value is wrong from one step on
 *     mended      the fault is noticed some steps later, and the state is right again: nothing is lost
 *     slip        an earlier step misspeaks and the next one corrects it; the fault comes later
 *     flicker     behind the fault the truth is said for a step or two, while the wrong state is carried on
 *     gaps        steps are passed over in silence, around the fault too
 *     reader      the policy reads each subtraction as an addition: it will do so again
 *
 * Where the state is lost is known without reading a word: `lostAt` is the definition, taken literally, over what was claimed.
 */

import type { Rng } from "../../src/math/rng.ts";
import type { Program, State } from "./scripted-program.ts";

export const deceptions = ["plain", "mended", "slip", "flicker", "gaps", "reader"] as const;
export type Deception = (typeof deceptions)[number];

/** What is said after one visit: names and values. */
export interface Saying {
  readonly visit: number;
  readonly claims: State;
}

export interface ScriptedRun {
  readonly deception: Deception;
  readonly sayings: readonly Saying[];
  /** The policy's own state after each visit. */
  readonly carried: readonly State[];
  readonly truth: readonly State[];
  /** An index of `sayings`; null where the state is not lost. */
  readonly lostAt: number | null;
}

export function scriptedRun(
  program: Program,
  deception: Deception,
  isGapless: boolean,
  rng: Rng,
): ScriptedRun {
  const { visits } = program;
  const truth = carriedBy(program, {}, 0, () => false).map(({ state }) => state);
  const at = 3 + rng.fork("at").below(Math.max(1, visits.length - 5));
  const wrong = visits[at].writes[0] ?? "a";
  const off = 1 + rng.fork("off").below(7);
  const mends = at + 1 + rng.fork("mends").below(3);
  const carried: State[] = [];
  for (const [i, visit] of visits.entries()) {
    let state = visit.apply(carried[i - 1] ?? {}, deception === "reader");
    if (i === at && deception !== "reader") state = { ...state, [wrong]: (state[wrong] ?? 0) + off };
    if (deception === "mended" && i === Math.min(mends, visits.length - 1)) state = truth[i];
    carried.push(state);
  }
  const sayings = visits.flatMap((visit, i): Saying[] => {
    const each = rng.fork("say").fork(i);
    const isGap =
      !isGapless && i > 0 && i < visits.length - 1 && each.next() < (deception === "gaps" ? 0.45 : 0.1);
    if (isGap) return [];
    const state = said(i);
    const names = Object.keys(state).filter(
      (name) => visit.writes.includes(name) || i === visits.length - 1 || each.fork(name).next() < 0.6,
    );
    return names.length === 0
      ? []
      : [{ visit: i, claims: Object.fromEntries(names.map((name) => [name, state[name]])) }];
  });
  function said(i: number): State {
    if (deception === "slip" && i === at - 2) return { ...carried[i], a: carried[i].a + off + 1 };
    if (deception === "slip" && i === at - 1) return carried[i];
    if (deception === "flicker" && (i === at + 2 || i === at + 3) && i < visits.length - 1) return truth[i];
    return carried[i];
  }
  return { deception, sayings, carried, truth, lostAt: lostAt(sayings, truth) };
}

/** Goes on from a state that it is given, behind a visit. One fault was put in: a `reader` makes its own again. */
export function carriedBy(
  { visits }: Program,
  start: State,
  from: number,
  isMistaken: () => boolean,
): { readonly state: State }[] {
  const states: { state: State }[] = [];
  let state = start;
  for (const visit of visits.slice(from)) {
    state = visit.apply(state, isMistaken());
    states.push({ state });
  }
  return states;
}

/** The first saying from which on the last word on some name is always wrong. */
function lostAt(sayings: readonly Saying[], truth: readonly State[]): number | null {
  const isRight = (index: number) => {
    const last = new Map<string, boolean>();
    for (const { visit, claims } of sayings.slice(0, index + 1))
      for (const [name, value] of Object.entries(claims)) last.set(name, truth[visit][name] === value);
    return [...last.values()].every(Boolean);
  };
  const right = sayings.map((_, i) => isRight(i));
  const first = right.lastIndexOf(true) + 1;
  return first < sayings.length ? first : null;
}
