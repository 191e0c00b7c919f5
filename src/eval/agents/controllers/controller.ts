/** @file Controls: what chooses the next move, the policy alone or a procedure around it. */

import { z } from "zod";
import type { Rng } from "../../../core/rng.ts";
import type { EpisodeTurn, ToolAnswer, ToolCall } from "../../../schemas/agents.ts";
import type { Tool } from "../environment.ts";
import type { Entry } from "../registry.ts";

/** Input of a control: the calls so far with their answers, and the available tools. */
export interface Past {
  readonly calls: EpisodeTurn["calls"];
  readonly tools: readonly Tool[];
}

export interface Asking {
  /** Another reply to the same prompt. */
  ask(): Promise<string>;
  /** Whether a reply is right according to the world; a checker adds its own errors. */
  readonly isRight: ((reply: string) => boolean) | undefined;
  readonly past: Past;
  /** A stream for this turn. */
  readonly rng: Rng;
}

// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export interface Control<Params = any> extends Entry<Params> {
  /** Whether the world must implement `isRight`. */
  checks(params: Params): boolean;
  /** All replies that were requested; the last one is run. */
  choose(asking: Asking, params: Params): Promise<string[]>;
  /** @throws LabError if it names tools that the world does not have. */
  fits?(tools: readonly Tool[], params: Params): void;
  /** Text appended to the task, a function of the past. */
  guide?(past: Past, params: Params): string;
  /** The only possible reply: it is run without asking the policy. */
  forced?(past: Past, params: Params): string | undefined;
  /** The answer to a call that is not allowed now; the world does not see it. */
  refuses?(past: Past, call: ToolCall, params: Params): ToolAnswer | undefined;
}

/** Runs whatever the policy replies. */
export const free: Control<Record<string, never>> = {
  name: "free",
  summary: "what the policy says is run",
  params: z.strictObject({}),
  checks: () => false,
  choose: async ({ ask }) => [await ask()],
};
