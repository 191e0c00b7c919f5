/**
 * @file What made a run: origin.json of its folder. One session is one process that trained it, the first and each `resume`.
 *
 *     {"version": 1, "own": {"model": {"path": "/home/me/mine.ts", "file": "own/model.mjs", "sha256": "9f…", "sources": […]}},
 *      "sessions": [{"from": 0, "command": ["statelab", "train", "mine.yaml"], "statelab": "0.1.0", "onnxRuntime": "1.30.0", …}]}
 */

import { z } from "zod";

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** A user's own task or model, kept with the run as it ran. */
export const KeptFile = z.strictObject({
  /** Where it was. */
  path: z.string(),
  /** Where it is kept, in the run's folder. */
  file: z.string(),
  /** Of what is kept. */
  sha256: Digest,
  /** The file and those that it imports, outside of packages, as they were. */
  sources: z.array(z.strictObject({ path: z.string(), sha256: Digest })),
});
export type KeptFile = z.infer<typeof KeptFile>;

export const Session = z.strictObject({
  /** Steps that were done before it. */
  from: z.int().min(0),
  /** ISO 8601. */
  started: z.string(),
  command: z.array(z.string()),
  statelab: z.string(),
  /** Of a checkout of the lab; absent where it is installed as a package. */
  commit: z.string().optional(),
  onnxRuntime: z.string(),
  node: z.string(),
  /** `linux x64`. */
  platform: z.string(),
  processor: z.string(),
  cores: z.int(),
  device: z.string(),
  threads: z.int(),
  /** What `resume --set` changed. */
  set: z.array(z.string()).default([]),
});
export type Session = z.infer<typeof Session>;

export const Origin = z.strictObject({
  version: z.literal(1),
  own: z.strictObject({ task: KeptFile.exactOptional(), model: KeptFile.exactOptional() }),
  sessions: z.array(Session),
});
export type Origin = z.infer<typeof Origin>;
