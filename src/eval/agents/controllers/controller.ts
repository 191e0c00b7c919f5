/** @file What a control is: who chooses the next move, the policy alone or something around it. */

import type { Rng } from "../../../core/rng.ts";
import type { EpisodeTurn, ToolAnswer, ToolCall } from "../../../schemas/agents.ts";
import type { Tool } from "../environment.ts";
import type { Entry } from "../registry.ts";

/** What a control may go by: the calls so far with their answers, and the tools that there are. */
export interface Past {
  readonly calls: EpisodeTurn["calls"];
  readonly tools: readonly Tool[];
}

export interface Asking {
  /** Another reply to the same prompt. */
  ask(): Promise<string>;
  /** Whether a reply is right, as the world knows; a checker sees it through its own errors. */
  readonly isRight: ((reply: string) => boolean) | undefined;
  readonly past: Past;
  /** Of this turn alone. */
  readonly rng: Rng;
}

// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export interface Control<Params = any> extends Entry<Params> {
  /** Whether the world has to say which replies are right. */
  checks(params: Params): boolean;
  /** Every reply that was asked for; the last one is run. */
  choose(asking: Asking, params: Params): Promise<string[]>;
  /** @throws LabError where it names tools that the world does not have. */
  fits?(tools: readonly Tool[], params: Params): void;
  /** Words behind the task, a function of the past. */
  guide?(past: Past, params: Params): string;
  /** The only reply that there is: it is run, and nobody is asked. */
  forced?(past: Past, params: Params): string | undefined;
  /** The answer to a call that is no move now; it does not reach the world. */
  refuses?(past: Past, call: ToolCall, params: Params): ToolAnswer | undefined;
}
