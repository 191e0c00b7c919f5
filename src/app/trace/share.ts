/**
 * @file A share of a benchmark's calls, as a task of an engine:
 *
 *     DIR/shares/200-399/calls.jsonl        the calls themselves, so that nothing else is needed there
 *                        progress.jsonl     their traces, as the log of one process has them
 */

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import type { JobHandler } from "../../executors/execute-task.ts";
import { shareFiles } from "../../executors/job-outputs.ts";
import type { BenchmarkCall } from "../../python/benchmarks/index.ts";
import { lockFolder, parseJson, readInput, sha256 } from "../../storage/index.ts";
import { resumed, traceInto } from "./benchmark.ts";

const SharedCall = z.strictObject({
  id: z.string(),
  program: z.string(),
  sources: z.array(z.string()).min(1),
  call: z.string(),
  expected: z.string(),
});

/** The text of a share's calls, and its checksum. */
export function callsText(calls: readonly BenchmarkCall[]): {
  readonly text: string;
  readonly sha256: string;
} {
  const text = calls
    .map(
      ({ id, program, sources, call, expected }) =>
        `${JSON.stringify({ id, program, sources, call, expected })}\n`,
    )
    .join("");
  return { text, sha256: sha256(text) };
}

/** Errors: LabError (corrupt) where it is not the file that was handed over. */
function readCalls(path: string, published: string): BenchmarkCall[] {
  const bytes = readInput(path, { largestBytes: 2 ** 30 });
  const got = sha256(bytes);
  if (got !== published)
    fail(path, `the calls with the checksum ${published}`, got, "It was changed", "corrupt");
  const lines = bytes.toString("utf8").split("\n").slice(0, -1);
  return lines.map((line, i) => {
    const at = `${path}, line ${i + 1}`;
    return parseWith(SharedCall, parseJson(line, at), at);
  });
}

export const trace: JobHandler<"trace"> = {
  async saved(folder) {
    const path = join(folder, shareFiles.traced);
    return existsSync(path) ? statSync(path).size : 0;
  },

  async carryOut({ folder, work: { sha256: published, key, how } }, tell, signal) {
    const lock = await lockFolder(folder, shareFiles.traceLock);
    try {
      const calls = readCalls(join(folder, shareFiles.calls), published);
      const path = join(folder, shareFiles.traced);
      const traced = await resumed(path, key, lock);
      const left = calls.filter(({ id }) => !traced.has(id));
      let done = traced.size;
      await traceInto(path, left, { ...how, jobs: 1, lock, signal }, () => {
        tell({ kind: "measure", done: ++done, of: calls.length });
      });
      if (done < calls.length) throw new Error("stopped");
    } finally {
      lock.release();
    }
  },
};
