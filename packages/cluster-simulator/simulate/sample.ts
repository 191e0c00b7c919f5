/** @file A number of a plan, drawn from what it is drawn from. */

import type { Rng } from "../../../src/core/rng.ts";
import type { Amount } from "../../../src/schemas/simulation-plan.ts";

export function drawn(amount: Amount, rng: Rng): number {
  if (typeof amount === "number") return amount;
  if ("exponential" in amount) return -amount.exponential * Math.log(1 - rng.next());
  if ("uniform" in amount) return amount.uniform[0] + rng.next() * (amount.uniform[1] - amount.uniform[0]);
  if ("logNormal" in amount)
    return amount.logNormal.median * Math.exp(amount.logNormal.spread * rng.normal());
  return amount.drawn[rng.below(amount.drawn.length)];
}
