/**
 * @file statelab doctor: what this machine has, whether ONNX Runtime multiplies two matrices on it, and whether the
 * sandboxes for Python hold what attacks them.
 */

import { availableParallelism, cpus, freemem, totalmem } from "node:os";
import { performance } from "node:perf_hooks";
import { exitCodes } from "../records/error.ts";
import { textTable } from "../report/text-table.ts";
import { labVersion } from "../work/version.ts";
import { paintFor } from "./colour.ts";
import { choiceFlag, defineCommand } from "./command.ts";
import { allHeld, describeHosts, examineHosts } from "./doctor-python.ts";
import { progressOn } from "./progress.ts";

interface RuntimeReport {
  readonly version: string;
  readonly providers: readonly string[];
  /** The seconds that a session took to be made and run once, or why it could not. */
  readonly session:
    | { readonly ok: true; readonly seconds: number }
    | { readonly ok: false; readonly reason: string };
}

export const command = defineCommand({
  name: "doctor",
  summary: "say what this machine has and whether a model runs on it",
  usage: "doctor [--quick] [--host HOST] [--json]",
  options: {
    quick: { type: "boolean", description: "do not attack the sandboxes" },
    host: { type: "string", value: "HOST", default: "all", description: "embedded, native or all" },
  },
  examples: ["doctor", "doctor --quick", "doctor --host native --json"],
  notes: [
    "The sandboxes are attacked with programs that try to get out, to take too much or to lie: half a minute.",
    "Exit code 1 when no model runs or an attack is not contained, 6 when there is no sandbox at all.",
  ].join("\n"),

  async run({ values, json, print, say, signal }) {
    const choice = choiceFlag("--host", values.host, ["all", "embedded", "native"]);
    const runtime = await examineRuntime();
    const progress = progressOn(process.stderr);
    const names = choice === "all" ? (["embedded", "native"] as const) : [choice];
    const python = await examineHosts(names, values.quick, progress, signal).finally(() => progress.close());
    const report = {
      statelab: labVersion(),
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      processor: cpus()[0]?.model ?? "unknown",
      cores: availableParallelism(),
      memoryGiB: gibibytes(totalmem()),
      freeMemoryGiB: gibibytes(freemem()),
      onnxRuntime: runtime,
      python,
    };
    if (json) print(JSON.stringify(report, null, 2));
    else print(`${asTable(report, runtime)}\n\n${describeHosts(python, paintFor(process.stdout))}`);
    if (!runtime.session.ok)
      say("statelab: no model runs here; reinstall onnxruntime-node for this platform");
    if (!allHeld(python))
      say("statelab: an attack was not contained; run no code here that you do not trust");
    if (!runtime.session.ok || !allHeld(python)) return exitCodes.finishedWithFailures;
    if (python.some(({ missing }) => missing === null)) return exitCodes.ok;
    say("statelab: no program of Python can be contained here");
    return exitCodes.noSandbox;
  },
});

/** y = x W with x = [1 2], W = [[3 4] [5 6]]: a model of one node, so small that its bytes fit here. */
async function examineRuntime(): Promise<RuntimeReport> {
  const started = performance.now();
  try {
    const runtime = await import("onnxruntime-node");
    const version = runtime.env.versions.node ?? runtime.env.versions.common;
    const providers = runtime.listSupportedBackends().map(({ name }) => name);
    const model = Buffer.from(matrixProduct, "base64");
    const session = await runtime.InferenceSession.create(model, { logSeverityLevel: 3 });
    const { y } = await session.run({
      x: new runtime.Tensor("float32", Float32Array.of(1, 2), [1, 2]),
      w: new runtime.Tensor("float32", Float32Array.of(3, 4, 5, 6), [2, 2]),
    });
    const seconds = (performance.now() - started) / 1000;
    const right = String(y.data) === "13,16";
    return {
      version: version ?? "unknown",
      providers,
      session: right ? { ok: true, seconds } : { ok: false, reason: `expected 13,16, got ${y.data}` },
    };
  } catch (error) {
    return { version: "none", providers: [], session: { ok: false, reason: String(error) } };
  }
}

/** ModelProto: ir_version 8, opset 13, graph "doctor": MatMul(x [1,2], w [2,2]) -> y [1,2], float32. */
const matrixProduct =
  "CAg6WgoRCgF4CgF3EgF5IgZNYXRNdWwSBmRvY3RvcloTCgF4Eg4KDAgBEggKAggBCgIIAloTCgF3Eg4KDAgBEggKAggCCgIIAmITCgF5Eg4KDAgBEggKAggBCgIIAkICEA0=";

function asTable(report: Record<string, unknown>, { version, providers, session }: RuntimeReport): string {
  const facts = Object.entries(report).filter(([, value]) => typeof value !== "object");
  return textTable({
    columns: ["", ""],
    rows: [
      ...facts.map(([name, value]) => [name, String(value)]),
      ["onnxRuntime", version],
      ["providers", providers.join(", ")],
      [
        "session",
        session.ok ? `runs (${session.seconds.toFixed(2)} s to load, create and run)` : session.reason,
      ],
    ],
  });
}

function gibibytes(bytes: number): number {
  return Math.round((bytes / 2 ** 30) * 10) / 10;
}
