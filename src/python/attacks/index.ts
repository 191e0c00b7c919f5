/**
 * @file Every attack on a sandbox: the containment tests run them, and so does `statelab doctor` on the user's own machine.
 */

import type { Attack } from "./attack.ts";
import { forging } from "./forge.ts";
import { leaving } from "./leave.ts";
import { lying } from "./lie.ts";
import { reaching } from "./reach.ts";
import { taking } from "./take.ts";
import { beingTraced } from "./traced.ts";

export type { Attack, Target } from "./attack.ts";

export const attacks: readonly Attack[] = [
  ...taking,
  ...reaching,
  ...leaving,
  ...lying,
  ...forging,
  ...beingTraced,
];
