/**
 * @file The benchmarks, by name; each compares the lab with what a user would otherwise use. Run by `npm run bench -- NAME`,
 * in a checkout by `npm run bench -- NAME`. To add one: write its file with a `run`, and one line here.
 */

import type { BenchOptions } from "./lib/interleave.ts";

interface BenchEntry {
  readonly summary: string;
  /** Whether `--only` selects parts of it. */
  readonly parts?: true;
  readonly load: () => Promise<{ readonly run: (options: BenchOptions) => unknown }>;
}

export const benchmarks: Readonly<Record<string, BenchEntry>> = {
  decode: {
    summary: "decoding a token at a time: is it as fast after 100,000 steps, and against computing all again",
    load: () => import("./decode.ts"),
  },
  examples: {
    summary: "examples into typed arrays, JSON lines and Parquet, tokens a second",
    load: () => import("./examples.ts"),
  },
  gpu: {
    summary: "whole training steps on a GPU, against PyTorch on CUDA: eight minutes at most",
    load: () => import("./gpu.ts"),
  },
  length: {
    summary: "time and memory of a training step as a sequence grows from 512 to 16,384 tokens",
    parts: true,
    load: () => import("./length.ts"),
  },
  padding: {
    summary: "batches as long as their longest example, against the longest that is possible",
    load: () => import("./padding.ts"),
  },
  profile: {
    summary: "where the time of a training step goes, by operator",
    load: () => import("./profile.ts"),
  },
  serve: {
    summary: "requests a second of a served model, with 1, 16 and 64 clients, against the decoder alone",
    load: () => import("./serve.ts"),
  },
  "start-up": {
    summary: "statelab --help, list and train to the first step, against a bare node -e 0",
    load: () => import("./start-up.ts"),
  },
  supervision: {
    summary: "what the heads of state supervision add to a training step",
    load: () => import("./supervision.ts"),
  },
  trace: {
    summary: "CRUXEval traced and proven, against a plain sys.settrace loop",
    load: () => import("./trace.ts"),
  },
  "train-step": {
    summary: "whole training steps, against PyTorch and jax-js on the CPU",
    parts: true,
    load: () => import("./train-step.ts"),
  },
};
