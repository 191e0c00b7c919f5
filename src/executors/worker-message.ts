/** @file What parent and worker say to each other: JSON messages over the channel of `child_process.fork`. */

import type { Failure } from "./pool.ts";

export type ToWorker = { readonly kind: "start"; readonly job: unknown } | { readonly kind: "stop" };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly progress: unknown }
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "failed"; readonly failure: Failure };
