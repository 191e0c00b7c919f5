/**
 * @file Whole training steps on a GPU, ours and PyTorch's, and ours on the CPU. At most eight minutes.
 *
 *     npm run bench -- gpu
 *
 * Ours on WebGPU and CUDA where ONNX Runtime computes on them, PyTorch's eager and compiled where torch finds a card. Each column is
 * timed by itself, since it may need all of the card's memory; a cell is the median of the steps in some seconds.
 */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { refuseDevice } from "../src/app/doctor/providers.ts";
import { errorText } from "../src/core/error.ts";
import { median } from "../src/core/statistics.ts";
import { textTable } from "../src/report/text-table.ts";
import type { RunConfig } from "../src/schemas/run-config.ts";
import type { BenchOptions } from "./lib/interleave.ts";
import { benchFile } from "./train-step/baseline.ts";
import {
  benchmarkConfig,
  configName,
  encodeProblem,
  makeProblem,
  type Problem,
} from "./train-step/problem.ts";
import { trainer } from "./train-step/statelab.ts";

/** Model, width, sequences, layers. */
const CASES = [
  ["transformer", 128, 8, 2],
  ["deltanet", 128, 8, 2],
  ["transformer", 512, 8, 6],
  ["deltanet", 512, 8, 6],
  ["lstm", 128, 8, 2],
] as const;
const LENGTH = 256;

const [WARM_UP, LEAST_STEPS, MOST_STEPS] = [2, 3, 50];
const CELL_SECONDS = 5;
const TOTAL_SECONDS = 450;
const PYTORCH_SECONDS = 90;

/** Milliseconds of a step, or why there are none. */
type Cell = { readonly milliseconds: number; readonly loss: number } | { readonly why: string };
type Row = { readonly shape: string; readonly cells: Readonly<Record<string, Cell>> };

export async function run({ json, signal }: BenchOptions): Promise<readonly Row[]> {
  const began = performance.now();
  const columns = ["statelab cpu", "statelab webgpu", "statelab cuda", "PyTorch eager", "PyTorch compiled"];
  const missing = await Promise.all((["webgpu", "cuda"] as const).map(missingDevice));
  const rows: Row[] = [];
  for (const [model, width, batch, layers] of CASES) {
    const config = benchmarkConfig(model, width, batch, LENGTH, layers);
    const problem = makeProblem(config);
    const cells: Record<string, Cell> = {};
    rows.push({ shape: configName(config), cells });
    const left = () => TOTAL_SECONDS - (performance.now() - began) / 1000;
    const found = (column: string, cell: Cell) => {
      cells[column] = cell;
      const words = "why" in cell ? cell.why : `${shown(cell)}, loss ${cell.loss.toFixed(5)}`;
      if (!json) console.error(`${rows.at(-1)!.shape}, ${column}: ${words}`); // a run that is stopped has said what it found
    };
    for (const [i, device] of (["cpu", "webgpu", "cuda"] as const).entries()) {
      const why = i === 0 ? undefined : missing[i - 1];
      if (why !== undefined) found(columns[i], { why });
      else if (left() < 0 || signal.aborted) found(columns[i], { why: "no time left" });
      else found(columns[i], await ours(problem, device).catch((error) => ({ why: errorText(error) })));
    }
    const theirs = await pytorchCells(problem, Math.min(PYTORCH_SECONDS, left()));
    for (const [column, cell] of Object.entries(theirs)) found(column, cell);
  }
  if (json) console.log(JSON.stringify(rows));
  else {
    console.log(
      textTable({
        columns: ["", ...columns],
        rows: rows.map(({ shape, cells }) => [shape, ...columns.map((column) => shown(cells[column]))]),
      }),
    );
    const reasons = new Set(
      rows.flatMap(({ cells }) =>
        Object.entries(cells).flatMap(([column, cell]) => ("why" in cell ? [`${column}: ${cell.why}`] : [])),
      ),
    );
    for (const reason of reasons) console.log(reason);
  }
  return rows;
}

const shown = (cell: Cell | undefined) =>
  cell === undefined || "why" in cell ? "–" : `${cell.milliseconds.toFixed(1)} ms`;

const missingDevice = (device: string): Promise<string | undefined> =>
  refuseDevice(device).then(() => undefined, errorText);

/** Steps of `statelab train`, with its defaults. The loss is that of step three. */
async function ours(problem: Problem, device: RunConfig["device"]): Promise<Cell> {
  const { step, release } = await trainer(problem, 1, device);
  try {
    const seconds: number[] = [];
    let loss = Number.NaN;
    const began = performance.now();
    for (let i = 1; i <= MOST_STEPS; i++) {
      const start = performance.now();
      const found = await step();
      const end = performance.now();
      if (i <= LEAST_STEPS) loss = found;
      if (i > WARM_UP) seconds.push((end - start) / 1000);
      if (seconds.length >= LEAST_STEPS && (end - began) / 1000 > CELL_SECONDS) break;
    }
    return { milliseconds: 1000 * median(seconds), loss };
  } finally {
    await release();
  }
}

/** The cells that pytorch_cuda.py printed before its time was over. */
async function pytorchCells(problem: Problem, seconds: number): Promise<Record<string, Cell>> {
  const names = ["PyTorch eager", "PyTorch compiled"];
  const all = (why: string) => Object.fromEntries(names.map((name) => [name, { why }]));
  if (seconds <= 0) return all("no time left");
  const folder = mkdtempSync(join(tmpdir(), "statelab-bench-"));
  try {
    const path = join(folder, "problem.safetensors");
    writeFileSync(path, encodeProblem(problem));
    const options = { timeout: seconds * 1000, killSignal: "SIGKILL" } as const;
    const arguments_ = [benchFile("gpu/pytorch_cuda.py"), path, String(CELL_SECONDS)];
    const { stdout, failure } = await promisify(execFile)("python3", arguments_, options).then(
      ({ stdout }) => ({ stdout, failure: "no answer" }),
      (error: Error & { stdout?: string; stderr?: string; killed?: boolean }) => ({
        stdout: error.stdout ?? "",
        failure: error.killed
          ? `not done after ${Math.round(seconds)} s`
          : (error.stderr?.trim().split("\n").at(-1) ?? error.message),
      }),
    );
    const lines = stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, Cell>); // pytorch_cuda.py writes them
    return { ...all(failure), ...Object.assign({}, ...lines) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
