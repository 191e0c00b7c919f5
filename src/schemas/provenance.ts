/**
 * @file Provenance of a run: origin.json of its folder. A session is a process that trained it, the first one and each `train --resume`.
 *
 *     {"version": 1, "own": {"model": {"path": "/home/me/mine.ts", "file": "own/model.mjs", "sha256": "9f…", "sources": […]}},
 *      "sessions": [{"from": 0, "command": ["statelab", "train", "mine.yaml"], "statelab": "0.1.0", "onnxRuntime": "1.30.0", …}]}
 */

import { z } from "zod";

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** An own task, model or tokenizer, copied into the run folder. */
export const KeptFile = z.strictObject({
  path: z.string().describe("Original path"),
  file: z.string().describe("Path of the copy in the run folder"),
  sha256: Digest.describe("SHA-256 of the copy"),
  sources: z
    .array(z.strictObject({ path: z.string(), sha256: Digest }))
    .describe("The file and its imports at that time, except packages"),
});
export type KeptFile = z.infer<typeof KeptFile>;

export const Session = z.strictObject({
  from: z.int().min(0).describe("Steps done before the session"),
  started: z.string().describe("Start in ISO 8601"),
  command: z.array(z.string()).describe("Command line"),
  statelab: z.string().describe("Version of Statelab"),
  commit: z.string().optional().describe("Commit of a checkout, absent for an installed package"),
  onnxRuntime: z.string().describe("Version of ONNX Runtime"),
  node: z.string().describe("Version of Node"),
  platform: z.string().describe("Platform, such as linux x64"),
  processor: z.string().describe("Processor"),
  cores: z.int().describe("Number of cores"),
  device: z.string().describe("Device of the training"),
  threads: z.int().describe("Threads of the training"),
  onCpu: z
    .record(z.string(), z.int())
    .optional()
    .describe(
      "On another device: operators of a training step that the CPU computes, with their numbers of nodes",
    ),
  transfers: z
    .int()
    .optional()
    .describe("On another device: arrays copied to it and back in a training step"),
  set: z.array(z.string()).default([]).describe("Settings of `train --resume RUN --set`"),
});
export type Session = z.infer<typeof Session>;

export const Origin = z.strictObject({
  version: z.literal(1).describe("Version of the format"),
  own: z
    .strictObject({
      task: KeptFile.exactOptional(),
      model: KeptFile.exactOptional(),
      tokenizer: KeptFile.exactOptional(),
    })
    .describe("Custom task, model and tokenizer, copied into the run folder"),
  sessions: z.array(Session).describe("One entry for each process that trained the run"),
});
export type Origin = z.infer<typeof Origin>;
