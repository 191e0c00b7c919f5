import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { inCode, page, subpaths, tableOf } from "./docs.test-helper.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The rooms from the ground up, as docs/rooms.md has them. Each may import only what stands in its row, and none above it. */
const mayImport: Readonly<Record<string, readonly string[]>> = roomsOf(
  tableOf(page("docs/rooms.md"), "room", "what is in it", "may import"),
);

/** "math, records", "all above but public", "nothing of ours". */
function roomsOf(table: readonly string[][]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [room, , may] of table) {
    const above = Object.keys(found);
    const [, but] = /^all above(?: but (.*))?$/.exec(may) ?? [];
    const named = may === "nothing of ours" ? [] : may.split(", ");
    const allowed = may.startsWith("all above")
      ? above.filter((each) => !but?.split(", ").includes(each))
      : named;
    const strange = allowed.find((each) => !above.includes(each));
    if (strange !== undefined)
      throw new Error(`docs/rooms.md: ${room} may import ${strange}, which is not above it`);
    found[inCode(room)[0].replace("src/", "")] = allowed;
  }
  return found;
}

const nodeRooms = new Set([
  "python",
  "store",
  "jobs",
  "engines",
  "serve",
  "work",
  "experiments",
  "cli",
  "bench",
  "src",
  "public",
]);
/** The Node half of a room that also runs in the page. */
const nodeFiles = new Set(["src/tensor/onnx-runtime-node.ts", "src/tensor/session-node.ts"]);
/** Packages that are Node's, too. */
const nodePackages = new Set(["onnxruntime-node", "esbuild", "tsx"]);
const effectRooms = new Set(["cli", "work", "serve", "store", "eval", "jobs", "engines"]);

interface Import {
  readonly line: number;
  readonly specifier: string;
  /** `import type`: gone when it runs. */
  readonly isType: boolean;
}

/** Every import and export-from of a source, static and dynamic. Comments are blanked first; lines stay where they are. */
function importsOf(source: string): Import[] {
  const code = withoutComments(source);
  const statements =
    /^(?:import|export)\b[^;"'`]*?from\s*["']([^"']+)["']|^import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;
  return [...code.matchAll(statements)].map((match) => ({
    line: lineAt(code, match.index),
    specifier: match[1] ?? match[2] ?? match[3],
    isType: /^(?:import|export)\s+type\b/.test(match[0]),
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
      const free = other === room || allowed.includes(other);
      if (!free)
        found.push(
          `${at} ${room} imports ${other} (${specifier}); it may import ${allowed.join(", ") || "nothing of ours"}`,
        );
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

/**
 * The imports that lead from a file to one of Node's modules, as it runs: `a.ts > b.ts > node:fs`. undefined where none do.
 * What is loaded on demand counts, too: a bundler follows it.
 */
function wayToNode(
  file: string,
  read: (file: string) => string,
  seen = new Set<string>(),
): string | undefined {
  seen.add(file);
  for (const { specifier, isType } of importsOf(read(file))) {
    if (isType) continue;
    if (isNodeModule(specifier) || nodePackages.has(specifier)) return `${file} > ${specifier}`;
    if (!specifier.startsWith(".")) continue;
    const target = join(dirname(file), specifier).split(sep).join("/");
    const way = seen.has(target) || !target.endsWith(".ts") ? undefined : wayToNode(target, read, seen);
    if (way !== undefined) return `${file} > ${way}`;
  }
  return undefined;
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
  const files = ["src", "web", "experiments", "bench"].flatMap(sourceFiles);
  expect(files).toContain("src/records/error.ts");
  expect(files.flatMap((file) => violations(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
});

test("no room may import one that may import it", () => {
  const rooms = Object.keys(mayImport);
  const upwards = rooms.flatMap((room) =>
    mayImport[room].filter((other) => mayImport[other].includes(room)).map((other) => `${room} and ${other}`),
  );
  expect(upwards).toEqual([]);
});

test("what the page may import reaches no module of Node, by whatever way", () => {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const free = ["src", "web"]
    .flatMap(sourceFiles)
    .filter((file) => !nodeRooms.has(roomOf(file)) && !nodeFiles.has(file));
  expect(free.length).toBeGreaterThan(200);
  expect(free.flatMap((file) => wayToNode(file, read) ?? [])).toEqual([]);
});

test.each(subpaths)(
  "%s reaches a module of Node unless docs/library.md says it is free",
  (name, { file, free }) => {
    const way = wayToNode(file, (each) => readFileSync(join(root, each), "utf8"));
    expect(way === undefined, way ?? `${name} reaches none: say so`).toBe(free);
  },
);

test.each([
  [
    "what is loaded on demand",
    { "a.ts": 'import "./b.ts";', "b.ts": 'await import("node:fs");' },
    "a.ts > b.ts > node:fs",
  ],
  ["a package of Node's", { "a.ts": 'import x from "onnxruntime-node";' }, "a.ts > onnxruntime-node"],
  ["types are gone", { "a.ts": 'import type { X } from "node:fs";' }, undefined],
  ["a circle ends", { "a.ts": 'import "./b.ts";', "b.ts": 'import "./a.ts";' }, undefined],
])("the way to Node: %s", (_, files: Readonly<Record<string, string>>, way) => {
  expect(wayToNode("a.ts", (file) => files[file])).toBe(way);
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
  ["web/a.ts", 'import { x } from "../src/cli/run.ts";', "web/a.ts:2: web imports cli"],
  ["src/models/a.ts", 'import { readFileSync } from "node:fs";', "src/models/a.ts:2: models imports node:fs"],
  ["src/models/a.ts", 'import { join } from "path";', "src/models/a.ts:2: models imports path"],
  ["src/train/a.ts", "const now = Date.now();", "src/train/a.ts:2: Date.now is for"],
  ["src/math/a.ts", "export const x = Math.random;", "src/math/a.ts:2: Math.random is for"],
  ["src/work/a.ts", 'import { x } from "../cli/run.ts";', "src/work/a.ts:2: work imports cli"],
  [
    "src/work/a.ts",
    'import type { X } from "../../experiments/index.ts";',
    "src/work/a.ts:2: work imports experiments",
  ],
  [
    "experiments/repl/a.ts",
    'import { x } from "../../src/cli/run.ts";',
    "experiments/repl/a.ts:2: experiments imports cli",
  ],
  ["bench/a.ts", 'import { x } from "../src/cli/run.ts";', "bench/a.ts:2: bench imports cli"],
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
