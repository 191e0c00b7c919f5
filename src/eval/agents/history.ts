/**
 * @file What has happened so far, and what of it is shown: messages, and how they are counted.
 *
 *     task                       always shown
 *     assistant: ids = ...       a turn: the reply that was run,
 *     user: ["item_3f", ...]     and what came of it
 *
 * Tokens are counted the same for everybody: runs of letters, digits and underscores, and every other character but space.
 */

import type { EpisodeTurn } from "../../schemas/agents.ts";

export interface Message {
  readonly role: "assistant" | "user";
  readonly text: string;
}

/** Oldest first. */
export type History = readonly EpisodeTurn[];

export interface Shown {
  readonly task: string;
  readonly messages: readonly Message[];
  /** From 0. */
  readonly turn: number;
  readonly turns: number;
}

export function tokensOf(text: string): number {
  return text.match(/\w+|[^\w\s]/g)?.length ?? 0;
}

export const tokensShown = ({ task, messages }: Pick<Shown, "task" | "messages">) =>
  messages.reduce((sum, { text }) => sum + tokensOf(text), tokensOf(task));

/** The reply of a turn that was run. */
export const keptReply = ({ replies }: EpisodeTurn) => replies[replies.length - 1];

/** How a cell ended, in a line; "" where it finished. */
export function errorLine({ end }: EpisodeTurn): string {
  if (end.end === "finished") return "";
  return end.end === "stopped" ? `stopped: ${end.message}` : `${end.exception}: ${end.message}`;
}

/** Reply and outcome of a turn as two messages. */
export const asMessages = (turn: EpisodeTurn, outcome: string): Message[] => [
  { role: "assistant", text: keptReply(turn) },
  {
    role: "user",
    text: [outcome.replace(/\n$/, ""), errorLine(turn)].filter(Boolean).join("\n") || "(nothing)",
  },
];
