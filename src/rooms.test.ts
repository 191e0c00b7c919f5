import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What each room may import besides itself (the table of the design). "*" is everything. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  math: [],
  records: [],
  tensor: ["math", "records"],
  trace: ["math", "records"],
  analysis: ["math", "records"],
  tasks: ["math", "records", "trace"],
  models: ["math", "records", "tensor"],
  train: ["math", "records", "tensor", "tasks", "models"],
  eval: ["math", "records", "trace", "tasks"],
  report: ["math", "records", "analysis"],
  python: ["records", "trace"],
  store: ["records"],
  jobs: ["math", "records", "store"],
  serve: [
    "math",
    "records",
    "tasks",
    "trace",
    "models",
    "train",
    "eval",
    "analysis",
    "report",
    "store",
    "python",
  ],
  cli: ["*"],
  experiments: ["*"],
  // python's native host has its own rule below
  web: [
    "math",
    "records",
    "tensor",
    "tasks",
    "trace",
    "python",
    "models",
    "train",
    "eval",
    "analysis",
    "report",
    "jobs",
    "experiments",
  ],
  // src/index.ts: the package as others import it
  src: ["*"],
};

const nodeRooms = new Set(["python", "store", "jobs", "serve", "cli", "experiments", "src"]);
/** The Node half of a room that also runs in the page. */
const nodeFiles = new Set(["src/tensor/session-node.ts"]);
const effectRooms = new Set(["cli", "serve", "store", "eval", "jobs"]);

interface Import {
  readonly line: number;
  readonly specifier: string;
}

/** Every import and export-from of a source, static and dynamic. Comments are blanked first; lines stay where they are. */
function importsOf(source: string): Import[] {
  const code = withoutComments(source);
  const statements =
    /^(?:import|export)\b[^;"'`]*?from\s*["']([^"']+)["']|^import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;
  return [...code.matchAll(statements)].map((match) => ({
    line: lineAt(code, match.index),
    specifier: match[1] ?? match[2] ?? match[3],
  }));
}

/** Blanks comments. Strings and templates are stepped over, so that "http://..." is none. */
function withoutComments(source: string): string {
  const parts = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return source.replace(parts, (whole, text) => text ?? whole.replace(/[^\n]/g, " "));
}

const lineAt = (text: string, index: number) => text.slice(0, index).split("\n").length;

/** "src/tensor/ops/add.ts" is in the room "tensor", "web/worker.ts" in "web", "src/index.ts" in "src". */
function roomOf(file: string): string {
  const [top, second, ...rest] = file.split("/");
  return top === "src" && rest.length > 0 ? second : top;
}

/** The rules that a file breaks, one sentence each, beginning with file and line. */
function violations(file: string, source: string): string[] {
  const room = roomOf(file);
  const allowed = mayImport[room];
  if (allowed === undefined)
    return [`${file}:1: ${room} is no room; the rooms are ${Object.keys(mayImport).join(", ")}`];
  const found: string[] = [];
  for (const { line, specifier } of importsOf(source)) {
    const at = `${file}:${line}:`;
    if (specifier.startsWith(".")) {
      const target = join(dirname(file), specifier).split(sep).join("/");
      const other = roomOf(target);
      const free = other === room || allowed.includes("*") || allowed.includes(other);
      if (!free)
        found.push(
          `${at} ${room} imports ${other} (${specifier}); it may import ${allowed.join(", ") || "nothing of ours"}`,
        );
      if (room === "web" && /^src\/python\/native/.test(target))
        found.push(`${at} the page cannot run python's native host`);
    } else if (isNodeModule(specifier) && !nodeRooms.has(room) && !nodeFiles.has(file)) {
      found.push(
        `${at} ${room} imports ${specifier}; Node's modules are for ${[...nodeRooms, ...nodeFiles].join(", ")}`,
      );
    }
  }
  if (!effectRooms.has(room) && file.startsWith("src/")) {
    const code = withoutComments(source);
    for (const match of code.matchAll(/\b(?:Math\.random|Date\.now)\b/g)) {
      found.push(
        `${file}:${lineAt(code, match.index)}: ${match[0]} is for ${[...effectRooms].join(", ")}; pass an Rng or a clock`,
      );
    }
  }
  if (!/^(?:#!.*\n)?\/\*\*\s*(?:\n \* )?@file \S/.test(source))
    found.push(`${file}:1: a file opens with /** @file what it is */`);
  return found;
}

function isNodeModule(specifier: string): boolean {
  const name = specifier.replace(/^node:/, "");
  return specifier.startsWith("node:") || builtinModules.includes(name);
}

/** Sources of the lab; tests may use any room, and Node, as a witness. */
function sourceFiles(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        /\.tsx?$/.test(entry.name) &&
        !/\.(test|soak|test-helper)\.ts$|\.d\.ts$/.test(entry.name),
    )
    .map((entry) => relative(root, resolve(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file));
}

test("every import, effect and header of the sources keeps the rules of the rooms", () => {
  const files = ["src", "web", "experiments"].flatMap(sourceFiles);
  expect(files).toContain("src/records/error.ts");
  expect(files.flatMap((file) => violations(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
});

test.each([
  [
    "src/tasks/a.ts",
    'import { x } from "../models/index.ts";',
    "src/tasks/a.ts:2: tasks imports models (../models/index.ts); it may import math, records, trace",
  ],
  [
    "src/math/a.ts",
    'import {\n  x,\n  y,\n} from "../records/error.ts";',
    "src/math/a.ts:2: math imports records",
  ],
  ["src/tensor/a.ts", 'export * from "../tasks/index.ts";', "src/tensor/a.ts:2: tensor imports tasks"],
  [
    "src/report/a.ts",
    'const x = await import("../store/index.ts");',
    "src/report/a.ts:2: report imports store",
  ],
  ["src/train/a.ts", 'import "../store/index.ts";', "src/train/a.ts:2: train imports store"],
  ["src/report/a.ts", 'import type { X } from "../train/x.ts";', "src/report/a.ts:2: report imports train"],
  ["web/a.ts", 'import { x } from "../src/store/index.ts";', "web/a.ts:2: web imports store"],
  ["web/a.ts", 'import { x } from "../src/python/native.ts";', "web/a.ts:2: the page cannot run"],
  ["src/models/a.ts", 'import { readFileSync } from "node:fs";', "src/models/a.ts:2: models imports node:fs"],
  ["src/models/a.ts", 'import { join } from "path";', "src/models/a.ts:2: models imports path"],
  ["src/train/a.ts", "const now = Date.now();", "src/train/a.ts:2: Date.now is for"],
  ["src/math/a.ts", "export const x = Math.random;", "src/math/a.ts:2: Math.random is for"],
  ["src/misc/a.ts", "", "src/misc/a.ts:1: misc is no room"],
])("%s with %j is found out", (file, body, sentence) => {
  const found = violations(file, `/** @file For a test. */\n${body}\n`);
  expect(found).toHaveLength(1);
  expect(found[0].startsWith(sentence), found[0]).toBe(true);
});

test("a file without a header is found out", () => {
  expect(violations("src/math/a.ts", "export {};")).toEqual([
    "src/math/a.ts:1: a file opens with /** @file what it is */",
  ]);
});

test.each([
  ["src/tensor/session-node.ts", 'import { readFileSync } from "node:fs";'],
  ["src/train/a.ts", '// import x from "../store/x.ts"; Date.now()\n/* Math.random */'],
  ["src/train/a.ts", 'const url = "http://x"; // Date.now'],
  [
    "src/train/a.ts",
    'import { a } from "./b.ts";\nimport { z } from "zod";\nimport { c } from "../models/index.ts";',
  ],
  ["src/store/a.ts", 'import { readFileSync } from "node:fs";\nconst now = Date.now();'],
])("%s may hold %j", (file, body) => {
  expect(violations(file, `/**\n * @file For a test.\n */\n${body}\n`)).toEqual([]);
});
