/**
 * @file How long CRUXEval's 800 programs take to be traced and proven, against a plain sys.settrace loop in native CPython.
 *
 *     npm run bench -- trace
 *
 * Two interpreters of each host, every program from an untouched state. The plain loop runs
 * in CPython without proof or containment; its steps are line events, ours lines of the trace, of which each program is run
 * three times: unrolled, as a plain program, as its trace. Then what a line costs in traces of 100 to 100,000 lines.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { traceBenchmark } from "../src/app/trace/benchmark.ts";
import { fail } from "../src/core/error.ts";
import { silent } from "../src/core/progress.ts";
import { benchmarkRows, benchmarks } from "../src/python/benchmarks/index.ts";
import { hostNames } from "../src/python/sandbox/host.ts";
import { findNative } from "../src/python/sandbox/native.ts";
import { withHost } from "../src/python/sandbox/open.ts";
import { TracedRow } from "../src/schemas/trace.ts";
import type { BenchOptions } from "./lib/interleave.ts";
import { type LineCost, lineCosts } from "./trace/line-cost.ts";

interface Measured {
  readonly name: string;
  readonly programs: number;
  readonly steps: number;
  readonly seconds: number;
}

export async function run({ json, signal }: BenchOptions): Promise<readonly Measured[]> {
  const file = join(process.env.STATELAB_DATA ?? "../shared/data", "cruxeval", "cruxeval.jsonl");
  if (!existsSync(file))
    fail("bench trace", "CRUXEval's file", file, "Set STATELAB_DATA to its folder's parent");
  const text = readFileSync(file, "utf8");
  const measured: Measured[] = [];
  const add = (each: Measured) => {
    measured.push(each);
    if (!json)
      console.log(
        `${each.name.padEnd(34)} ${each.seconds.toFixed(1).padStart(7)} s ${(each.steps / each.seconds).toFixed(0).padStart(9)} steps/s   ${each.programs} programs, ${each.steps} steps`,
      );
  };
  add(plainLoop(text));
  for (const host of hostNames) {
    if (host === "native" && findNative().kind === "missing") continue;
    const out = mkdtempSync(join(tmpdir(), "statelab-bench-"));
    try {
      const { coverage, interrupted } = await traceBenchmark(benchmarks.cruxeval, {
        rows: benchmarkRows(benchmarks.cruxeval, text, file),
        split: "test",
        filter: "none",
        calls: "inline",
        anonymous: false,
        maximumSteps: 100_000,
        wallSeconds: 30,
        jobs: 2,
        host,
        progress: silent,
        out,
        signal,
      });
      if (interrupted) break;
      const rows = readFileSync(join(out, "traces.jsonl"), "utf8").trimEnd().split("\n");
      const steps = rows.reduce((sum, line) => sum + TracedRow.parse(JSON.parse(line)).trace.lines.length, 0);
      add({ name: host, programs: coverage.proven, steps, seconds: coverage.seconds });
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  }
  const lines: LineCost[] = [];
  for (const name of hostNames) {
    if (name === "native" && findNative().kind === "missing") continue;
    await withHost({ host: name, atMost: 1 }, async (host) => {
      for await (const cost of lineCosts(host, signal)) {
        lines.push(cost);
        const { program, lines: count, millisecondsALine } = cost;
        if (!json)
          console.log(
            `${name}, ${program.padEnd(8)} ${count} lines ${millisecondsALine.toFixed(3)} ms a line`,
          );
      }
    });
  }
  if (json) console.log(JSON.stringify({ version: 1, benchmark: "trace", measured, lines }, null, 2));
  return measured;
}

function plainLoop(text: string): Measured {
  const script = join(
    dirname(fileURLToPath(import.meta.url)).replace(/dist\/bench$/, "bench"),
    "trace/settrace.py",
  );
  const { status, stdout, stderr } = spawnSync("python3", ["-I", script], { input: text, encoding: "utf8" });
  if (status !== 0) fail("bench trace", "python3 to run the plain loop", stderr.trim());
  const { seconds, lines, programs } = JSON.parse(stdout) as {
    seconds: number;
    lines: number;
    programs: number;
  };
  return { name: "CPython, plain sys.settrace loop", programs, steps: lines, seconds };
}
