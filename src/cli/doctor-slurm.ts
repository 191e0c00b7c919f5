/** @file statelab doctor --on slurm: whether an engine can carry out the lab's work. */

import { exitCodes } from "../records/error.ts";
import { textTable } from "../report/text-table.ts";
import { examineSlurm } from "../work/doctor/slurm.ts";
import { labVersion } from "../work/version.ts";
import type { Invocation } from "./command.ts";
import { programHere } from "./engine-of.ts";

interface SlurmFlags extends Pick<Invocation, "json" | "print" | "say" | "signal"> {
  readonly folder: string;
  readonly partition: string | undefined;
  readonly waitSeconds: number;
}

export async function examineOnSlurm({ json, print, say, ...flags }: SlurmFlags): Promise<number> {
  const findings = await examineSlurm({
    ...flags,
    ...{ program: programHere(), version: labVersion() },
    onFinding: ({ what, ok }) => say(`statelab: ${what}: ${ok ? "ok" : "no"}`),
  });
  if (json) print(JSON.stringify({ engine: "slurm", findings }));
  else {
    const rows = findings.map(({ what, ok, words }) => [what, ok ? "ok" : "no", words]);
    print(textTable({ columns: ["slurm", "", ""], rows }));
  }
  return findings.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.finishedWithFailures;
}
