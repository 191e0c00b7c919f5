/**
 * @file Provenance of a run: origin.json of its folder. A session is a process that trained it, the first one and each `train --resume`.
 *
 *     {"version": 1, "own": {"model": {"path": "/home/me/mine.ts", "file": "own/model.mjs", "sha256": "9f…", "sources": […]}},
 *      "sessions": [{"from": 0, "command": ["statelab", "train", "mine.yaml"], "statelab": "0.1.0", "onnxRuntime": "1.30.0", …}]}
 */

import { z } from "zod";

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** An own task or model, copied into the run folder. */
export const KeptFile = z.strictObject({
  /** Original path. */
  path: z.string(),
  /** Path of the copy in the run folder. */
  file: z.string(),
  /** Of the copy. */
  sha256: Digest,
  /** The file and its imports, except packages, at that time. */
  sources: z.array(z.strictObject({ path: z.string(), sha256: Digest })),
});
export type KeptFile = z.infer<typeof KeptFile>;

export const Session = z.strictObject({
  /** Steps done before it. */
  from: z.int().min(0),
  /** ISO 8601. */
  started: z.string(),
  command: z.array(z.string()),
  statelab: z.string(),
  /** Commit of a checkout of the lab; absent for an installed package. */
  commit: z.string().optional(),
  onnxRuntime: z.string(),
  node: z.string(),
  /** `linux x64`. */
  platform: z.string(),
  processor: z.string(),
  cores: z.int(),
  device: z.string(),
  threads: z.int(),
  /** Settings of `train --resume RUN --set`. */
  set: z.array(z.string()).default([]),
});
export type Session = z.infer<typeof Session>;

export const Origin = z.strictObject({
  version: z.literal(1),
  own: z.strictObject({ task: KeptFile.exactOptional(), model: KeptFile.exactOptional() }),
  sessions: z.array(Session),
});
export type Origin = z.infer<typeof Origin>;
