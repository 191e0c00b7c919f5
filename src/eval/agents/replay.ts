/**
 * @file Replays an episode from its recorded calls: answers, score, all token counts, and what its calls assumed about the world.
 *
 *     state = fold(act, draw(params, rng), calls)        score(state)
 *
 *     lock         enter(2)            a is 2                     the value of a after the line of this turn
 *     refactor     edit("f.py")        f.py is not done           whether it is
 *     any          take_item("x")      the call is allowed        it was refused
 *     any          a cell of Python    its names live             NameError
 *
 * Runs get their score from here, and so do readers of records. Values that differ from the replay are reported.
 */

import type { EpisodeEnd, EpisodeTurn } from "../../schemas/agents.ts";
import { tokensOf, tokensShown } from "./history.ts";
import { type AgentPlan, answerCall, renderPrompt, rngStreams } from "./plan.ts";

export interface Difference {
  /** Line within the episode, from 0. */
  readonly line: number;
  readonly what: string;
  readonly said: unknown;
  readonly replayed: unknown;
}

/** The last line of an episode, and what in its turns is not as the replay has it. */
export function replayed(
  plan: AgentPlan,
  turns: readonly EpisodeTurn[],
): { readonly end: EpisodeEnd; readonly differences: readonly Difference[] } {
  const { world, begin } = plan;
  const differences: Difference[] = [];
  const held = (turn: number, what: string, said: unknown, again: unknown) => {
    if (JSON.stringify(said) !== JSON.stringify(again))
      differences.push({ line: turn + 1, what, said, replayed: again });
  };
  let state: unknown = world.entry.draw(world.params, rngStreams(begin).world);
  const task = world.entry.task(state);
  let [processed, peak, replied, calls] = [0, 0, 0, 0];
  const errors: Record<string, number> = {};
  for (const [i, turn] of turns.entries()) {
    held(i, "turn", turn.turn, i);
    if (world.entry.isOver(state)) held(i, "a turn after the end", turn.turn, null);
    const { shown: prompt, past, forced } = renderPrompt(plan, task, turns.slice(0, i));
    const shown = tokensShown(prompt);
    held(i, "shown", turn.shown, shown);
    if (forced === undefined) {
      processed += shown * turn.replies.length;
      peak = Math.max(peak, shown);
      replied += turn.replies.reduce((sum, reply) => sum + tokensOf(reply), 0);
    } else held(i, "the only move", turn.replies, [forced]);
    calls += turn.calls.length;
    if (turn.calls.length > begin.callsPerCell) held(i, "calls", turn.calls.length, begin.callsPerCell);
    for (const [made, { answer, ...call }] of turn.calls.entries()) {
      const before = [...past.calls, ...turn.calls.slice(0, made)];
      const acted = answerCall(plan, state, { ...past, calls: before }, call);
      state = acted.state;
      held(i, `the answer of ${call.name}`, answer, acted.answer);
    }
    const { end, exception } = turn.end;
    if (end !== "finished") {
      const kind = end === "stopped" ? `stopped: ${exception}` : exception;
      errors[kind] = (errors[kind] ?? 0) + 1;
    }
  }
  const over = world.entry.isOver(state);
  if (!over && turns.length !== begin.turns)
    held(turns.length - 1, "turns until the end", turns.length, begin.turns);
  const end: EpisodeEnd = {
    ...{ kind: "end", episode: begin.episode, over, turns: turns.length, score: world.entry.score(state) },
    ...{ tokens: { peak, processed, replied }, calls, errors: sortedByKey(errors) },
  };
  return { end, differences };
}

/** The last line of a run. @throws Error if the recorded lines differ from their replay. */
export function episodeEnd(plan: AgentPlan, turns: readonly EpisodeTurn[]): EpisodeEnd {
  const { end, differences } = replayed(plan, turns);
  if (differences.length > 0) throw new Error(`the replay differs: ${JSON.stringify(differences[0])}`);
  return end;
}

const sortedByKey = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));

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

export function beliefAccuracy(plan: AgentPlan, turns: readonly EpisodeTurn[]): BelievedTurn[] {
  const { world, begin } = plan;
  const past = { calls: [] as EpisodeTurn["calls"], tools: world.entry.tools };
  let state: unknown = world.entry.draw(world.params, rngStreams(begin).world);
  // A cell that went well says something of its names only where another one missed some.
  const isMissed = turns.some(({ end }) => end.exception === "NameError");
  return turns.map(({ calls, end }) => ({
    calls: calls.map((call) => {
      const claims = world.entry.claims?.(state, call) ?? [];
      const { state: next, answer } = answerCall(plan, state, past, call);
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
