/** @file A scripted executor: it keeps what it is given, and drops it on request. */

import type { Executor, QueuedTask, Submission } from "./executor.ts";
import { keepTicket } from "./manifest.ts";

export interface Scripted extends Executor {
  readonly submissions: Submission[];
  /** By submission, what it has; undefined: it does not answer. */
  has: Map<string, Map<number, QueuedTask>> | undefined;
  cancelled: number;
}

export function scripted(name = "scripted"): Scripted {
  const engine: Scripted = {
    name,
    outlives: true,
    everySeconds: 1,
    submissions: [],
    has: new Map(),
    cancelled: 0,
    async submit(submission) {
      engine.submissions.push(submission);
      const last = submission.header.tasks - 1;
      keepTicket(submission, {
        engine: name,
        job: `lab/${engine.submissions.length}`,
        first: 0,
        last,
        pack: 1,
        at: "2026",
      });
      const all = Array.from({ length: last + 1 }, (_, i): [number, QueuedTask] => [
        i,
        { kind: "pending", note: "" },
      ]);
      engine.has?.set(submission.name, new Map(all));
    },
    async poll({ name: submission }) {
      return engine.has && (engine.has.get(submission) ?? new Map());
    },
    async cancel() {
      engine.cancelled++;
    },
  };
  return engine;
}
