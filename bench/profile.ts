/**
 * @file The time of a training step by operator: ONNX Runtime's own profile of forward and backward pass, by operator.
 *
 *     npm run bench -- profile
 *
 * One thread, 8 sequences of 256 tokens. A Scan counts as a whole; the nodes of its body, which the profile lists
 * too, are left out. Operators other than products move numbers.
 *
 * The profiler costs several microseconds a node, which is more than most nodes of a Scan's body take: so the step is
 * timed without it as well, a step of each in turn, and what a Scan seems to take too much shows.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { median } from "../src/core/statistics.ts";
import { textTable } from "../src/report/text-table.ts";
import { compile } from "../src/tensor/index.ts";
import { nodeRuntime } from "../src/tensor/session-node.ts";
import type { BenchOptions } from "./lib/interleave.ts";
import { benchmarkConfig, configName, makeProblem, modelNames } from "./train-step/problem.ts";
import { buildGraph, makeFeeds } from "./train-step/statelab.ts";

const STEPS = 20;
const WARM_UP = 3;
const SHOWN = 12;
const PRODUCTS = new Set(["MatMul", "Gemm", "FusedMatMul", "Conv"]);

const Event = z.object({
  cat: z.string(),
  name: z.string(),
  dur: z.number(),
  ts: z.number(),
  args: z.looseObject({ op_name: z.string().optional() }).optional(),
});
type Event = z.infer<typeof Event>;

export interface ProfileRow {
  readonly op: string;
  /** Milliseconds and calls of one step. */
  readonly milliseconds: number;
  readonly calls: number;
}

export interface Profile {
  readonly config: string;
  readonly milliseconds: number;
  /** Median milliseconds of a whole step without the profiler. */
  readonly unprofiled: number;
  /** The share of matrix products and convolutions outside of Scans. */
  readonly products: number;
  readonly rows: readonly ProfileRow[];
}

export async function run({ json, signal }: BenchOptions): Promise<readonly Profile[]> {
  const profiles: Profile[] = [];
  for (const model of modelNames) {
    for (const width of [64, 128]) {
      if (signal.aborted) return profiles;
      const profile = await profileTraining(benchmarkConfig(model, width, 8));
      profiles.push(profile);
      if (!json) console.log(`${profileText(profile)}\n`);
    }
  }
  if (json) console.log(JSON.stringify({ version: 1, benchmark: "profile", profiles }, null, 2));
  return profiles;
}

export async function profileTraining(
  config: ReturnType<typeof benchmarkConfig>,
  steps = STEPS,
): Promise<Profile> {
  const folder = mkdtempSync(join(tmpdir(), "statelab-profile-"));
  try {
    const { graph, outputs } = buildGraph(config);
    const runtime = nodeRuntime();
    const options = { ...runtime.options, enableProfiling: true, profileFilePrefix: join(folder, "step") };
    const session = await compile(graph, outputs, { ...runtime, options });
    const feeds = makeFeeds(makeProblem(config));
    const plain = await compile(graph, outputs, runtime);
    const seconds: number[] = [];
    for (let i = 0; i < WARM_UP + steps; i++) {
      await session.run(feeds);
      const start = performance.now();
      await plain.run(feeds);
      if (i >= WARM_UP) seconds.push((performance.now() - start) / 1000);
    }
    await plain.release();
    await session.release(); // writes the profile
    const [file] = readdirSync(folder);
    const events = z.array(Event).parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
    return { ...summary(configName(config), events, steps), unprofiled: 1000 * median(seconds) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Of the events the last `steps` runs of the model, by operator; nodes that ran while a Scan did are its own. */
export function summary(config: string, events: readonly Event[], steps: number) {
  const runs = events.filter(({ cat, name }) => cat === "Session" && name === "model_run").slice(-steps);
  const from = Math.min(...runs.map(({ ts }) => ts));
  const kernels = events
    .filter(({ cat, name, ts }) => cat === "Node" && name.endsWith("_kernel_time") && ts >= from)
    .toSorted((a, b) => a.ts - b.ts || b.dur - a.dur);
  const totals = new Map<string, { microseconds: number; calls: number }>();
  let scanEnds = 0;
  for (const { ts, dur, args } of kernels) {
    if (ts < scanEnds) continue;
    const op = args?.op_name ?? "unnamed";
    if (op === "Scan") scanEnds = ts + dur;
    const before = totals.get(op) ?? { microseconds: 0, calls: 0 };
    totals.set(op, { microseconds: before.microseconds + dur, calls: before.calls + 1 });
  }
  const rows = [...totals]
    .map(([op, { microseconds, calls }]) => ({
      op,
      milliseconds: microseconds / 1000 / steps,
      calls: calls / steps,
    }))
    .toSorted((a, b) => b.milliseconds - a.milliseconds);
  const milliseconds = rows.reduce((total, row) => total + row.milliseconds, 0);
  const inProducts = rows
    .filter(({ op }) => PRODUCTS.has(op))
    .reduce((sum, row) => sum + row.milliseconds, 0);
  return { config, milliseconds, products: inProducts / milliseconds, rows };
}

function profileText({ config, milliseconds, unprofiled, products, rows }: Profile): string {
  const share = (value: number) => `${((100 * value) / milliseconds).toFixed(1)} %`;
  const table = rows
    .slice(0, SHOWN)
    .map((row) => [row.op, row.milliseconds.toFixed(2), share(row.milliseconds), row.calls.toFixed(0)]);
  const title = `${config}: ${milliseconds.toFixed(1)} ms in kernels, ${(100 * products).toFixed(0)} % of it in products; ${unprofiled.toFixed(1)} ms a step without the profiler`;
  return `${title}\n${textTable({ columns: ["operator", "ms", "share", "calls"], rows: table })}`;
}
