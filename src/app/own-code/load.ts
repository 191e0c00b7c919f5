/**
 * @file A user's own task, model or policy of an agent: `--task ./mine.ts`, `--model ./mine.ts`, `--policy ./mine.ts`. The file's default export has the same
 * shape as a built-in one.
 *
 *     import { defineTask } from "statelab";
 *     export default defineTask({ name: "mine", ... });
 *
 * The file and all that it imports become one text (bundle.ts), and that text is what runs: so a run can keep it. "statelab"
 * and "statelab/tensor" in it are always the lab that runs: a graph made by another copy would not be one of ours.
 */

import { readFileSync } from "node:fs";
import { register } from "node:module";
import { extname } from "node:path";
import { fail, LabError } from "../../core/error.ts";
import { bundled, type OwnSource } from "./bundle.ts";

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
  policy: { name: "string", summary: "string", params: "schema", decide: "function" },
} as const satisfies Record<string, Shape>;

type LoadedKind = keyof typeof shapes;
/** What a run may bring. */
export type OwnKind = Exclude<LoadedKind, "policy">;

/** A user's own files of one run. */
export type OwnSources = Readonly<Partial<Record<OwnKind, OwnSource>>>;

const makers: Record<LoadedKind, string> = {
  task: "defineTask",
  model: "defineModel",
  policy: "definePolicy",
};

/** Whether `--task`, `--model` or `--policy` names a file of the user and not something built in. */
export function isModulePath(name: string): boolean {
  return /[/\\]|\.[cm]?[jt]s$/.test(name);
}

/**
 * The default export of a user's file, its fields checked; the caller knows its type (`Task`, `AnyMixer`).
 * Throws a LabError of kind "usage" in one sentence when there is no such file, it does not load or is something else.
 */
export async function loadModule(kind: OwnKind, path: string): Promise<unknown> {
  return loadSource(kind, await bundled(path), path);
}

/** The default export of a file that is a task or a model, and which of them. */
export async function loadOwn(path: string): Promise<{ readonly kind: OwnKind; readonly value: unknown }> {
  const value = await defaultExport(await bundled(path), path);
  const kind = typeof value === "object" && value !== null && "prepare" in value ? "task" : "model";
  return { kind, value: checkShape(kind, value, path) };
}

/** The same of a text that was bundled before; `at` is named in what is wrong with it. */
export async function loadSource(kind: LoadedKind, source: Pick<OwnSource, "code">, at: string) {
  return checkShape(kind, await defaultExport(source, at), at);
}

async function defaultExport({ code }: Pick<OwnSource, "code">, at: string): Promise<unknown> {
  prepareLoader();
  let module: { readonly default?: unknown };
  try {
    // The name is what stacks show in place of the whole text.
    const text = encodeURIComponent(`${code}\n//# sourceURL=${at.replaceAll(/\s/g, "%20")}`);
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
 * A hook of the module loader: `statelab` and its subpaths (the exports of package.json) are this lab, built or not. As
 * text, because Node runs it in a separate thread, where our sources may be unreadable.
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
