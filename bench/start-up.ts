/**
 * @file How long the command line takes to start: `statelab --help` against a bare `node -e 0`, after `npm run build`.
 *
 *     npm run bench -- start-up
 *
 * The two alternate; medians of 20 runs each. Target: at most 60 ms apart.
 */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fail } from "../src/core/error.ts";
import { median } from "../src/core/statistics.ts";
import type { BenchOptions } from "./lib/interleave.ts";

/** Medians in milliseconds. */
export interface StartUp {
  readonly node: number;
  readonly help: number;
  readonly difference: number;
  readonly runs: number;
}

const RUNS = 20;

export async function run({ json }: BenchOptions): Promise<StartUp> {
  const result = measure(builtProgram());
  if (json) console.log(JSON.stringify(result, null, 2));
  else {
    const { help, node, difference } = result;
    const texts = [help, node, difference].map((value) => value.toFixed(1));
    console.log(`statelab --help ${texts[0]} ms, node -e 0 ${texts[1]} ms: ${texts[2]} ms more`);
  }
  return result;
}

export function measure(program: string, runs = RUNS): StartUp {
  const [bare, helped]: [number[], number[]] = [[], []];
  for (let i = 0; i < runs; i++) {
    bare.push(timed(["-e", "0"]));
    helped.push(timed([program, "--help"]));
  }
  const [node, help] = [median(bare), median(helped)];
  return { node, help, difference: help - node, runs };
}

/** Milliseconds that a Node process with these arguments lives. */
function timed(args: readonly string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const elapsed = performance.now() - started;
  if (status !== 0) fail("bench/start-up", `node ${args.join(" ")} to succeed`, stderr.trim());
  return elapsed;
}

/** dist/src/cli/main.js, seen from bench/ or from dist/bench/. */
function builtProgram(): string {
  const candidates = ["../dist/src/cli/main.js", "../src/cli/main.js"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const found = candidates.find((path) => existsSync(path));
  return found ?? fail("bench/start-up", candidates.join(" or "), "neither", "Run npm run build first");
}
