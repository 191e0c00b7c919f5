/** @file Files that are handed to an agent: the state machine of its control, the concepts of its view. */

import { readFile } from "node:fs/promises";
import { fail } from "../../core/error.ts";
import { parseWith, parseYaml } from "../../core/settings.ts";
import { AgentMachine } from "../../schemas/agent-machine.ts";
import { ConceptStore } from "../../schemas/agents.ts";
import { readRecord } from "../../storage/index.ts";

/** Parameters of entries, as `--set` would give them. @throws LabError where a file is not as it should be. */
export async function givenSettings(
  world: string,
  { machine, concepts }: { readonly machine?: string | undefined; readonly concepts?: string | undefined },
): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  const hint = "statelab agent concepts DIR writes some";
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
