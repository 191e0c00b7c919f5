/**
 * @file The golden file of a task: settings that between them use all it can do, each followed by the first three
 * examples that it gives with seed 0. The conformance suite is run over the settings.
 *
 *     {"params":{}}
 *     {"text":"101","reveals":[...],"states":[...]}     three of them
 *     {"params":{"length":3}}
 *     ...
 *
 * A new one is begun by its lines of settings; `npx vitest run src/tasks/golden.test.ts -u` writes the examples.
 */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const goldenFolder = fileURLToPath(new URL("../../golden/tasks/", import.meta.url));

/** The settings of a task that are tested. A task without them is an error. */
export function goldenSettings(name: string): object[] {
  const path = `${goldenFolder}${name}.jsonl`;
  if (!existsSync(path))
    throw new Error(`${name} has no golden file: begin ${path} (docs/how-to/add-a-task.md)`);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const settings = lines.map((line) => JSON.parse(line)).filter((record) => "params" in record);
  if (settings.length === 0) throw new Error(`${path} has no line {"params": ...}`);
  return settings.map(({ params }) => params);
}
