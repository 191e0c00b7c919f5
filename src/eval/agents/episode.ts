/**
 * @file An episode: world x runtime x view x control, driven by a policy, as the lines of its record.
 *
 *     shown = view(history)            reply = control(policy(shown))        end = runtime(reply), each call -> world
 *
 * For policies that are models, `reply` sends the prompt.
 *
 * It yields events without scoring them: the last line comes from replaying the lines before it (replay.ts).
 */

import type { Rng } from "../../core/rng.ts";
import type { EpisodeRecord, EpisodeTurn, ToolAnswer, ToolCall } from "../../schemas/agents.ts";
import { refused } from "./environment.ts";
import { type Shown, tokensShown } from "./history.ts";
import { type AgentPlan, answerCall, renderPrompt, rngStreams } from "./plan.ts";
import { episodeEnd } from "./replay.ts";
import type { Session } from "./runtimes/runtime.ts";

export interface Effects {
  /** Opens a contained interpreter; runtimes without Python never ask for one. */
  readonly session: () => Promise<Session>;
  /** Asks a model; policies that are scripts never do. */
  readonly reply?: (prompt: string) => Promise<string>;
}

export async function* episode(
  plan: AgentPlan,
  effects: Effects,
  signal?: AbortSignal,
): AsyncGenerator<EpisodeRecord, void> {
  const { world, runtime, control, policy, begin } = plan;
  const streams = rngStreams(begin);
  let state: unknown = world.entry.draw(world.params, streams.world);
  const task = world.entry.task(state);
  const history: EpisodeTurn[] = [];
  yield begin;
  const cells = runtime.entry.open(world.entry.tools, effects.session);
  const replyTo = async (shown: Shown, rng: Rng): Promise<string> => {
    const { entry, params } = policy;
    if (entry.kind === "scripted") return entry.decide(shown, params, rng);
    if (effects.reply === undefined) throw new Error(`nobody is there to ask for ${entry.name}`);
    return entry.read(await effects.reply(entry.prompt(shown, params, begin.runtime)), shown, params);
  };
  try {
    for (let turn = 0; turn < begin.turns && !world.entry.isOver(state); turn++) {
      signal?.throwIfAborted();
      const { shown, past, forced } = renderPrompt(plan, task, history);
      let asked = 0;
      const replies =
        forced === undefined
          ? await control.entry.choose(
              {
                ask: () => replyTo(shown, streams.policy(turn, asked++)),
                isRight: world.entry.isRight && ((reply) => world.entry.isRight!(state, reply)),
                ...{ past, rng: streams.control(turn) },
              },
              control.params,
            )
          : [forced];
      const calls: EpisodeTurn["calls"] = [];
      let refusals = 0;
      const act = (call: ToolCall): ToolAnswer => {
        if (calls.length >= begin.callsPerCell) {
          refusals++;
          return refused("RuntimeError", `at most ${begin.callsPerCell} calls a cell`);
        }
        const acted = answerCall(plan, state, { ...past, calls: [...past.calls, ...calls] }, call);
        state = acted.state;
        calls.push({ ...call, answer: acted.answer });
        return acted.answer;
      };
      const end = await cells.run(replies[replies.length - 1], act);
      const line: EpisodeTurn = {
        ...{ kind: "turn", turn, shown: tokensShown(shown), replies, calls, refused: refusals, end },
      };
      history.push(line);
      yield line;
    }
  } finally {
    await cells.close();
  }
  yield episodeEnd(plan, history);
}
