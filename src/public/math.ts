/** @file statelab/math: seeded randomness, permutations, groups, what is said of repeated measurements. Reaches no module of Node. */

export * as groups from "../math/groups.ts";
export * as permutations from "../math/permutations.ts";
export { type Rng, rngFrom } from "../math/rng.ts";
export * as statistics from "../math/statistics.ts";
