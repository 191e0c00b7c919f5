/**
 * @file A traced benchmark on the disk:
 *
 *     DIR/traces.jsonl      one row a line, schema src/schemas/trace.ts
 *     DIR/traces.parquet    id, program, call, expected, source, code, result, steps; lines as JSON text
 *     DIR/figures/*.svg     how long traces, their code and their states are
 *     DIR/coverage.json     what was traced, and the reason for each call that was not
 *     DIR/README.md         the card
 *
 * Every file is written to a temporary name and renamed; the card comes last.
 */

import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileWriter, parquetWrite } from "hyparquet-writer";
import { stringify } from "yaml";
import { recordForFile, type TracedRow } from "../schemas/trace.ts";
import { renameOver, syncFolder, writeFileDurably } from "./atomic.ts";
import { makeFolder } from "./folder.ts";
import type { Lock } from "./lock.ts";

interface TracedSet {
  readonly rows: readonly TracedRow[];
  readonly coverage: object;
  readonly name: string;
  readonly split: string;
  readonly license: string;
  readonly source: string;
  readonly command: string;
  /** SVG files by name. */
  readonly figures: Readonly<Record<string, string>>;
  /** Sentences for the card: how much of the benchmark is covered. */
  readonly summary: string;
}

export interface WrittenTraces {
  readonly folder: string;
  readonly files: readonly string[];
  readonly bytes: number;
}

/** `lock` is the folder's, if it has one. */
export async function writeTracedSet(folder: string, set: TracedSet, lock?: Lock): Promise<WrittenTraces> {
  await makeFolder(folder);
  const beside = await mkdtemp(join(folder, ".traces-"));
  const figures = Object.entries(set.figures).map(([name, svg]) => [`figures/${name}.svg`, svg] as const);
  const files = [
    "traces.jsonl",
    "traces.parquet",
    ...figures.map(([file]) => file),
    "coverage.json",
    "README.md",
  ];
  try {
    const path = (file: string) => join(beside, file);
    for (const parent of [beside, folder]) await makeFolder(join(parent, "figures"));
    for (const [file, svg] of figures) await writeFileDurably(path(file), svg);
    await writeFileDurably(
      path("traces.jsonl"),
      set.rows.map((row) => `${JSON.stringify({ ...row, trace: recordForFile(row.trace) })}\n`).join(""),
    );
    writeParquet(path("traces.parquet"), set.rows);
    await writeFileDurably(path("coverage.json"), `${JSON.stringify(set.coverage, null, 2)}\n`);
    await writeFileDurably(path("README.md"), cardOf(set));
    lock?.check();
    for (const file of files) await renameOver(path(file), join(folder, file));
    await syncFolder(folder);
    const { size } = await stat(join(folder, "traces.jsonl"));
    return { folder, files, bytes: size };
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

function writeParquet(path: string, rows: readonly TracedRow[]): void {
  const text = (name: string, value: (row: TracedRow) => string) => ({
    name,
    data: rows.map(value),
    type: "STRING" as const,
    nullable: false,
  });
  parquetWrite({
    writer: fileWriter(path),
    columnData: [
      text("id", ({ id }) => id),
      text("program", ({ program }) => program),
      text("call", ({ trace }) => trace.call),
      text("expected", ({ expected }) => expected),
      text("source", ({ trace }) => trace.source),
      text("code", ({ trace }) => trace.code),
      text("result", ({ trace }) => trace.literal ?? ""),
      { name: "steps", data: rows.map(({ trace }) => trace.steps), type: "INT32", nullable: false },
      text("lines", ({ trace }) => JSON.stringify((recordForFile(trace) as TracedRow["trace"]).lines)),
      text("python", ({ trace }) => trace.python.version),
    ],
  });
}

function cardOf({ rows, name, split, license, source, command, summary }: TracedSet): string {
  const head = stringify({
    pretty_name: `${name}, traced`,
    license,
    task_categories: ["text-generation"],
    tags: ["code", "execution-traces", "state-tracking", "statelab"],
    size_categories: [rows.length < 1000 ? "n<1K" : "1K<n<10K"],
    configs: [{ config_name: "default", data_files: [{ split, path: "traces.parquet" }] }],
  });
  const sample = rows[0];
  return [
    `---\n${head}---\n`,
    `# ${name}, traced\n`,
    `${summary} Source of the programs: ${source}.\n`,
    "Each row is one call of one function, unrolled into the straight-line program that ran: `code`, its `lines` with the",
    "state after each (in Parquet as JSON text), the `result` as a Python literal, and `expected`, what the benchmark says",
    "of it. Every trace is proven: run as a program it gives every state and the result of the function itself, under the",
    "`python` that is named.\n",
    ...(sample === undefined ? [] : [`The first row's code:\n\`\`\`python\n${sample.trace.code}\`\`\`\n`]),
    `Made by\n\`\`\`\n${command}\n\`\`\``,
    "",
  ].join("\n");
}
