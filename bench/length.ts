/**
 * @file What a training step of one sequence costs as it grows.
 *
 *     npm run bench -- length [--only deltanet,lstm]     T = 512 ... 16,384
 *     seconds(T) ~ T^e                                   e = 1: a token costs the same in a long sequence; e = 2: attention
 *
 * Each model at each length runs in a separate process, which reports its memory. The exponent is the slope of a line through
 * the logarithms. The exponent of the last doubling shows a step without its fixed costs. A cell that exceeds
 * the time or memory says so; the others continue.
 */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { mean, median } from "../src/core/statistics.ts";
import { mixers } from "../src/models/index.ts";
import type { AnyMixer } from "../src/models/model.ts";
import { textTable } from "../src/report/text-table.ts";
import { type BenchOptions, selected } from "./lib/interleave.ts";

export interface LengthSizes {
  readonly models: readonly string[];
  readonly lengths: readonly number[];
  readonly sequences: number;
  readonly layers: number;
  readonly width: number;
  readonly steps: number;
  /** Of one process. */
  readonly minutes: number;
}

export interface LengthCell {
  readonly model: string;
  readonly length: number;
  /** Median seconds of a step, and the most memory that the process came to have beyond its start; absent where it did not end well. */
  readonly seconds?: number;
  readonly bytes?: number;
  /** Why there is no number. */
  readonly failed?: string;
}

const SIZES: LengthSizes = {
  models: Object.values<AnyMixer>(mixers).flatMap(({ name, takes }) => (takes === undefined ? [name] : [])), // those that stand alone
  lengths: [512, 1024, 2048, 4096, 8192, 16_384],
  sequences: 1,
  layers: 2,
  width: 64,
  steps: 3,
  minutes: 10,
};

export async function run({ json, only, signal }: BenchOptions): Promise<readonly LengthCell[]> {
  const cells: LengthCell[] = [];
  for (const model of selected(SIZES.models, (name) => name, only)) {
    for (const length of SIZES.lengths) {
      if (signal.aborted) break;
      cells.push(await measure(model, length, SIZES, signal));
    }
    if (!json && !signal.aborted)
      console.log(
        lineOf(
          model,
          cells.filter((cell) => cell.model === model),
        ),
      );
  }
  if (json) console.log(JSON.stringify({ version: 1, benchmark: "length", cells }, null, 2));
  else console.log(`\n${tableOf(cells)}`);
  return cells;
}

const Answer = z.object({ seconds: z.array(z.number()).min(1), bytes: z.number() });

export async function measure(
  model: string,
  length: number,
  { sequences, layers, width, steps, minutes }: LengthSizes,
  signal: AbortSignal,
): Promise<LengthCell> {
  const asked = { model, layers, width, length, batch: sequences, steps };
  const path = fileURLToPath(new URL(`length/child.${import.meta.url.slice(-2)}`, import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, path, JSON.stringify(asked)], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: minutes * 60_000,
    signal,
  });
  let [said, complained] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complained = (complained + text).slice(-2000);
  });
  const ended = await new Promise<string>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, killed) => resolve(killed ?? String(code)));
  });
  if (ended !== "0") return { model, length, failed: failureReason(complained) ?? ended };
  const { seconds, bytes } = Answer.parse(JSON.parse(said));
  return { model, length, seconds: median(seconds), bytes };
}

/** The words of the error that ended a process, of what it complained; undefined where it was another end. */
export const failureReason = (complained: string): string | undefined =>
  /^\w*Error: (.+)$/m.exec(complained)?.[1];

/** The slope of log seconds over log length; undefined of fewer than two lengths. */
export function fitExponent(cells: readonly LengthCell[]): number | undefined {
  const points = cells.flatMap(({ length, seconds }) =>
    seconds === undefined ? [] : [{ x: Math.log(length), y: Math.log(seconds) }],
  );
  if (points.length < 2) return undefined;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const sum = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((total, point) => total + of(point), 0);
  return sum((point) => (point.x - x) * (point.y - y)) / sum((point) => (point.x - x) ** 2);
}

const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
const shown = ({ seconds, bytes, failed }: LengthCell) =>
  seconds === undefined || bytes === undefined
    ? (failed ?? "")
    : `${(1000 * seconds).toFixed(0)} ms, ${megabytes(bytes)}`;

const exponentsOf = (cells: readonly LengthCell[]) =>
  [cells, cells.slice(-2)].map((each) => fitExponent(each)?.toFixed(2) ?? "-");

function lineOf(model: string, cells: readonly LengthCell[]): string {
  const ends = [cells[0], cells.at(-1)!].map((cell) => `${cell.length}: ${shown(cell)}`);
  return `${model.padEnd(16)} ${ends.join("   ")}   exponent ${exponentsOf(cells).join(", of the last doubling ")}`;
}

function tableOf(cells: readonly LengthCell[]): string {
  const lengths = [...new Set(cells.map(({ length }) => length))];
  const names = [...new Set(cells.map(({ model }) => model))];
  const rows = names.map((model) => {
    const own = cells.filter((cell) => cell.model === model);
    return [
      model,
      ...lengths.map((length) => shown(own.find((cell) => cell.length === length)!)),
      ...exponentsOf(own),
    ];
  });
  return textTable({ columns: ["mixer", ...lengths.map(String), "exponent", "last doubling"], rows });
}
