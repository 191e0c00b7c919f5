/** @file Handlers for kinds of work of src/app; src/cli/worker.ts adds those of experiments. */

export const ownCarriers = {
  run: async () => (await import("../run/execute.ts")).run,
  trace: async () => (await import("../trace/share.ts")).trace,
  ask: async () => (await import("../llm/share.ts")).askCarrier,
  feed: async () => (await import("../data-worker/run.ts")).feed,
  probe: async () => (await import("./probe.ts")).probe,
} as const;
