/**
 * @file A user's own task or model: `--task ./mine.ts`, `--model ./mine.ts`. The file's default export has the same
 * shape as a built-in one.
 *
 *     import { defineTask } from "statelab";
 *     export default defineTask({ name: "mine", ... });
 *
 * Types are taken out by esbuild, not checked; every file is read as a module, whatever package.json is above it.
 * "statelab" and "statelab/tensor" in it are always the lab that runs: a graph made by another copy would not be one of ours.
 */

import { existsSync } from "node:fs";
import { createRequire, register } from "node:module";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { fail, LabError } from "../../records/error.ts";

/** What each field of a default export must be. */
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
} as const satisfies Record<string, Shape>;

/** Whether `--task` or `--model` names a file of the user and not something built in. */
export function isModulePath(name: string): boolean {
  return /[/\\]|\.[cm]?[jt]s$/.test(name);
}

/**
 * The default export of a user's file, its fields checked; the caller knows its type (`Task`, `AnyMixer`).
 * Throws a LabError of kind "usage" in one sentence when there is no such file, it does not load or is something else.
 */
export async function loadModule(kind: keyof typeof shapes, path: string): Promise<unknown> {
  const file = resolve(path);
  if (!existsSync(file)) fail(path, "an existing file", "no such file");
  if (!/\.(m?ts|[cm]?js)$/.test(file)) fail(path, "a .ts, .mts, .js or .mjs file", extname(file));
  prepareLoader();
  let module: { readonly default?: unknown };
  try {
    module = await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (error) {
    if (error instanceof LabError) throw error;
    return fail(path, "a module that loads", String(error).split("\n")[0]);
  }
  return checkShape(kind, module.default, path);
}

function checkShape(kind: keyof typeof shapes, value: unknown, path: string): unknown {
  const hint = `See the built-in ones: a file ends in "export default define${kind === "task" ? "Task" : "Model"}({ ... })"`;
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
 * Hooks of the module loader: `statelab` is this lab (src/index, built or not), `statelab/NAME` its src/public/NAME; .ts and
 * .mts files of the user are modules. As text, because Node runs it in a thread of its own, where our sources may be unreadable.
 */
function hooks(): string {
  const extension = extname(import.meta.url);
  const entry = new URL(`../../index${extension}`, import.meta.url).href;
  const subpaths = new URL("../../public/", import.meta.url).href;
  const ours = ["../..", "../../../experiments/", "../../../bench/"].map(
    (path) => new URL(path, import.meta.url).href,
  );
  const esbuild = pathToFileURL(createRequire(import.meta.url).resolve("esbuild")).href;
  return `
  import { readFile } from "node:fs/promises";
  export async function resolve(specifier, context, next) {
    if (specifier === "statelab") return { url: ${JSON.stringify(entry)}, shortCircuit: true };
    const [, name] = /^statelab\\/([\\w-]+)$/.exec(specifier) ?? [];
    if (name !== undefined)
      return { url: ${JSON.stringify(subpaths)} + name + ${JSON.stringify(extension)}, shortCircuit: true };
    return next(specifier, context);
  }
  export async function load(url, context, next) {
    const ours = ${JSON.stringify(ours)}.some((folder) => url.startsWith(folder));
    if (ours || !/^file:[^?#]*\\.m?ts$/.test(url)) return next(url, context);
    const { transform } = (await import(${JSON.stringify(esbuild)})).default;
    const text = await readFile(new URL(url), "utf8");
    try {
      const { code } = await transform(text, { loader: "ts", format: "esm", target: "node20" });
      return { format: "module", source: code, shortCircuit: true };
    } catch (error) {
      const [{ text: reason, location }] = error.errors;
      throw new SyntaxError("line " + location?.line + ": " + reason);
    }
  }`;
}
