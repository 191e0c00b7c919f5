/** @file Every policy of shares, by name. To add one: write its file, its test and one line here. */

import { suggest } from "../../../core/did-you-mean.ts";
import { fail } from "../../../core/error.ts";
import { parseWith } from "../../../core/settings.ts";
import { birdie } from "./birdie.ts";
import { bandit } from "./exp3.ts";
import { fixed } from "./fixed.ts";
import type { Policy } from "./policy.ts";
import { uniform } from "./uniform.ts";

export const policies = { fixed, uniform, bandit, birdie };
export type PolicyName = keyof typeof policies;

export interface ChosenPolicy {
  readonly policy: Policy;
  readonly params: unknown;
}

/** Errors: LabError for one that is not there, or fields that it does not have. */
export function policyNamed(given: string | { readonly name: string }): ChosenPolicy {
  const { name, ...own } = typeof given === "string" ? { name: given } : given;
  if (!Object.hasOwn(policies, name))
    return fail(
      "teach.mixture.by",
      `one of ${Object.keys(policies).join(", ")}`,
      name,
      suggest(name, Object.keys(policies)),
    );
  const policy = policies[name as PolicyName] as Policy; // its params are parsed by its own schema
  return { policy, params: parseWith(policy.params, own, "teach.mixture.by") };
}
