/**
 * @file Loads a user's own task, model or agent policy: `--task ./mine.ts`, `--model ./mine.ts`, `--policy ./mine.ts`. The default
 * export has the shape of a built-in one:
 *
 *     import { defineTask } from "statelab";
 *     export default defineTask({ name: "mine", ... });
 *
 * The file and its imports are bundled into one text, which is what runs, so that a run can keep it:
 *
 *     mine.ts   import { helper } from "./helper.ts"        own/model.mjs   var helper = ...; export { ... as default }
 *               import { defineModel } from "statelab"                      import { defineModel } from "statelab"
 *
 * esbuild strips the types without checking them, and reads every file as a module, whatever its package.json says. Packages are
 * bundled, too. Only "statelab" and its subpaths are not: they always resolve to the running lab, since a graph made by another
 * copy would not be compatible. `import.meta.url` remains that of each file: files that it reads from the disk are not kept.
 */

import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { register, SourceMap } from "node:module";
import { basename, dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildFailure, Plugin } from "esbuild";
import { modulePath, require } from "../../core/bundled-module-node.ts";
import { fail, LabError } from "../../core/error.ts";
import { sha256 } from "../../storage/index.ts";

/** Required type of each field of a default export. */
type Shape = Readonly<Record<string, "string" | "function" | "schema">>;

const shapes = {
  task: { name: "string", summary: "string", source: "string", params: "schema", prepare: "function" },
  model: {
    name: "string",
    summary: "string",
    source: "string",
    config: "schema",
    init: "function",
    apply: "function",
    state: "function",
    step: "function",
  },
  policy: { name: "string", summary: "string", params: "schema", decide: "function" },
} as const satisfies Record<string, Shape>;

type LoadedKind = keyof typeof shapes;
/** Kinds of own files that a run may have. */
export type OwnKind = Exclude<LoadedKind, "policy">;

/** Own files of one run: code, and the text of a tokenizer.json. */
export type OwnSources = Readonly<Partial<Record<OwnKind | "tokenizer", OwnSource>>>;

const makers: Record<LoadedKind, string> = {
  task: "defineTask",
  model: "defineModel",
  policy: "definePolicy",
};

/** True if `--task`, `--model` or `--policy` names a file and not a built-in. */
export function isModulePath(name: string): boolean {
  return /[/\\]|\.[cm]?[jt]s$/.test(name);
}

/**
 * The default export of a file, with checked fields; the caller knows its type (`Task`, `AnyMixer`).
 * Errors: LabError of kind "usage" if the file is missing, does not load or has another shape.
 */
export async function loadModule(kind: OwnKind, path: string): Promise<unknown> {
  return loadSource(kind, await bundleSource(path), path);
}

/** Loads a file that is a task or a model, and detects which. */
export async function loadOwn(path: string): Promise<LoadedOwn> {
  const { map, ...source } = await bundled(path);
  const value = await defaultExport(source, path);
  const kind = typeof value === "object" && value !== null && "prepare" in value ? "task" : "model";
  return { kind, value: checkShape(kind, value, path), lineOf: (error) => lineIn(error, path, map) };
}

interface LoadedOwn {
  readonly kind: OwnKind;
  readonly value: unknown;
  /** `glr.ts, line 8`: the innermost line of the user's files at which an error was thrown, if it is known. */
  readonly lineOf: (error: Error) => string | undefined;
}

function lineIn({ stack = "" }: Error, path: string, map: string): string | undefined {
  const name = shownName(path);
  const frame = stack.split("\n").find((each) => each.includes(`${name}:`));
  const [, line, column] = /:(\d+):(\d+)\)?$/.exec(frame ?? "") ?? [];
  if (line === undefined) return undefined;
  const found = new SourceMap(JSON.parse(map)).findEntry(Number(line) - 1, Number(column) - 1);
  if (!("originalSource" in found)) return undefined;
  return `${basename(found.originalSource)}, line ${found.originalLine + 1}`;
}

/** `loadModule` for a bundled text; `at` is named in errors. */
export async function loadSource(kind: LoadedKind, source: Pick<OwnSource, "code">, at: string) {
  return checkShape(kind, await defaultExport(source, at), at);
}

/** The name of a file in stack traces. */
const shownName = (path: string) => path.replaceAll(/\s/g, "%20");

async function defaultExport({ code }: Pick<OwnSource, "code">, at: string): Promise<unknown> {
  prepareLoader();
  let module: { readonly default?: unknown };
  try {
    // Stack traces show this name instead of the whole text.
    const text = encodeURIComponent(`${code}\n//# sourceURL=${shownName(at)}`);
    module = await import(/* @vite-ignore */ `data:text/javascript,${text}`);
  } catch (error) {
    if (error instanceof LabError) throw error;
    return fail(at, "a module that loads", String(error).split("\n")[0]);
  }
  return module.default;
}

function checkShape(kind: LoadedKind, value: unknown, path: string): unknown {
  const hint = `See the built-in ones: a file ends in "export default ${makers[kind]}({ ... })"`;
  if (typeof value !== "object" || value === null) {
    return fail(path, `a ${kind} as its default export`, value === undefined ? "none" : typeof value, hint);
  }
  for (const [field, wanted] of Object.entries(shapes[kind])) {
    const found = (value as Record<string, unknown>)[field];
    const right = wanted === "schema" ? isSchema(found) : typeof found === wanted && found !== "";
    const name = wanted === "schema" ? "a zod schema" : wanted === "string" ? "a text" : "a function";
    if (!right)
      fail(
        path,
        `${field} of the ${kind} to be ${name}`,
        found === undefined ? "nothing" : typeof found,
        hint,
      );
  }
  return value;
}

function isSchema(value: unknown): boolean {
  return typeof (value as { safeParse?: unknown } | undefined)?.safeParse === "function";
}

let prepared = false;

function prepareLoader(): void {
  if (prepared) return;
  prepared = true;
  register(`data:text/javascript,${encodeURIComponent(hooks())}`);
}

/**
 * A hook of the module loader that resolves `statelab` and its subpaths (the exports of package.json) to this lab, built or not. It is
 * a text because Node runs it in a separate thread, which may be unable to load our sources.
 */
function hooks(): string {
  const extension = extname(import.meta.url);
  const root = new URL(extension === ".js" ? "../../../../" : "../../../", import.meta.url);
  const { exports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as PackageFile;
  const urls = Object.entries(exports).flatMap(([name, target]) => {
    if (typeof target === "string") return [];
    const file =
      extension === ".js"
        ? target.default
        : target.default.replace(/^\.\/dist\/(.*)\.js$/, `./$1${extension}`);
    return [[name.replace(/^\./, "statelab"), new URL(file, root).href]];
  });
  return `
  const urls = new Map(${JSON.stringify(urls)});
  export async function resolve(specifier, context, next) {
    const url = urls.get(specifier);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  }`;
}

/** Part of package.json. */
interface PackageFile {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

/** A bundled file that is not from a package. */
interface SourceFile {
  readonly path: string;
  readonly sha256: string;
}

export interface OwnSource {
  /** Absolute path of the named file. */
  readonly path: string;
  readonly code: string;
  /** The file and its imports, to detect later edits. */
  readonly sources: readonly SourceFile[];
}

/** Bundles a file. Errors: LabError of kind "usage" if it is missing or not a module. */
export async function bundleSource(path: string): Promise<OwnSource> {
  const { map: _, ...source } = await bundled(path);
  return source;
}

/** The bundle with its source map. */
async function bundled(path: string): Promise<OwnSource & { readonly map: string }> {
  const file = resolve(path);
  if (!existsSync(file)) fail(path, "an existing file", "no such file");
  if (!/\.(m?ts|[cm]?js)$/.test(file)) fail(path, "a .ts, .mts, .js or .mjs file", extname(file));
  const sources: SourceFile[] = [];
  const { build }: typeof import("esbuild") = require(modulePath("esbuild", "bundled") ?? "esbuild");
  try {
    const { outputFiles } = await build({
      entryPoints: [file],
      absWorkingDir: dirname(file),
      ...{ bundle: true, write: false, format: "esm", platform: "node", target: "node20" },
      ...{ sourcemap: "external", sourcesContent: false, outdir: join(dirname(file), "bundled") }, // not written
      ...{ external: ["statelab", "statelab/*"], tsconfigRaw: "{}", logLevel: "silent", charset: "utf8" },
      plugins: [labOutside, readingInto(sources)],
    });
    sources.sort((a, b) => (a.path < b.path ? -1 : 1));
    const [map, code] = [true, false].map(
      (isMap) => outputFiles.find(({ path: made }) => made.endsWith(".map") === isMap)?.text ?? "",
    );
    return { path: file, code, map, sources };
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? [];
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") {
      const program = `@esbuild/${process.platform}-${process.arch}`;
      throw new LabError(`${path}: ${program} is not installed. Install it, an optional dependency`);
    }
    if (first === undefined) throw error;
    const { text, location } = first;
    const place =
      location === null ? "" : `${placeOf(join(dirname(file), location.file), file)}line ${location.line}: `;
    return fail(path, "a module that loads", `SyntaxError: ${place}${text}`);
  }
}

const placeOf = (at: string, entry: string) => (at === entry ? "" : `${at}, `);

/** Imports of the sources of the lab by path resolve to the running lab instead of a copy. */
const labOutside: Plugin = {
  name: "lab-outside",
  setup(builder) {
    const ours = ["../..", "../../../packages/", "../../../experiments/", "../../../bench/"].map((path) =>
      resolve(import.meta.dirname, path),
    );
    builder.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
      const target = resolve(resolveDir, path);
      const inside = ours.some((folder) => target.startsWith(join(folder, "/")));
      return inside ? { path: pathToFileURL(target).href, external: true } : undefined;
    });
  },
};

function readingInto(sources: SourceFile[]): Plugin {
  return {
    name: "reading",
    setup(builder) {
      builder.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        if (!/[/\\]node_modules[/\\]/.test(path)) sources.push({ path, sha256: sha256(text) });
        const own = JSON.stringify(pathToFileURL(path).href);
        return { contents: text.replaceAll("import.meta.url", own), loader: /ts$/.test(path) ? "ts" : "js" };
      });
    },
  };
}
