/**
 * @file An episode as a conversation of prompts and replies. `next` resolves after the cell of the last reply has
 * run.
 *
 *     const talk = talkOf(plan, session)
 *     await talk.next([])                    the first prompt
 *     await talk.next(["[PYTHON] ..."])      the next prompt; undefined once the episode has ended and `lines` is complete
 *     await talk.close()                     in any case
 *
 * Each call passes all replies so far, one more than the call before.
 */

import type { EpisodeRecord } from "../../schemas/agents.ts";
import { episode } from "./episode.ts";
import type { AgentPlan } from "./plan.ts";
import type { Session } from "./runtimes/runtime.ts";

export interface AgentConversation {
  next(replies: readonly string[]): Promise<string | undefined>;
  /** The records so far. */
  readonly lines: readonly EpisodeRecord[];
  close(): Promise<void>;
}

interface Waiting {
  resolve(reply: string): void;
  reject(reason: unknown): void;
}

const gone = "nobody answers any more";

export function startConversation(
  plan: AgentPlan,
  session: () => Promise<Session>,
  signal?: AbortSignal,
): AgentConversation {
  const lines: EpisodeRecord[] = [];
  /** The pending `next` call, and the episode's pending request for a reply. */
  let asked: ((prompt: string) => void) | undefined;
  let waiting: Waiting | undefined;
  let closed = false;
  const reply = (prompt: string) =>
    new Promise<string>((resolve, reject) => {
      if (closed) reject(new Error(gone));
      waiting = { resolve, reject };
      asked?.(prompt);
    });
  let whole: Promise<undefined> | undefined;
  const run = async (): Promise<undefined> => {
    for await (const line of episode(plan, { session, reply }, signal)) lines.push(line);
  };
  return {
    lines,
    next(replies) {
      const prompt = new Promise<string>((resolve) => {
        asked = resolve;
      });
      if (whole === undefined) {
        whole = run();
        whole.catch(() => {}); // reported by the `next` call that awaits it
      } else waiting?.resolve(replies[replies.length - 1]);
      return Promise.race([prompt, whole]);
    },
    async close() {
      closed = true;
      waiting?.reject(new Error(gone));
      await whole?.catch(() => {});
    },
  };
}
