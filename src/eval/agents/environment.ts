/**
 * @file Interface of a world: a pure fold over tool calls, scored against the optimum.
 *
 *     state_0 = draw(params, rng)        state_t, answer_t = act(state_{t-1}, call_t)        score(state_T)
 *
 * Only calls change the state, so the recorded calls determine it: scores come from replaying them.
 */

import type { z } from "zod";
import type { Rng } from "../../core/rng.ts";
import type { Json, ToolAnswer, ToolCall } from "../../schemas/agents.ts";

export interface Tool {
  readonly name: string;
  readonly parameters: readonly string[];
  /** Describes the result in the prompt. */
  readonly words: string;
}

/** Numbers about the last state; `share`, in [0, 1], is the one that worlds have in common: 1 is the best that could be. */
export type WorldScore = { readonly share: number } & Readonly<Record<string, number>>;

export interface World<Params extends Record<string, Json> = Record<string, Json>, State = unknown> {
  readonly name: string;
  /** A few words for a list, without a full stop. */
  readonly summary: string;
  readonly source: string;
  readonly params: z.ZodType<Params>;
  readonly tools: readonly Tool[];
  draw(params: Params, rng: Rng): State;
  /** The question, and everything that is known at the start. */
  task(state: State): string;
  /** A call that is wrong in any way is answered by an error and changes nothing. */
  act(state: State, call: ToolCall): { readonly state: State; readonly answer: ToolAnswer };
  isOver(state: State): boolean;
  score(state: State): WorldScore;
  /** Texts that give an answer away: stored concepts must not contain them. */
  answers?(state: State): readonly string[];
  /** Whether a reply is a correct next move. Worlds without it cannot be used with a checker. */
  isRight?(state: State, reply: string): boolean;
  /** What a call assumes about the state, and the truth, as Python values. */
  claims?(
    state: State,
    call: ToolCall,
  ): readonly { readonly name: string; readonly claimed: string; readonly truth: string }[];
}

/** A world with any state; only the world itself reads the state. */
// biome-ignore lint/suspicious/noExplicitAny: the state belongs to the world, and nobody else looks into it
export type AnyWorld = World<any, any>;

export const refused = (error: string, message: string): ToolAnswer => ({ error, message });

/** The tools as a prompt lists them: `inspect(item)  what it weighs ...`. */
export const toolWords = (tools: readonly Tool[]) =>
  tools.map(({ name, parameters, words }) => `${name}(${parameters.join(", ")})  ${words}`).join("\n");

/** The error for an unknown tool or a wrong number of arguments; undefined if the call is valid. */
export function wrongCall(
  tools: readonly Tool[],
  { name, arguments: given }: ToolCall,
): ToolAnswer | undefined {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return refused("LookupError", `there is no tool ${name}`);
  if (given.length === tool.parameters.length) return undefined;
  return refused("TypeError", `${name} takes ${tool.parameters.length} arguments, got ${given.length}`);
}
