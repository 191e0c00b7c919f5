/**
 * @file How long commands take to start, after `npm run build`: texts, a list, and a training to its first step, against a bare
 * `node -e 0`.
 *
 *     npm run bench -- start-up
 *
 * They take turns; medians of 20 runs each. A training counts until metrics.jsonl has the record of its first step, and is then killed.
 * Targets, on two idle cores: `--help` at most 60 ms more than `node -e 0`, the training at most 1,500 ms.
 */

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { fail } from "../src/core/error.ts";
import { median } from "../src/core/statistics.ts";
import { textTable } from "../src/report/text-table.ts";
import { runFiles } from "../src/storage/index.ts";
import type { BenchOptions } from "./lib/interleave.ts";

export interface StartUp {
  readonly command: string;
  /** Medians. */
  readonly milliseconds: number;
  /** Milliseconds more than `node -e 0`. */
  readonly difference: number;
}

const RUNS = 20;

export async function run({ json }: BenchOptions): Promise<StartUp[]> {
  const rows = await measure(builtFile("src/cli/main.js"), builtFile("../examples/deltanet.yaml"));
  if (json) console.log(JSON.stringify(rows, null, 2));
  else {
    const shown = rows.map(({ command, milliseconds, difference }) => [
      command,
      ...[milliseconds, difference].map((value) => value.toFixed(0)),
    ]);
    console.log(textTable({ columns: ["command", "ms", "more than node, ms"], rows: shown }));
  }
  return rows;
}

export async function measure(program: string, config: string, runs = RUNS): Promise<StartUp[]> {
  const commands: Record<string, () => number | Promise<number>> = {
    "node -e 0": () => timed(["-e", "0"]),
    "statelab --help": () => timed([program, "--help"]),
    "statelab --version": () => timed([program, "--version"]),
    "statelab list": () => timed([program, "list"]),
    "statelab train, to its first step": () => firstStep(program, config),
  };
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let i = 0; i < runs; i++)
    for (const [name, time] of Object.entries(commands)) times[name].push(await time());
  return Object.entries(times).map(([command, all]) => {
    const milliseconds = median(all);
    return { command, milliseconds, difference: milliseconds - median(times["node -e 0"]) };
  });
}

/** Milliseconds that a Node process with these arguments lives. */
function timed(args: readonly string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const elapsed = performance.now() - started;
  if (status !== 0) fail("bench/start-up", `node ${args.join(" ")} to succeed`, stderr.trim());
  return elapsed;
}

/** Milliseconds until a training has written the record of its first step. */
async function firstStep(program: string, config: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "statelab-start-up-"));
  const out = join(folder, "run");
  const metrics = join(out, runFiles.metrics);
  const started = performance.now();
  const child = spawn(process.execPath, [program, "train", config, "--out", out], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    words += text;
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  try {
    while ((statSync(metrics, { throwIfNoEntry: false })?.size ?? 0) === 0) {
      if (child.exitCode !== null) fail("bench/start-up", "a training to begin", words.trim());
      await setTimeout(1);
    }
    return performance.now() - started;
  } finally {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

/** A file, by its path from dist/, seen from bench/ or from dist/bench/. */
function builtFile(path: string): string {
  const candidates = ["../dist/", "../"].map((dist) => fileURLToPath(new URL(dist + path, import.meta.url)));
  const found = candidates.find((candidate) => existsSync(candidate));
  return found ?? fail("bench/start-up", candidates.join(" or "), "neither", "Run npm run build first");
}
