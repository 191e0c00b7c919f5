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
  summary: "every reply is executed",
  params: z.strictObject({}),
  checks: () => false,
  choose: async ({ ask }) => [await ask()],
};

const Share = z.number().min(0).max(1);
const Params = z.strictObject({
  falseAlarm: Share.default(0).describe("Share of correct replies that are sent back"),
  detection: Share.default(0.9).describe("Share of wrong replies that are sent back"),
  retries: z.int().min(0).max(100).default(1).describe("Retries per turn"),
});
type Params = z.infer<typeof Params>;

/**
 * Check and retry: a checker looks at each reply and may request another, at most R times; the last one is
 * used.
 *
 *     e the policy's error, f false alarms of the checker, d what it detects
 *     q = 1 - (1-e)(1-f) - e(1-d)                                      a reply is sent back
 *     right = (1-e)(1-f)(1 - q^R)/(1 - q) + q^R (1-e)                  a step is right
 *     calls = (1 - q^(R+1))/(1 - q)                                    replies a step
 *
 * A checker without information, d = f, changes nothing; with d < f it does harm. So the checker helps, not the
 * machine around it. Assumes errors that are independent of the prompt, which an endpoint's need not be.
 *
 * Source: the formulas of Aggregate-Intellect/sherpa.
 */
export const checkRetry: Control<Params> = {
  name: "check-retry",
  summary: "a fallible checker sends replies back",
  params: Params,
  checks: () => true,
  async choose({ ask, isRight, rng }, { falseAlarm, detection, retries }) {
    const replies = [await ask()];
    const isSentBack = (reply: string) => rng.next() < (isRight!(reply) ? falseAlarm : detection); // the episode saw to it
    while (replies.length <= retries && isSentBack(replies[replies.length - 1])) replies.push(await ask());
    return replies;
  },
};
