/**
 * @file A user's own policy for an agent: `--policy ./mine.ts`. The file's default export is a script like the built-in ones.
 *
 *     import { definePolicy } from "statelab/eval";
 *     export default definePolicy({ name: "mine", summary: "...", params: z.strictObject({}), decide: (shown, params, rng) => "..." });
 *
 * The bundle is kept with the episodes (own/policy.mjs). Replay and report do not run it: its decisions are in the ledger.
 */

import { fail } from "../../core/error.ts";
import { policies } from "../../eval/agents/policies/index.ts";
import type { ScriptedPolicy } from "../../eval/agents/policies/policy.ts";
import { bundled, loadSource, type OwnSource } from "../own-code/load.ts";

export interface OwnPolicy {
  readonly policy: ScriptedPolicy;
  readonly source: OwnSource;
}

/** Runs the file's code with the user's rights: naming a file means trusting it. @throws LabError if it is not a policy */
export async function ownPolicy(path: string): Promise<OwnPolicy> {
  const source = await bundled(path);
  const policy = (await loadSource("policy", source, path)) as ScriptedPolicy; // its fields were checked
  if (Object.hasOwn(policies, policy.name)) {
    fail(path, "a name that no built-in policy has", policy.name, "Its parameters are set by its name");
  }
  const decide: ScriptedPolicy["decide"] = (shown, params, rng) => {
    let reply: unknown;
    try {
      reply = policy.decide(shown, params, rng);
    } catch (error) {
      return fail(path, `${policy.name} to decide`, String(error), placeIn(path, error));
    }
    return typeof reply === "string" ? reply : fail(path, `a reply of ${policy.name}, as text`, typeof reply);
  };
  return { policy: { ...policy, kind: "scripted", decide }, source };
}

/** The position of an error in the bundle, which is close to that in the file. */
function placeIn(path: string, error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const line = stack.split("\n").find((each) => each.includes(path));
  return line && `Thrown ${line.trim()} of its text in own/policy.mjs`;
}
