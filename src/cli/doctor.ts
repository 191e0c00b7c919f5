/**
 * @file statelab doctor: what this machine has, whether ONNX Runtime multiplies two matrices on it, and whether the
 * sandboxes for Python hold what attacks them.
 */

import { allHeld, examineHost } from "../app/doctor/hosts.ts";
import { examineMachine, type RuntimeReport } from "../app/doctor/machine.ts";
import type { Provider } from "../app/doctor/providers.ts";
import { exitCodes } from "../core/error.ts";
import { textTable } from "../report/text-table.ts";
import { paintFor } from "./colour.ts";
import { choiceFlag, defineCommand, integerFlag } from "./command.ts";
import { describeHosts } from "./doctor-python.ts";
import { progressOn } from "./progress.ts";

export const command = defineCommand({
  name: "doctor",
  summary: "say what this machine has and whether a model runs on it",
  usage: "doctor [--quick] [--host HOST] [--on ENGINE] [--json]",
  options: {
    quick: { type: "boolean", description: "do not attack the sandboxes" },
    host: { type: "string", value: "HOST", default: "all", description: "embedded, native or all" },
    on: {
      type: "string",
      value: "ENGINE",
      description: "instead: examine an engine by a small job; slurm, or redis://HOST:6379",
    },
    folder: {
      type: "string",
      value: "DIR",
      default: ".",
      description: "with --on: a folder that its machines share",
    },
    objects: {
      type: "string",
      value: "s3://BUCKET/PREFIX",
      description: "redis: the store of objects in place of a shared folder",
    },
    partition: { type: "string", value: "NAME", description: "slurm: where, in place of the default" },
    wait: {
      type: "string",
      value: "SECONDS",
      default: "300",
      description: "with --on: how long for each step",
    },
  },
  examples: [
    "doctor",
    "doctor --quick",
    "doctor --host native --json",
    "doctor --on slurm --folder runs",
    "doctor --on redis://head:6379 --folder runs",
    "doctor --on redis://head:6379 --objects s3://lab/runs",
  ],
  notes: [
    "The sandboxes are attacked with programs that try to get out, to take too much or to lie: half a minute.",
    "Exit code 1 when no model runs or an attack is not contained, 6 when there is no sandbox at all.",
  ].join("\n"),

  async run({ values, json, print, say, signal }) {
    if (values.on !== undefined) {
      const { examineOn } = await import("./doctor-engine.ts");
      const { on, folder, objects, partition } = values;
      const waitSeconds = integerFlag("--wait", values.wait, 1);
      return examineOn({ on, folder, objects, partition, waitSeconds, json, print, say, signal });
    }
    const choice = choiceFlag("--host", values.host, ["all", "embedded", "native"]);
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
    if (!runtime.session.ok)
      say("statelab: no model runs here; install onnxruntime-node for this platform beside statelab");
    if (!allHeld(python))
      say("statelab: an attack was not contained; run no code here that you do not trust");
    if (!runtime.session.ok || !allHeld(python)) return exitCodes.finishedWithFailures;
    if (python.some(({ missing }) => missing === null)) return exitCodes.ok;
    say("statelab: no program of Python can be contained here");
    return exitCodes.noSandbox;
  },
});

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
function wordsOf({ compiledIn, tried, device }: Provider): string {
  const where = compiledIn ? "compiled in" : "from files beside the library";
  const how = tried.ok ? `runs here (${tried.seconds.toFixed(2)} s)` : `does not run here: ${tried.reason}`;
  return `${where}; ${how}${device ? "" : "; no --device of the lab"}`;
}
