/** @file Kinds of work that this room carries out itself. Of the others their own rooms bring the carriers: cli/carriers.ts has all. */

export const ownCarriers = {
  run: async () => (await import("../run/execute.ts")).run,
  trace: async () => (await import("../trace/share.ts")).trace,
  ask: async () => (await import("../llm/share.ts")).askCarrier,
  feed: async () => (await import("../data-worker/run.ts")).feed,
  probe: async () => (await import("./probe.ts")).probe,
} as const;
