/**
 * @file The history of an episode, the messages shown of it, and their token counts.
 *
 *     task                       always shown
 *     assistant: ids = ...       a turn: the reply that was run,
 *     user: ["item_3f", ...]     and its result
 *
 * Tokens are counted the same for every model: runs of letters, digits and underscores, and every other character but
 * space.
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

/** One line on how a cell ended; "" if it finished. */
function errorLine({ end }: EpisodeTurn): string {
  if (end.end === "finished") return "";
  return end.end === "stopped" ? `stopped: ${end.message}` : `${end.exception}: ${end.message}`;
}

/** Reply and outcome of a turn, by default its output, as two messages. */
export const asMessages = (turn: EpisodeTurn, outcome = turn.end.output): Message[] => [
  { role: "assistant", text: keptReply(turn) },
  {
    role: "user",
    text: [outcome.replace(/\n$/, ""), errorLine(turn)].filter(Boolean).join("\n") || "(nothing)",
  },
];
