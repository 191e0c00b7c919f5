/**
 * @file An episode as a talk: a prompt goes out, a reply comes in, until it has ended. What is done with a reply, cells in Python
 * included, is done before the next prompt is there.
 *
 *     const talk = talkOf(plan, session)
 *     await talk.next([])                    the first prompt
 *     await talk.next(["[PYTHON] ..."])      the prompt after that reply; undefined: it has ended, and `lines` is whole
 *     await talk.close()                     in any case
 *
 * Replies are told from the first on, in order; each call knows one more.
 */

import type { EpisodeRecord } from "../../schemas/agents.ts";
import { episode } from "./episode.ts";
import type { AgentPlan } from "./plan.ts";
import type { Session } from "./runtimes/runtime.ts";

export interface Talk {
  next(replies: readonly string[]): Promise<string | undefined>;
  /** What has happened so far, as the ledger has it. */
  readonly lines: readonly EpisodeRecord[];
  close(): Promise<void>;
}

interface Waiting {
  resolve(reply: string): void;
  reject(reason: unknown): void;
}

const gone = "nobody answers any more";

export function talkOf(plan: AgentPlan, session: () => Promise<Session>, signal?: AbortSignal): Talk {
  const lines: EpisodeRecord[] = [];
  /** Whoever wants the next prompt, and the episode that wants its reply. */
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
        whole.catch(() => {}); // it is thrown where it is waited for
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
