/** @file statelab doctor --on ENGINE: whether an engine can carry out the lab's work. */

import { examineRedis } from "../../packages/redis/doctor.ts";
import type { Finding } from "../app/doctor/engine.ts";
import { examineSlurm } from "../app/doctor/slurm.ts";
import { exitCodes, fail } from "../core/error.ts";
import { kindOfEngine } from "../executors/index.ts";
import { textTable } from "../report/text-table.ts";
import { labVersion } from "../storage/version.ts";
import type { Invocation } from "./command.ts";
import { withObjects } from "./executor-flags.ts";
import { programHere } from "./executor-of.ts";

interface EngineDoctorFlags extends Pick<Invocation, "json" | "print" | "say" | "signal"> {
  readonly on: string;
  readonly folder: string;
  readonly objects: string | undefined;
  readonly partition: string | undefined;
  readonly waitSeconds: number;
}

type Examined = Omit<EngineDoctorFlags, "json" | "print" | "say"> & {
  readonly version: string;
  readonly onFinding: (finding: Finding) => void;
};

/** One for each engine that can be examined. */
const examinations: Readonly<Record<string, (flags: Examined) => Promise<Finding[]>>> = {
  slurm: (flags) => examineSlurm({ ...flags, program: programHere() }),
  redis: ({ on, objects, ...flags }) => examineRedis(withObjects(on, objects), flags),
};

export async function examineOn({ json, print, say, ...flags }: EngineDoctorFlags): Promise<number> {
  const kind = kindOfEngine(flags.on);
  const examine = Object.hasOwn(examinations, kind) ? examinations[kind] : undefined;
  if (examine === undefined)
    return fail(
      "--on",
      `one of ${Object.keys(examinations).join(", ")}`,
      flags.on,
      "redis as redis://HOST:6379",
    );
  if (flags.objects !== undefined && kind !== "redis") fail("doctor", "--objects with --on redis", flags.on);
  const findings = await examine({
    ...flags,
    version: labVersion(),
    onFinding: ({ what, ok }) => say(`statelab: ${what}: ${ok ? "ok" : "no"}`),
  });
  if (json) print(JSON.stringify({ engine: kind, findings }));
  else {
    const rows = findings.map(({ what, ok, words }) => [what, ok ? "ok" : "no", words]);
    print(textTable({ columns: [kind, "", ""], rows }));
  }
  return findings.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.finishedWithFailures;
}
