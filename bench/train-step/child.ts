/**
 * @file A contender in a separate process, so that rounds of several contenders can be interleaved in one run.
 *
 *     child prints      {"firstLosses": [3.48, 3.44, 3.41], "variants": ["1 thread"], "notes": "..."}
 *     we write          0 5                                  five steps of variant 0
 *     child prints      {"seconds": [0.04, ...]}
 *
 * Everything is one JSON document a line. The end of its standard input ends the child.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { fail } from "../../src/core/error.ts";
import type { Prepared } from "./baseline.ts";
import { encodeProblem, type Problem } from "./problem.ts";

const Ready = z.object({
  firstLosses: z.array(z.number()).min(1),
  variants: z.array(z.string()).min(1),
  notes: z.string(),
});
const Answer = z.object({ seconds: z.array(z.number()) });

/** Starts `command` with `args(path of the problem)` and waits until it is ready. `name` is for error messages. */
export async function prepareChild(
  name: string,
  problem: Problem,
  command: string,
  args: (path: string) => readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Prepared> {
  const folder = mkdtempSync(join(tmpdir(), "statelab-bench-"));
  const path = join(folder, "problem.safetensors");
  writeFileSync(path, encodeProblem(problem));
  const child = spawn(command, args(path), { env: environment, stdio: ["pipe", "pipe", "pipe"] });

  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-2000);
  });
  const ended = new Promise<string>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(`exit ${code ?? signal}: ${words.trim()}`));
  });
  // A child that died breaks the pipe; `ended` already says so.
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  async function answer<T>(schema: z.ZodType<T>): Promise<T> {
    const line = await lines.next();
    if (line.done) return fail(`bench/train-step, ${name}`, "an answer from its process", await ended);
    return schema.parse(JSON.parse(line.value));
  }

  async function close(): Promise<void> {
    child.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const ready = await answer(Ready);
    return {
      ...ready,
      async run(variant, steps) {
        child.stdin.write(`${variant} ${steps}\n`);
        return (await answer(Answer)).seconds;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
