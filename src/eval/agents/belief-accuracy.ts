/**
 * @file Compares what an episode's calls assume about its world with its exact state, from folding the world over the
 * calls.
 *
 *     lock         enter(2)            a is 2                     the value of a after the line of this turn
 *     refactor     edit("f.py")        f.py is not done           whether it is
 *     any          take_item("x")      the call is allowed    it was refused
 *     any          a cell of Python    its names live             NameError
 */

import type { EpisodeTurn } from "../../schemas/agents.ts";
import { type AgentPlan, streamsOf } from "./plan.ts";

export interface Belief {
  readonly name: string;
  readonly claimed: string;
  readonly truth: string;
}

export interface BelievedTurn {
  /** For each call, in order. */
  readonly calls: readonly { readonly beliefs: readonly Belief[]; readonly changes: boolean }[];
  /** For the whole cell. */
  readonly cell: readonly Belief[];
}

export function believed(
  { world, control, begin }: AgentPlan,
  turns: readonly EpisodeTurn[],
): BelievedTurn[] {
  const past = { calls: [] as EpisodeTurn["calls"], tools: world.entry.tools };
  let state: unknown = world.entry.draw(world.params, streamsOf(begin).world);
  // A cell that went well says something of its names only where another one missed some.
  const isMissed = turns.some(({ end }) => end.exception === "NameError");
  return turns.map(({ calls, end }) => ({
    calls: calls.map((call) => {
      const claims = world.entry.claims?.(state, call) ?? [];
      const no = control.entry.refuses?.(past, call, control.params); // it did not reach the world
      const { state: next, answer } = no === undefined ? world.entry.act(state, call) : { state, answer: no };
      past.calls.push(call);
      const changes = JSON.stringify(next) !== JSON.stringify(state);
      state = next;
      const refusal = "error" in answer ? answer.error : "accepted";
      return { beliefs: [...claims, { name: call.name, claimed: "accepted", truth: refusal }], changes };
    }),
    cell: isMissed && /^(NameError)?$/.test(end.exception) ? [namesLive(end.exception)] : [],
  }));
}

const namesLive = (exception: string): Belief => ({
  name: "names of earlier cells",
  claimed: "live",
  truth: exception === "NameError" ? "gone" : "live",
});
