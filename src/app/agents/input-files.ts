/** @file Files that are handed to an agent: the state machine of its control, the concepts of its view. */

import { readFile } from "node:fs/promises";
import { fail } from "../../core/error.ts";
import { parseWith, parseYaml } from "../../core/settings.ts";
import type { ScriptedPolicy } from "../../eval/agents/policies/policy.ts";
import { policies } from "../../eval/agents/registries.ts";
import { AgentMachine } from "../../schemas/agent-machine.ts";
import { ConceptStore } from "../../schemas/agents.ts";
import { readRecord } from "../../storage/index.ts";
import { bundleSource, loadSource, type OwnSource } from "../own-code/load.ts";

/** Parameters of entries, as `--set` would give them. @throws LabError where a file is not as it should be. */
export async function readAgentSettings(
  world: string,
  { machine, concepts }: { readonly machine?: string | undefined; readonly concepts?: string | undefined },
): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  const hint = "Create some with statelab agent concepts DIR";
  const store = concepts === undefined ? undefined : await readRecord(concepts, ConceptStore, hint);
  if (store !== undefined && store.world !== world)
    fail(concepts!, `concepts of ${world}`, store.world, hint);
  return {
    ...(machine !== undefined && {
      machine: { machine: parseWith(AgentMachine, parseYaml(await textOf(machine), machine), machine) },
    }),
    ...(store !== undefined && { concepts: { store: store.concepts } }),
  };
}

const textOf = (path: string) =>
  readFile(path, "utf8").catch(() =>
    fail("--machine", "the file of a state machine", path, "There is no such file"),
  );

export interface OwnPolicy {
  readonly policy: ScriptedPolicy;
  readonly source: OwnSource;
}

/** Runs the file's code with the user's rights: naming a file means trusting it. @throws LabError if it is not a policy */
export async function ownPolicy(path: string): Promise<OwnPolicy> {
  const source = await bundleSource(path);
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
