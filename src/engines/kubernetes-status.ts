/**
 * @file What `kubectl get job|pods --output=json` says of an Indexed Job.
 *
 *     status.completedIndexes "0-2,7"  failedIndexes "4"      ended; what came of them stands in their folders
 *     pod, annotation job-completion-index "3", phase Running, node n1
 */

import { z } from "zod";
import { parseWith } from "../records/config.ts";
import { parseJson } from "../store/index.ts";
import type { Queued } from "./engine.ts";
import { expanded } from "./slurm-queue.ts";

const Job = z.object({
  status: z
    .object({
      completedIndexes: z.string().optional(),
      failedIndexes: z.string().optional(),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional(),
    })
    .optional(),
});

const Pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()).optional() }),
      spec: z.object({ nodeName: z.string().optional() }).optional(),
      status: z.object({ phase: z.string().optional(), reason: z.string().optional() }).optional(),
    }),
  ),
});

/** Indexes that have ended, and whether all have: a Job that has come to its end, or was given up. */
export function indexesIn(
  text: string,
  at: string,
): { readonly indexes: ReadonlySet<number>; readonly all: boolean } {
  const { status = {} } = parseWith(Job, parseJson(text, at), `kubectl get job, for ${at}`);
  const indexes = [status.completedIndexes, status.failedIndexes].flatMap((list) => expanded(list ?? ""));
  const all = (status.conditions ?? []).some(
    ({ type, status: holds }) => holds === "True" && (type === "Complete" || type === "Failed"),
  );
  return { indexes: new Set(indexes), all };
}

/** Of each index its pod that has not ended. */
export function readPods(text: string, at: string): Map<number, Queued> {
  const { items } = parseWith(Pods, parseJson(text, at), `kubectl get pods, for ${at}`);
  const found = new Map<number, Queued>();
  for (const { metadata, spec, status } of items) {
    const index = metadata.annotations?.["batch.kubernetes.io/job-completion-index"];
    const phase = status?.phase ?? "Unknown";
    if (index === undefined || !/^\d+$/.test(index) || phase === "Succeeded" || phase === "Failed") continue;
    const running = phase === "Running" || phase === "Unknown"; // of an unreachable node nobody knows
    const note = running ? (spec?.nodeName ?? "") : (status?.reason ?? phase);
    found.set(Number(index), { kind: running ? "running" : "pending", note });
  }
  return found;
}
