/**
 * @file statelab doctor: what this machine has, whether ONNX Runtime multiplies two matrices on it, and whether the
 * Python sandboxes contain their attacks.
 */

import { allPassed, examineHost, type HostReport } from "../app/doctor/hosts.ts";
import { examineMachine, type RuntimeReport } from "../app/doctor/machine.ts";
import type { ModelOnDevice } from "../app/doctor/models.ts";
import { describeCounts } from "../app/doctor/placement.ts";
import { CUDA_HINT, type Provider, refuseDevice } from "../app/doctor/providers.ts";
import { exitCodes, fail, Words } from "../core/error.ts";
import type { Finding } from "../executors/examine.ts";
import { executorKind, loadPackage } from "../executors/index.ts";
import type { ModelName } from "../models/index.ts";
import { type Paint, textTable } from "../report/text-table.ts";
import { labVersion } from "../storage/version.ts";
import type { Device } from "../tensor/session.ts";
import { defineCommand, type Invocation } from "./lib/command.ts";
import { programHere, withObjects } from "./lib/executor.ts";
import { flag, group, rare } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";
import { paintFor } from "./lib/terminal.ts";

export const command = defineCommand({
  name: "doctor",
  summary: "check this machine: runtime, devices, sandboxes",
  usage: "doctor [OPTIONS]",
  options: {
    device: flag.choice("DEVICE", "check architectures on a device instead: webgpu or cuda", [
      "webgpu",
      "cuda",
    ]),
    model: flag.list(
      "NAMES",
      "architectures of --device, or all [transformer,deltanet,lstm]",
      (name) => name,
    ),
    quick: flag.toggle("skip the sandbox attacks"),
    python: flag.choice("HOST", "embedded, native or all", ["all", "embedded", "native"], { default: "all" }),
    executor: flag.text("NAME", "check a cluster instead: slurm, or redis://HOST:6379"),
    ...rare(
      group("Cluster", {
        folder: flag.text("DIR", "a folder that all machines share", { default: "." }),
        "object-store": flag.text("s3://BUCKET/PREFIX", "redis: object store instead of a shared folder"),
        partition: flag.text("NAME", "slurm: partition [the site's default]"),
        timeout: flag.integer("SECONDS", "maximum time per step", { default: 300, least: 1 }),
      }),
    ),
  },
  examples: ["doctor", "doctor --device webgpu --model all", "doctor --executor slurm --folder runs"],
  notes: [
    "Runs test attacks in each sandbox (half a minute): escape, resource exhaustion, forged results.",
    "Exit codes: 1 no model runs, an attack succeeds, or an architecture fails on --device; 6 no sandbox.",
    "More: docs/concepts/security.md",
  ].join("\n"),

  async run({ values, json, print, say, signal }) {
    if (values.executor !== undefined) {
      const { executor: on, folder, "object-store": objects, partition, timeout: waitSeconds } = values;
      return examineOn({ on, folder, objects, partition, waitSeconds, json, print, say, signal });
    }
    if (values.device !== undefined) {
      const names = values.model ?? ["transformer", "deltanet", "lstm"];
      return examineOnDevice(values.device, names, { json, print, signal });
    }
    if (values.model !== undefined) fail("doctor --model", "--device DEVICE with it", new Words("none"));
    const { python: choice } = values;
    const machine = await examineMachine();
    const { onnxRuntime: runtime } = machine;
    const progress = progressOn(process.stderr);
    const names = choice === "all" ? (["embedded", "native"] as const) : [choice];
    const python = await Promise.all(
      names.map((name) =>
        examineHost(name, {
          quick: values.quick,
          signal,
          onFinding: ({ attack }, step, steps) => progress.update(name, { step, steps, note: attack }),
        }),
      ),
    ).finally(() => progress.close());
    const report = { ...machine, python };
    if (json) print(JSON.stringify(report, null, 2));
    else print(`${asTable(report, runtime)}\n\n${describeHosts(python, paintFor(process.stdout))}`);
    if (!runtime.session.ok) say("statelab: no model runs here; install onnxruntime-node for this platform");
    if (!allPassed(python)) say("statelab: a sandbox attack succeeded; do not run untrusted code here");
    if (!runtime.session.ok || !allPassed(python)) return exitCodes.finishedWithFailures;
    if (python.some(({ missing }) => missing === null)) return exitCodes.ok;
    say("statelab: no Python sandbox works here");
    return exitCodes.noSandbox;
  },
});

async function examineOnDevice(
  device: Device,
  names: readonly string[],
  { json, print, signal }: Pick<Invocation, "json" | "print" | "signal">,
): Promise<number> {
  await refuseDevice(device);
  const [{ models, modelNamed }, { examineModel }] = await Promise.all([
    import("../models/index.ts"),
    import("../app/doctor/models.ts"),
  ]);
  const asked = names.includes("all") ? Object.keys(models) : names;
  for (const name of asked) modelNamed(name); // refuses an unknown one
  const progress = progressOn(process.stderr, { plainEverySeconds: 30 });
  const found: ModelOnDevice[] = [];
  try {
    for (const [step, name] of asked.entries()) {
      progress.update(device, { step, steps: asked.length, note: name });
      found.push(await examineModel(name as ModelName, device));
      signal.throwIfAborted();
    }
  } finally {
    progress.close();
  }
  if (json) print(JSON.stringify({ device, models: found }));
  else {
    const columns = ["architecture", "operators on the CPU", "gradient differs by"];
    const rows = found.map(({ model, onCpu, difference }) => [
      ...[model, describeCounts(onCpu) || "none", difference.toExponential(0)],
    ]);
    print(textTable({ columns, rows }));
  }
  const works = found.every(
    ({ onCpu, difference }) =>
      difference < LARGEST_DIFFERENCE && (device !== "webgpu" || Object.keys(onCpu).length === 0),
  );
  return works ? exitCodes.ok : exitCodes.finishedWithFailures;
}

/** Of the gradient on a device from that of the CPU, relative. */
const LARGEST_DIFFERENCE = 1e-3;

function asTable(report: Record<string, unknown>, { version, providers, session }: RuntimeReport): string {
  const facts = Object.entries(report).filter(([, value]) => typeof value !== "object");
  return textTable({
    columns: ["", ""],
    rows: [
      ...facts.map(([name, value]) => [name, String(value)]),
      ["onnxRuntime", version],
      [
        "session",
        session.ok ? `runs (${session.seconds.toFixed(2)} s to load, create and run)` : session.reason,
      ],
      ...providers.map((provider) => [provider.name, wordsOf(provider)]),
    ],
  });
}

/** `compiled in; does not run here: No supported adapters`. */
function wordsOf({ name, compiledIn, tried, device }: Provider): string {
  const where = compiledIn ? "compiled in" : "from files beside the library";
  const how = tried.ok ? `runs here (${tried.seconds.toFixed(2)} s)` : `does not run here: ${tried.reason}`;
  const hint = name === "cuda" && !tried.ok ? `. ${CUDA_HINT}` : "";
  return `${where}; ${how}${hint}${device ? "" : "; not a --device of Statelab"}`;
}

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

/** Examinations by executor. */
const examinations: Readonly<Record<string, (flags: Examined) => Promise<Finding[]>>> = {
  slurm: async (flags) => {
    const { examineSlurm } = await import("../app/doctor/slurm.ts");
    return examineSlurm({ ...flags, program: programHere() });
  },
  redis: async ({ on, objects, ...flags }) => {
    const { examine } = await loadPackage("redis");
    return examine(withObjects(on, objects), flags);
  },
};

async function examineOn({ json, print, say, ...flags }: EngineDoctorFlags): Promise<number> {
  const kind = executorKind(flags.on);
  const examine = Object.hasOwn(examinations, kind) ? examinations[kind] : undefined;
  if (examine === undefined)
    return fail(
      "--executor",
      `one of ${Object.keys(examinations).join(", ")}`,
      flags.on,
      "Write redis as redis://HOST:6379",
    );
  if (flags.objects !== undefined && kind !== "redis")
    fail("doctor", "--object-store with --executor redis", flags.on);
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

/** One line per host, then one line per attack that was not contained. */
export function describeHosts(reports: readonly HostReport[], paint: Paint): string {
  const lines = reports.map(({ host, containment, missing, attacks }): string[] => {
    const held = attacks.filter((finding) => finding.held).length;
    const count = attacks.length === 0 ? "not attacked" : `${held} of ${attacks.length} attacks blocked`;
    return [
      `python, ${host}`,
      missing === null ? containment : `none: ${missing}`,
      missing === null ? count : "",
    ];
  });
  const attacked = reports.filter(({ attacks }) => attacks.length > 0);
  const rows = attacked.flatMap(({ host, attacks }) =>
    attacks.flatMap(({ attack, held, breach }) =>
      held ? [] : [[host, attack, paint("red", `NOT BLOCKED: ${breach}`)]],
    ),
  );
  const table = { columns: ["host", "attack", ""], rows };
  return [
    textTable({ columns: ["", "", ""], rows: lines }),
    ...(rows.length > 0 ? [textTable(table, paint)] : []),
  ].join("\n\n");
}
