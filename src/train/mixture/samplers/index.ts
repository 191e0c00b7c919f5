/** @file Every policy of shares, by name. To add one: write its file, its test and one line here. */

import { z } from "zod";
import { suggest } from "../../../core/did-you-mean.ts";
import { fail } from "../../../core/error.ts";
import { parseWith } from "../../../core/settings.ts";
import { birdie } from "./birdie.ts";
import { bandit } from "./exp3.ts";
import { definePolicy, type Policy } from "./policy.ts";

/** The configured shares throughout. */
const fixed = definePolicy({
  params: z.strictObject({}),
  choose: ({ given }) => ({ shares: given, looked: [] }),
});

/** Equal shares, whatever is configured. */
const uniform = definePolicy({
  params: z.strictObject({}),
  choose: ({ given }) => ({ shares: given.map(() => 1 / given.length), looked: [] }),
});

export const policies = { fixed, uniform, bandit, birdie };

export interface ChosenPolicy {
  readonly policy: Policy;
  readonly params: unknown;
}

/** Errors: LabError for an unknown name or field. */
export function policyNamed(given: string | { readonly name: string }): ChosenPolicy {
  const { name, ...own } = typeof given === "string" ? { name: given } : given;
  const names = Object.keys(policies);
  if (!Object.hasOwn(policies, name))
    return fail("data.mixture.sampler", `one of ${names.join(", ")}`, name, suggest(name, names));
  const policy = policies[name as keyof typeof policies] as Policy; // its params are parsed by its own schema
  return { policy, params: parseWith(policy.params, own, "data.mixture.sampler") };
}
