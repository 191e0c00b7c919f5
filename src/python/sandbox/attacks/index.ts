/**
 * @file Every attack on a sandbox: the containment tests run them, and so does `statelab doctor` on the user's own machine.
 */

import type { Attack } from "./attack.ts";
import { reaching } from "./escape.ts";
import { lying } from "./false-exit.ts";
import { forging } from "./forged-result.ts";
import { leaving } from "./persistence.ts";
import { taking } from "./resource-exhaustion.ts";
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
