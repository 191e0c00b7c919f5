/**
 * @file An automaton as a person writes it down, in YAML or JSON:
 *
 *     states: [off, dim, bright]
 *     start: off                                   or shares: {off: 0.5, dim: 0.5}; without it all equally likely
 *     actions:
 *       press: {off: {dim: 0.9, off: 0.1}, dim: bright, bright: off}
 *       wait: {bright: {bright: 0.8, dim: 0.2}}    a state that is left out stays
 *     reveals:
 *       lit: {off: no, dim: yes, bright: yes}      what is said of each state; `state` itself can always be asked
 */

import { z } from "zod";
import { fail } from "../core/error.ts";

const word = /^\w+$/;
/** A name, in YAML perhaps read as a number or as true. */
const Name = z.preprocess(
  (name) => (typeof name === "number" || typeof name === "boolean" ? String(name) : name),
  z.string().regex(word),
);
const Key = z.string().regex(word);
const Shares = z.record(Key, z.number().min(0).max(1));

export const Automaton = z.strictObject({
  states: z.array(Name).min(2).max(1000),
  start: z.union([Name, Shares]).optional(),
  actions: z.record(Key, z.record(Key, z.union([Name, Shares]))),
  reveals: z.record(Key, z.record(Key, Name)).default({}),
});
export type Automaton = z.infer<typeof Automaton>;

/** The question that every automaton answers: which state is it? */
export const WHOLE_STATE = "state";

/** Refuses names that are not states, shares that do not sum to 1, and a state without an answer. */
export function checkAutomaton({ states, start, actions, reveals }: Automaton): void {
  const at = "automaton";
  const known = new Set(states);
  if (known.size < states.length) fail(at, "states of different names", states);
  const state = (name: string, where: string) => {
    if (!known.has(name)) fail(at, `one of the states ${states.join(", ")} in ${where}`, name);
  };
  const shares = (target: string | Readonly<Record<string, number>>, where: string) => {
    if (typeof target === "string") return state(target, where);
    for (const name of Object.keys(target)) state(name, where);
    const sum = Object.values(target).reduce((total, share) => total + share, 0);
    if (Math.abs(sum - 1) > 1e-9) fail(at, `shares that sum to 1 in ${where}`, sum);
  };
  if (start !== undefined) shares(start, "start");
  if (Object.keys(actions).length === 0) fail(at, "at least one action", "none");
  for (const [action, rows] of Object.entries(actions)) {
    for (const [from, target] of Object.entries(rows)) {
      state(from, `actions.${action}`);
      shares(target, `actions.${action}.${from}`);
    }
  }
  for (const [reveal, answers] of Object.entries(reveals)) {
    if (reveal === WHOLE_STATE)
      fail(at, `a reveal of another name than ${WHOLE_STATE}, which is there already`, reveal);
    for (const name of Object.keys(answers)) state(name, `reveals.${reveal}`);
    const missing = states.find((name) => !Object.hasOwn(answers, name));
    if (missing !== undefined)
      fail(at, `an answer for every state in reveals.${reveal}`, `none for ${missing}`);
  }
}
