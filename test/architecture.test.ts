import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { inCode, page, subpaths, tableOf } from "./docs/docs.test-helper.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The table of CONTRIBUTING.md, from the ground up: a folder may import itself, what its row names, and nothing else. */
const mayImport: Readonly<Record<string, readonly string[]>> = foldersOf(
  tableOf(page("CONTRIBUTING.md"), "folder", "holds", "may import"),
);

/** "core, schemas, python/trace", "all above but src/cli", "nothing of ours", as paths. */
function foldersOf(table: readonly string[][]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [cell, , may] of table) {
    const above = Object.keys(found);
    const [folder] = inCode(cell);
    const [, but] = /^all above(?: but (.*))?$/.exec(may) ?? [];
    const named = may === "nothing of ours" ? [] : may.split(", ").map((name) => `src/${name}`);
    found[folder] = may.startsWith("all above")
      ? above.filter((each) => !but?.split(", ").includes(each))
      : named;
    const unknown = found[folder].find(
      (each) => !above.some((path) => each === path || each.startsWith(`${path}/`)),
    );
    if (unknown !== undefined)
      throw new Error(`CONTRIBUTING.md: ${folder} may import ${unknown}, which is not above it`);
  }
  return found;
}

/** Folders whose files may use Node's modules. */
const nodeFolders = [
  ..."python/sandbox storage executors serve app cli index.ts".split(" ").map((each) => `src/${each}`),
  ...["experiments", "bench", "packages"],
];
/** The Node half of folders that also run in the page. */
const nodeFiles = [
  "src/core/bundled-module-node.ts",
  "src/tensor/onnx-runtime-node.ts",
  "src/tensor/session-node.ts",
  "src/tensor/worker-node.ts",
  "src/python/index.ts",
];
/** Packages that need Node, too. */
const nodePackages = new Set(["onnxruntime-node", "esbuild", "tsx"]);
/** Folders that may read the clock and draw without a seed. */
const effectFolders = [...nodeFolders.filter((each) => each !== "src/index.ts"), "src/eval"];

const isIn = (file: string, folders: readonly string[]) =>
  folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
const mayUseNode = (file: string) => isIn(file, nodeFolders) || nodeFiles.includes(file);

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

/** The row of the table that a file belongs to: "src/tensor/add.ts" is in "src/tensor", "src/index.ts" in "src". */
function folderOf(file: string): string {
  const [top, second, ...rest] = file.split("/");
  return top === "src" && rest.length > 0 ? `src/${second}` : top;
}

const targetOf = (file: string, specifier: string) => join(dirname(file), specifier).split(sep).join("/");

/** The rules that a file breaks, one sentence each, beginning with file and line. */
function violations(file: string, source: string): string[] {
  const folder = folderOf(file);
  // packages/ implement interfaces of src/executors/packages.ts, which loads them by name: nothing imports them
  const allowed = folder === "packages" ? Object.keys(mayImport) : mayImport[folder];
  if (allowed === undefined)
    return [`${file}:1: ${folder} is not in CONTRIBUTING.md, which has ${Object.keys(mayImport).join(", ")}`];
  const found: string[] = [];
  for (const { line, specifier } of importsOf(source)) {
    const at = `${file}:${line}:`;
    if (specifier.startsWith(".")) {
      const target = targetOf(file, specifier);
      const other = folderOf(target);
      // "src" is src/index.ts alone
      const isFree =
        [folder, ...allowed].includes(other) ||
        isIn(
          target,
          allowed.filter((each) => each !== "src"),
        );
      if (!isFree)
        found.push(
          `${at} ${folder} imports ${other} (${specifier}); it may import ${allowed.join(", ") || "nothing of ours"}`,
        );
    } else if (isNodeModule(specifier) && !mayUseNode(file)) {
      found.push(
        `${at} ${folder} imports ${specifier}; Node's modules are for ${[...nodeFolders, ...nodeFiles].join(", ")}`,
      );
    }
  }
  if (!isIn(file, effectFolders) && file.startsWith("src/")) {
    const code = withoutComments(source);
    for (const match of code.matchAll(/\b(?:Math\.random|Date\.now)\b/g)) {
      found.push(
        `${file}:${lineAt(code, match.index)}: ${match[0]} is for ${effectFolders.join(", ")}; pass an Rng or a clock`,
      );
    }
  }
  if (!/^(?:#!.*\n)?\/\*\*\s*(?:\n \* )?@file \S/.test(source))
    found.push(`${file}:1: a file opens with /** @file what it is */`);
  return found;
}

/** Groups of names that reach each other: Tarjan's strongly connected components of more than one. */
function cycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (name: string) => {
    index.set(name, index.size);
    low.set(name, index.get(name)!);
    stack.push(name);
    for (const next of graph.get(name) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(name, Math.min(low.get(name)!, low.get(next)!));
    }
    if (low.get(name) !== index.get(name)) return;
    const group = stack.splice(stack.indexOf(name));
    if (group.length > 1) found.push(group.toSorted());
  };
  for (const name of graph.keys()) if (!index.has(name)) visit(name);
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
    const target = targetOf(file, specifier);
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

const sources = ["src", "web", "experiments", "bench", "packages"].flatMap(sourceFiles);
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("every import, effect and header of the sources keeps the rules of CONTRIBUTING.md", () => {
  expect(sources).toContain("src/core/error.ts");
  expect(sources.flatMap((file) => violations(file, read(file)))).toEqual([]);
});

test("no two folders, no two folders of src/app and no files import each other, whatever the way", () => {
  const graphOf = (nameOf: (file: string) => string | undefined) => {
    const graph = new Map<string, Set<string>>();
    for (const file of sources) {
      const name = nameOf(file);
      if (name === undefined) continue;
      const others = graph.get(name) ?? new Set();
      graph.set(name, others);
      for (const { specifier } of importsOf(read(file))) {
        const other = specifier.startsWith(".") ? nameOf(targetOf(file, specifier)) : undefined;
        if (other !== undefined && other !== name) others.add(other);
      }
    }
    return graph;
  };
  const known = new Set(sources);
  const useCase = (file: string) => (/^src\/app\/.*\//.test(file) ? file.split("/")[2] : undefined);
  expect(cycles(graphOf((file) => (known.has(file) ? file : undefined)))).toEqual([]);
  expect(cycles(graphOf(useCase))).toEqual([]);
  expect(cycles(graphOf((file) => (file.startsWith("packages/") ? undefined : folderOf(file))))).toEqual([]);
});

test("a cycle is found", () => {
  const graph = new Map(
    Object.entries({ a: new Set(["b"]), b: new Set(["c"]), c: new Set(["a", "d"]), d: new Set(["e"]) }),
  );
  expect(cycles(graph)).toEqual([["a", "b", "c"]]);
});

test("what the page may import reaches no module of Node, by whatever way", () => {
  const free = sources.filter((file) => /^(src|web)\//.test(file) && !mayUseNode(file));
  expect(free.length).toBeGreaterThan(200);
  expect(free.flatMap((file) => wayToNode(file, read) ?? [])).toEqual([]);
});

test.each(subpaths)(
  "%s reaches a module of Node unless docs/how-to/library.md says it is free",
  (name, { file, free }) => {
    const way = wayToNode(file, read);
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

/** What is found on the line below the header. */
test.each([
  [
    "src/tasks/a.ts",
    'import { x } from "../models/index.ts";',
    "src/tasks imports src/models (../models/index.ts); it may import src/core, src/schemas, src/python/trace",
  ],
  ["src/core/a.ts", 'import {\n  x,\n  y,\n} from "../schemas/eval.ts";', "src/core imports src/schemas"],
  ["src/tensor/a.ts", 'export * from "../tasks/index.ts";', "src/tensor imports src/tasks"],
  ["src/report/a.ts", 'const x = await import("../storage/index.ts");', "src/report imports src/storage"],
  ["src/train/a.ts", 'import "../storage/index.ts";', "src/train imports src/storage"],
  ["src/report/a.ts", 'import type { X } from "../train/x.ts";', "src/report imports src/train"],
  ["web/a.ts", 'import { x } from "../src/cli/lib/dispatch.ts";', "web imports src/cli"],
  ["src/models/a.ts", 'import { readFileSync } from "node:fs";', "src/models imports node:fs"],
  ["src/models/a.ts", 'import { join } from "path";', "src/models imports path"],
  ["src/train/a.ts", "const now = Date.now();", "Date.now is for"],
  ["src/core/a.ts", "export const x = Math.random;", "Math.random is for"],
  ["src/app/a.ts", 'import { x } from "../cli/dispatch.ts";', "src/app imports src/cli"],
  ["src/app/a.ts", 'import type { X } from "../../experiments/x.ts";', "src/app imports experiments"],
  ["experiments/repl/a.ts", 'import "../../src/cli/dispatch.ts";', "experiments imports src/cli"],
  ["bench/a.ts", 'import { x } from "../src/cli/lib/dispatch.ts";', "bench imports src/cli"],
  ["src/executors/a.ts", 'import "../../packages/redis/index.ts";', "src/executors imports packages"],
  ["src/cli/a.ts", 'await import("../../packages/redis/index.ts");', "src/cli imports packages"],
])("%s with %j is found out", (file, body, sentence) => {
  const found = violations(file, `/** @file For a test. */\n${body}\n`);
  expect(found).toEqual([expect.stringContaining(`${file}:2: ${sentence}`)]);
});

test("a file without a header is found out, and a folder that CONTRIBUTING.md does not name", () => {
  const [header] = violations("src/core/a.ts", "export {};");
  expect(header).toBe("src/core/a.ts:1: a file opens with /** @file what it is */");
  const [folder] = violations("src/misc/a.ts", "/** @file For a test. */\n");
  expect(folder).toMatch(/^src\/misc\/a\.ts:1: src\/misc is not in CONTRIBUTING\.md/);
});

test.each([
  ["src/tensor/session-node.ts", 'import { readFileSync } from "node:fs";'],
  ["src/train/a.ts", '// import x from "../storage/x.ts"; Date.now()\n/* Math.random */'],
  ["src/train/a.ts", 'const url = "http://x"; // Date.now'],
  [
    "src/train/a.ts",
    'import { a } from "./b.ts";\nimport { z } from "zod";\nimport { c } from "../models/index.ts";',
  ],
  ["src/storage/a.ts", 'import { readFileSync } from "node:fs";\nconst now = Date.now();'],
])("%s may hold %j", (file, body) => {
  expect(violations(file, `/**\n * @file For a test.\n */\n${body}\n`)).toEqual([]);
});
