/**
 * @file Which nodes of a graph ONNX Runtime computes on the CPU though another device was named. Its profile of a run says so:
 *
 *     {"cat": "Node", "name": "Sign_7_kernel_time", "args": {"op_name": "Sign", "provider": "CPUExecutionProvider"}}
 */

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail } from "../../core/error.ts";
import { type Graph, size, type Tensor, type TensorData } from "../../tensor/graph.ts";
import { compile, emptyData, type Feeds, type Runtime } from "../../tensor/session.ts";
import { trainingGraph } from "../../train/graph.ts";
import type { Setup } from "../../train/setup.ts";

/** Numbers of nodes by operator. */
export type OperatorCounts = Readonly<Record<string, number>>;

export interface Placement {
  /** Nodes that the CPU computes. */
  readonly onCpu: OperatorCounts;
  /** Arrays copied to the device and back in one run. */
  readonly transfers: number;
}

interface Profiled extends Placement {
  readonly nodes: number;
  readonly results: Readonly<Record<string, TensorData>>;
}

interface Event {
  readonly cat: string;
  readonly name: string;
  readonly args?: { readonly op_name?: string; readonly provider?: string };
}

/** Runs the graph once, by default on zeros. */
export async function profiledRun(
  graph: Graph,
  outputs: Readonly<Record<string, Tensor>>,
  runtime: Runtime,
  feeds: Feeds = zeros(graph),
): Promise<Profiled> {
  const folder = await mkdtemp(join(tmpdir(), "statelab-profile-"));
  try {
    const options = { ...runtime.options, enableProfiling: true, profileFilePrefix: join(folder, "run") };
    const session = await compile(graph, outputs, { ...runtime, options });
    const results = await session.run(feeds).finally(() => session.release()); // the profile is written on release
    const [file] = await readdir(folder);
    const events = JSON.parse(await readFile(join(folder, file), "utf8")) as readonly Event[]; // ONNX Runtime wrote it
    const providers = new Map<string, { readonly op: string; readonly provider: string }>();
    for (const { cat, name, args: { op_name: op, provider } = {} } of events)
      if (cat === "Node" && op && provider) providers.set(name, { op, provider });
    const onCpu: Record<string, number> = {};
    for (const { op, provider } of providers.values())
      if (provider === "CPUExecutionProvider") onCpu[op] = (onCpu[op] ?? 0) + 1;
    const transfers = session.inputs.length + Object.keys(outputs).length;
    return { onCpu, transfers, nodes: providers.size, results };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Where the nodes of a training step of the first stage run; undefined on the CPU. Errors: LabError if a node of a step on WebGPU runs
 * on the CPU, unless `allowFallback`.
 */
export async function placementOf(
  { model, data, objectives, trains, runtime }: Setup & { readonly runtime: Runtime },
  allowFallback: boolean,
): Promise<Placement | undefined> {
  if (runtime.device === "cpu") return undefined;
  const [stage] = data.stages;
  const { graph, outputs } = trainingGraph(model, stage.rows, stage.length, objectives[0], trains, stage);
  const { onCpu, transfers } = await profiledRun(graph, outputs, runtime);
  if (runtime.device === "webgpu" && !allowFallback && Object.keys(onCpu).length > 0) {
    const hint = "Each costs copies in every step; --allow-fallback trains all the same";
    fail("device: webgpu", "no operator on the CPU", describeCounts(onCpu), hint);
  }
  return { onCpu, transfers };
}

/** `Sign (2), TopK (1)`. */
export function describeCounts(counts: OperatorCounts): string {
  return Object.entries(counts)
    .map(([op, count]) => `${op} (${count})`)
    .join(", ");
}

function zeros(graph: Graph): Feeds {
  return Object.fromEntries(
    graph.inputs.map(({ name, shape, dtype }) => [name, emptyData(dtype, size(shape))]),
  );
}
