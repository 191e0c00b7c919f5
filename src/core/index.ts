/** @file statelab/core: random streams, permutations, groups, statistics, errors, and settings from text. Free of Node. */

export { exitCodes, fail, LabError } from "./error.ts";
export * as groups from "./groups.ts";
export * as permutations from "./permutations.ts";
export { silent } from "./progress.ts";
export { type Rng, rngFrom } from "./rng.ts";
export { applySettings, parseWith, parseYaml } from "./settings.ts";
export * as statistics from "./statistics.ts";
