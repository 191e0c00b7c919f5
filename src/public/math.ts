/** @file statelab/math: seeded randomness, permutations, groups, what is said of repeated measurements. Reaches no module of Node. */

export * as groups from "../core/groups.ts";
export * as permutations from "../core/permutations.ts";
export { type Rng, rngFrom } from "../core/rng.ts";
export * as statistics from "../core/statistics.ts";
