/**
 * @file A user's own task or model: `--task ./mine.ts`, `--model ./mine.ts`. The file's default export has the same
 * shape as a built-in one.
 *
 *     import { defineTask } from "statelab";
 *     export default defineTask({ name: "mine", ... });
 *
 * Node from 22.18 on reads TypeScript by itself; before that tsx does (0.15 to 0.3 s, once). A file that lies where
 * no `statelab` is installed gets the lab that runs it.
 */

import { existsSync } from "node:fs";
import { register } from "node:module";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { fail, LabError } from "../records/error.ts";

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
  if (!/\.[cm]?[jt]s$/.test(file)) fail(path, "a .ts, .mts, .js or .mjs file", extname(file));
  await prepareLoader(/ts$/.test(file));
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

let prepared: { statelab: boolean; typescript: boolean } = { statelab: false, typescript: false };

async function prepareLoader(typescript: boolean): Promise<void> {
  const before = prepared;
  prepared = { statelab: true, typescript: before.typescript || typescript };
  if (!before.statelab) register(`data:text/javascript,${encodeURIComponent(fallbackHook())}`);
  const native = "typescript" in process.features && Boolean(process.features.typescript);
  if (typescript && !before.typescript && !native) {
    const tsx = await import("tsx/esm/api");
    tsx.register({ tsconfig: false }); // without a namespace: the user's file shares our modules
  }
}

/** A resolve hook: what cannot find "statelab" from where it lies gets this one (src/index, built or not). */
function fallbackHook(): string {
  const entry = new URL(`../index${extname(import.meta.url)}`, import.meta.url).href;
  return `export async function resolve(specifier, context, next) {
    try { return await next(specifier, context); }
    catch (error) {
      if (specifier !== "statelab") throw error;
      return { url: ${JSON.stringify(entry)}, shortCircuit: true };
    }
  }`;
}
