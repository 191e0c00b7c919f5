/**
 * @file Whether Slurm can carry out the lab's work: asked by its programs, and by one small job that looks at the folder from a
 * node, and is queued again while it runs.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import {
  collectFindings,
  type ExamineOptions,
  type Finding,
  mostClockSeconds,
  waitFor,
} from "../../executors/examine.ts";
import { type CallProgram, callingWith } from "../../executors/slurm-queue.ts";

interface ExamineSlurmOptions extends ExamineOptions {
  readonly partition?: string | undefined;
  /** What calls the lab on a node. */
  readonly program: readonly string[];
  readonly call?: CallProgram;
}

/** Ends with the first finding after which the others say nothing. */
export async function examineSlurm(options: ExamineSlurmOptions): Promise<Finding[]> {
  const { partition, program, version, signal, onFinding, call = callingWith({}) } = options;
  const { findings, found } = collectFindings(onFinding);
  const sinfo = await call("sinfo", "--version");
  if (!found("programs", sinfo.ok, sinfo.ok ? sinfo.stdout.trim() : sinfo.complaint)) return findings;
  const shown = await call("scontrol", "show", "config");
  const value = (key: string) =>
    new RegExp(`^${key}\\s*=\\s*(.*)$`, "m").exec(shown.stdout)?.[1].trim() ?? "?";
  const limits = ["MaxArraySize", "MaxJobCount", "KillWait", "MinJobAge"].map(
    (key) => `${key} ${value(key)}`,
  );
  if (!found("controller", shown.ok, shown.ok ? limits.join(", ") : shown.complaint)) return findings;
  const requeues = value("JobRequeue");
  found(
    "requeue by default",
    true,
    requeues === "1" ? "yes" : "no: Statelab requests --requeue, and submits lost jobs again",
  );
  const nodes = await call("sinfo", "--noheader", "--format=%P %l %D %T");
  found("partitions", nodes.ok && nodes.stdout.trim() !== "", nodes.stdout.trim().split("\n").join("; "));

  const folder = mkdtempSync(join(resolve(options.folder), ".statelab-doctor-"));
  const seen = (name: string) => {
    const path = join(folder, name);
    return existsSync(path) && readFileSync(path, "utf8").endsWith("\n")
      ? readFileSync(path, "utf8").trim()
      : undefined;
  };
  let job: string | undefined;
  try {
    const script = join(folder, "job.sh");
    const lab = program.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    writeFileSync(
      script,
      [
        "#!/bin/sh",
        `cd '${folder.replaceAll("'", "'\\''")}' || exit 1`,
        "epoch=$SLURM_RESTART_COUNT",
        '[ "$epoch" ] || epoch=0',
        `echo "$(hostname) $(date +%s)" > "begun-$epoch"`,
        `{ ${lab} --version 2>&1 || echo failed; } | tail -n 1 > "lab-$epoch"`,
        '[ "$epoch" = 0 ] && exec sleep 3600',
        "exit 0",
        "",
      ].join("\n"),
    );
    const submitted = await call(
      "sbatch",
      ...[
        "--parsable",
        "--requeue",
        "--job-name=statelab-doctor",
        "--output=/dev/null",
        "--time=5",
        "--ntasks=1",
      ],
      ...(partition === undefined ? [] : [`--partition=${partition}`]),
      script,
    );
    if (!found("job accepted", submitted.ok, submitted.ok ? submitted.stdout.trim() : submitted.complaint))
      return findings;
    job = submitted.stdout.trim().split(";")[0];
    const first = await waitFor(() => seen("begun-0"), options);
    const late = `nothing in ${folder} after ${options.waitSeconds} s; do the nodes share this disk, and is a node free?`;
    if (!found("job runs and sees this folder", first !== undefined, first ?? late)) return findings;
    const [host, seconds] = first!.split(" ");
    const apart = Math.abs(Number(seconds) - Date.now() / 1000);
    found(
      "clocks",
      apart < mostClockSeconds,
      `${host} and ${hostname()} are at most ${Math.ceil(apart)} s apart`,
    );
    const lab0 = await waitFor(() => seen("lab-0"), options);
    found(
      "statelab starts on the node",
      lab0 === version,
      lab0 === version ? version : `${lab0 ?? "nothing"}, expected ${version}`,
    );
    const again = await call("scontrol", "requeue", job);
    if (!found("running job can be requeued", again.ok, again.ok ? "yes" : again.complaint)) return findings;
    const asked = performance.now();
    const second = await waitFor(() => seen("begun-1"), options);
    const after = `restarted after ${Math.round((performance.now() - asked) / 1000)} s`;
    found("job restarts with a count", second !== undefined, second === undefined ? late : after);
    return findings;
  } finally {
    if (job !== undefined) await call("scancel", "--quiet", job);
    rmSync(folder, { recursive: true, force: true });
    signal.throwIfAborted();
  }
}
