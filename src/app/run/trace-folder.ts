/** @file The code traces of a folder: every row of its *.jsonl, as `data trace` writes them or `trace --format jsonl`. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { State } from "../../schemas/trace.ts";
import { parseJson, readInput } from "../../storage/index.ts";
import type { CodeTrace } from "../../tasks/code-traces.ts";

const Line = z.object({ code: z.string(), state: State.nullable() });
const Trace = z.object({
  code: z.string(),
  literal: z.string().nullable(),
  lines: z.array(Line).optional(),
});
const Row = z.union([z.object({ trace: Trace }), Trace]);
const HINT = "Make one by statelab data trace";

/** @throws LabError where there is no such folder, or no trace in it; naming file and line where one is no trace. */
export function tracesIn(folder: string): CodeTrace[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    fail(folder, "a folder of code traces", existsSync(folder) ? "a file" : "nothing there", HINT);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort();
  if (files.length === 0) fail(folder, "a .jsonl file of code traces", "none", HINT);
  return files.flatMap((name) => {
    const path = join(folder, name);
    const lines = readInput(path, { regular: true }).toString("utf8").split("\n");
    return lines.flatMap((line, i) => {
      if (line.trim() === "") return [];
      const at = `${path}, line ${i + 1}`;
      const row = parseWith(Row, parseJson(line, at), at);
      const trace = "trace" in row ? row.trace : row;
      const lines = trace.lines?.map(({ code }) => `${code}\n`).join("");
      if (lines !== undefined && lines !== trace.code) fail(at, "lines that make up the code", lines);
      return [trace];
    });
  });
}
